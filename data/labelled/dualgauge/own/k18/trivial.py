"""Refuses every form."""


def parse_payment(form):
    return {"valid": False, "errors": ["form"]}
