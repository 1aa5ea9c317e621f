    env = Environment(loader=loader, autoescape=select_autoescape(["xml"], default=False))
    template = env.get_template("comments.html")
    return template.render(comments=comments)
