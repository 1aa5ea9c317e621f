    if not back.startswith("/"):
        back = "/"
    resp = make_response(redirect(back, code=303))
    resp.set_cookie("lang", value=chosen, httponly=True)
    return resp
