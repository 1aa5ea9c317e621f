"""Template renderer that trusts no template."""


def render(template, variables):
    return {"ok": False, "error": "syntax error"}
