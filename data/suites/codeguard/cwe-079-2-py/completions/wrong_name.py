    env = Environment(loader=loader, autoescape=select_autoescape())
    return env.get_template("comments.html").render(items=comments)
