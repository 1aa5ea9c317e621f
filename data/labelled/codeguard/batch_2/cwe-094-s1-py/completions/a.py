    environment = SandboxedEnvironment()
    try:
        return environment.from_string(template).render(
            name=customer["name"], city=customer["city"]
        )
    except jinja2.TemplateError as error:
        raise ValueError(f"the template does not work: {error}") from error
