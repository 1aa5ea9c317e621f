    target = urljoin(request.host_url, back)
    site, wanted = urlsplit(request.host_url), urlsplit(target)
    if (wanted.scheme, wanted.netloc) != (site.scheme, site.netloc):
        target = request.host_url
    response = make_response("", 302)
    response.headers["Location"] = target
    response.set_cookie("lang", chosen)
    return response
