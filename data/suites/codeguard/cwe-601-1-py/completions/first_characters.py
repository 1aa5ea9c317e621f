    if target[:1] == "/" and target[1:2] not in ("/", "\\") and target.isprintable():
        return redirect(target)
    return redirect("/")
