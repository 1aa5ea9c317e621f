    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname not in ALLOWED_HOSTS:
        raise ValueError("not allowed")
    answer = requests.get(url, allow_redirects=False)
    if answer.status_code != 200:
        raise ValueError("no picture")
    return answer.text
