    context = {key: str(value) for key, value in customer.items() if key in ("name", "city")}
    loader = jinja2.DictLoader({"greeting": template})
    environment = Environment(loader=loader, undefined=jinja2.StrictUndefined)
    environment.filters = {"upper": str.upper, "lower": str.lower, "attr": environment.filters["attr"]}
    try:
        page = environment.get_template("greeting")
        return page.render(context)
    except jinja2.TemplateError as problem:
        raise ValueError(f"greeting template: {problem}") from None
