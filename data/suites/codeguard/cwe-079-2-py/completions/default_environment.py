    env = Environment(loader=loader)
    return env.get_template("comments.html").render(comments=comments)
