    if not target.startswith("/"):
        target = "/"
    return redirect(target)
