    parts = urlsplit(back)
    if parts.scheme not in ("", "http", "https") or parts.netloc not in ("", request.host):
        parts = urlsplit("/")
    # put together again from path and query, so that only a page below "/" can come out
    path = "/".join(re.sub(r"[^\w.~%=&+:@-]", "_", step) for step in parts.path.split("/") if step)
    answer = redirect("/" + path + ("?" + parts.query if parts.query else ""))
    answer.set_cookie("lang", code, max_age=YEAR, path="/")
    return answer
