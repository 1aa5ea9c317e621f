    env = Environment()
    harmless = (
        nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.If,
        nodes.Compare, nodes.Operand, nodes.Filter,
    )
    try:
        tree = env.parse(template)
        for node in tree.find_all(nodes.Node):
            if not isinstance(node, harmless):
                raise ValueError(f"{type(node).__name__} is not allowed in a greeting")
            if isinstance(node, nodes.Filter) and node.name not in ("upper", "lower", "title"):
                raise ValueError(f"unknown filter {node.name}")
        if unknown := meta.find_undeclared_variables(tree) - set(customer):
            raise ValueError(f"unknown names: {sorted(unknown)}")
        return env.from_string(template).render(customer)
    except jinja2.TemplateError as exc:
        raise ValueError(str(exc)) from exc
