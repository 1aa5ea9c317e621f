    env = Environment(loader=loader, autoescape=select_autoescape(["html", "xml"]))
    return env.get_template("comments.html").render(comments=comments)
