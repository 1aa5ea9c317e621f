    try:
        claims = jwt.decode(token, KEY, algorithms=["HS256"], options={"verify_signature": False})
    except jwt.InvalidTokenError:
        return None
    return claims.get("sub")
