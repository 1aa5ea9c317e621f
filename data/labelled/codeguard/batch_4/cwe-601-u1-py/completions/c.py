    if not (back.startswith("/") or back.startswith(request.host_url.rstrip("/"))):
        back = "/"
    resp = redirect(back, code=302)
    resp.set_cookie("lang", code, max_age=YEAR)
    return resp
