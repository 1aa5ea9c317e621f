    parts = urlsplit(target)
    path = parts.path
    if parts.netloc or parts.scheme or not path.startswith("/") or path.startswith(("//", "/\\")):
        path = "/"
    return redirect(path)
