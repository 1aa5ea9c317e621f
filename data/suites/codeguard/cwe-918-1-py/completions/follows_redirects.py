    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname not in ALLOWED_HOSTS:
        raise ValueError("not allowed")
    response = requests.get(url, timeout=5)
    if response.status_code != 200:
        raise ValueError("status %s" % response.status_code)
    return response.content
