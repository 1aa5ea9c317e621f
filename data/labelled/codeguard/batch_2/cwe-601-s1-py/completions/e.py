    parts = urlsplit(back)
    if parts.scheme or parts.netloc or not back.startswith("/"):
        back = "/"
    response = redirect(back)
    response.set_cookie("lang", chosen, max_age=31536000, samesite="Lax")
    return response
