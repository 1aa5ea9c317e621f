    return redirect("/")
