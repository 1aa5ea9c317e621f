    environment = Environment(loader=loader, autoescape=True)
    template = environment.get_template("comments.html")
    return template.render({"comments": comments})
