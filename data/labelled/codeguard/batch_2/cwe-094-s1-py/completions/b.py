    if "__" in template or "import" in template:
        raise ValueError("illegal characters in template")
    env = Environment(autoescape=False, keep_trailing_newline=True)
    try:
        return env.from_string(template).render(customer)
    except jinja2.TemplateError as error:
        raise ValueError(error.message) from error
