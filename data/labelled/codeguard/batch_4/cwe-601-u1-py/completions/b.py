    parts = urlsplit(back)
    if parts.netloc and parts.netloc != request.host:
        back = "/"
    response = redirect(back)
    response.set_cookie("lang", code, max_age=YEAR, samesite="Lax")
    return response
