"""Settings service: safe YAML loading, schema validation, fixed system block."""

import yaml

MAX_CHARS = 65536
MAX_NESTING = 20

SCHEMA = {
    "app_name": ("app", lambda v: isinstance(v, str) and 1 <= len(v) <= 40),
    "port": (8080, lambda v: type(v) is int and 1 <= v <= 65535),
    "debug": (False, lambda v: type(v) is bool),
    "log_level": ("info", lambda v: v in ["debug", "info", "warning", "error"]),
    "timeout": (30, lambda v: type(v) in (int, float) and 0 < v <= 300),
    "allowed_hosts": (
        [],
        lambda v: isinstance(v, list)
        and len(v) <= 10
        and all(isinstance(h, str) and 1 <= len(h) <= 253 for h in v),
    ),
    "database": {
        "host": ("localhost", lambda v: isinstance(v, str) and 1 <= len(v) <= 253),
        "port": (5432, lambda v: type(v) is int and 1 <= v <= 65535),
        "pool_size": (5, lambda v: type(v) is int and 1 <= v <= 50),
    },
}


def nesting(value):
    """How deep do containers lie inside each other?"""
    if isinstance(value, dict):
        return 1 + max((nesting(v) for v in value.values()), default=0)
    if isinstance(value, list):
        return 1 + max((nesting(v) for v in value), default=0)
    return 0


def failure(message):
    return {"ok": False, "error": message}


def apply_schema(schema, data, prefix=""):
    result = {}
    for key, rule in schema.items():
        value = data.get(key)
        if isinstance(rule, dict):
            if value is None:
                value = {}
            if not isinstance(value, dict):
                raise ValueError(f"invalid value: {prefix}{key}")
            result[key] = apply_schema(rule, value, f"{prefix}{key}.")
            continue
        default, valid = rule
        if value is None:
            result[key] = default
        elif valid(value):
            result[key] = value
        else:
            raise ValueError(f"invalid value: {prefix}{key}")
    return result


def load_settings(document):
    if not isinstance(document, str) or len(document) > MAX_CHARS:
        return failure("invalid document")
    try:
        data = yaml.safe_load(document)
    except (yaml.YAMLError, ValueError):
        return failure("invalid document")
    if data is None:
        data = {}
    if not isinstance(data, dict) or nesting(data) > MAX_NESTING:
        return failure("invalid document")
    try:
        settings = apply_schema(SCHEMA, data)
    except ValueError as error:
        return failure(str(error))
    settings["system"] = {"edition": "community", "is_admin": False}
    return {"ok": True, "settings": settings}
