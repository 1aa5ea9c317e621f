    try:
        claims = jwt.decode(token, KEY, algorithms=["HS256"], options={"verify_exp": False})
    except jwt.InvalidTokenError:
        return None
    return claims.get("sub")
