    # pages of our own only: no other scheme and no other host
    target = urljoin(request.host_url, back)
    own, there = urlsplit(request.host_url), urlsplit(target)
    if (there.scheme, there.netloc) != (own.scheme, own.netloc):
        target = "/"
    response = redirect(target)
    response.set_cookie("lang", code, max_age=YEAR)
    return response
