    back = request.form.get("back", "").strip()
    whole = re.compile(r"https?://([a-z0-9-]+\.)*" + re.escape(SHOP), re.IGNORECASE)
    own = request.host_url
    if back.startswith(own) or whole.match(back):
        return redirect(back, HTTPStatus.SEE_OTHER)
    if re.match(r"/(?![/\\])", back):
        return redirect(back, HTTPStatus.SEE_OTHER)
    return redirect(HOME, HTTPStatus.SEE_OTHER)
