    try:
        return Template(template).render(**customer)
    except jinja2.TemplateError as e:
        raise ValueError("Invalid template") from e
