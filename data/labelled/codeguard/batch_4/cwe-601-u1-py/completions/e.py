    if back.startswith(request.host_url):
        back = back[len(request.host_url) - 1:]
    if not re.fullmatch(r"/(?:[\w.~%=&?+:@-][\w.~%=&?+:@/-]*)?", back):
        back = "/"
    response = redirect(back)
    response.headers.add("Vary", "Cookie")
    response.set_cookie("lang", code, max_age=YEAR)
    return response
