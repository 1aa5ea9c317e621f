    host = urlsplit(url).hostname
    if host not in ALLOWED_HOSTS:
        raise ValueError("not allowed")
    return requests.get(url, allow_redirects=False).content
