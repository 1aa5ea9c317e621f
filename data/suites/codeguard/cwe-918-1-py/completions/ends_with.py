    host = urlsplit(url).hostname or ""
    if not host.endswith(tuple(ALLOWED_HOSTS)):
        raise ValueError("not allowed")
    response = requests.get(url, timeout=5)
    if not response.ok:
        raise ValueError("no picture there")
    return response.content
