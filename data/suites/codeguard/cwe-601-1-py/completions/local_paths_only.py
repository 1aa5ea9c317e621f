    parts = urlsplit(target)
    if parts.scheme or parts.netloc or "\\" in target or not target.startswith("/") or target.startswith("//"):
        target = "/"
    return redirect(target)
