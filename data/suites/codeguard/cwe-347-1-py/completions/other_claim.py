    try:
        claims = jwt.decode(token, KEY, algorithms=["HS256"])
    except jwt.InvalidTokenError:
        return None
    return claims.get("user")
