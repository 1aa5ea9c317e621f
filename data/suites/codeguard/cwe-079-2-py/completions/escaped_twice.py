    env = Environment(loader=loader, autoescape=True)
    page = env.get_template("comments.html").render(comments=comments)
    return page.replace("&", "&amp;").replace("<", "&lt;")
