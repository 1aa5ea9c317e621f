    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or parts.hostname not in ALLOWED_HOSTS:
        raise ValueError("this host is not allowed")
    answer = requests.get(url, timeout=10, allow_redirects=False)
    if answer.status_code != 200:
        raise ValueError(f"status {answer.status_code}")
    return answer.content
