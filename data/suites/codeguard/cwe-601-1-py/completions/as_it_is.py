    return redirect(target or "/")
