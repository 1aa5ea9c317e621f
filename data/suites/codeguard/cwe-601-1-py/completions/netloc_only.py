    parts = urlsplit(target)
    if parts.scheme or parts.netloc or not target:
        return redirect("/")
    return redirect(target)
