    if target == "" or "://" in target:
        return redirect("/")
    return redirect(target)
