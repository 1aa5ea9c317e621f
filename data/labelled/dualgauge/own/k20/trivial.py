"""Allows no patch."""


def apply_patch(document, patch):
    return {"error": "not allowed"}
