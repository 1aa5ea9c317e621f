    field = request.form.get("back", "")
    address = re.fullmatch(
        r"(?P<site>https?://(?P<host>[a-z0-9.-]+)(?::\d{1,5})?)?(?P<rest>/[!-\[\]-~]*)?",
        field,
        flags=re.IGNORECASE,
    )
    if address is None:
        return redirect(HOME, code=303)
    site, host, rest = address.group("site", "host", "rest")
    if host is not None:
        labels = host.lower().split(".")
        mine = host.lower() == request.host.lower().split(":")[0]
        if not mine and labels[-2:] != SHOP.split("."):
            return redirect(HOME, code=303)
    # one slash in front, however many were typed
    page = "/" + (rest or "").lstrip("/")
    return redirect((site or "") + page, code=303)
