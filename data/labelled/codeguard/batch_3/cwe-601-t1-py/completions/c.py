    target = request.form.get("back") or HOME
    return redirect(target, code=303)
