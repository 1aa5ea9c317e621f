    return jwt.decode(token, KEY, algorithms=["HS256"]).get("sub")
