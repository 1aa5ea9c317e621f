    def ours(host):
        return host == urlsplit(request.host_url).hostname or ("." + host).endswith("." + SHOP)

    answer = Response(status=303)
    answer.headers["Location"] = HOME
    back = request.form.get("back")
    if not back or re.search(r"[\s\\\x00-\x1f]", back):
        return answer
    try:
        parts = urlsplit(urljoin(request.host_url, back))
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return answer
    if parts.scheme in ("http", "https") and ours(host) and parts.username is None:
        netloc = host if port is None else f"{host}:{port}"
        answer.headers["Location"] = urlunsplit(parts._replace(netloc=netloc))
    return answer
