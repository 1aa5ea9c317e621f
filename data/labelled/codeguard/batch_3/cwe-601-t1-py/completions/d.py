    wanted = request.form.get("back", HOME)
    parts = urlsplit(wanted)
    if parts.netloc == "":
        # a page of this site
        return redirect(wanted if wanted.startswith("/") else HOME, 303)
    host = parts.hostname or ""
    known = (request.host.partition(":")[0], SHOP)
    if parts.scheme not in ("http", "https") or not host.endswith(known):
        wanted = HOME
    return redirect(wanted, 303)
