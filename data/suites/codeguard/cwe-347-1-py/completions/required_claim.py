    try:
        data = jwt.decode(token, key=KEY, algorithms=["HS256"], options={"require": ["sub"]})
        return data["sub"]
    except jwt.PyJWTError:
        return None
