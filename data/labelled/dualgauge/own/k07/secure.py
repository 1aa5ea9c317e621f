"""Settings loader: a YAML document laid over fixed defaults."""

import yaml

MAX_CHARS = 65_536
MAX_DEPTH = 30
MAX_WEIGHT = 20_000
LEVELS = ("debug", "info", "warning", "error")


class InvalidDocument(Exception):
    pass


class InvalidValue(Exception):
    pass


def _text(low, high):
    return lambda v: isinstance(v, str) and low <= len(v) <= high


def _whole(low, high):
    return lambda v: type(v) is int and low <= v <= high


def _seconds(v):
    return type(v) in (int, float) and 0 < v <= 300


def _hosts(v):
    return isinstance(v, list) and len(v) <= 10 and all(_text(1, 253)(h) for h in v)


RULES = (
    ("app_name", "app", _text(1, 40)),
    ("port", 8080, _whole(1, 65535)),
    ("debug", False, lambda v: isinstance(v, bool)),
    ("log_level", "info", lambda v: isinstance(v, str) and v in LEVELS),
    ("timeout", 30, _seconds),
    ("allowed_hosts", [], _hosts),
)
DATABASE_RULES = (
    ("host", "localhost", _text(1, 253)),
    ("port", 5432, _whole(1, 65535)),
    ("pool_size", 5, _whole(1, 50)),
)


def _check_depth(document):
    """Walk the event stream, which needs no stack, before anything recursive sees the text."""
    depth = 0
    for event in yaml.parse(document, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise InvalidDocument


def _weight(node, known):
    """Size of a node with every alias written out; a node inside itself is infinitely heavy."""
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = float("inf")
    total = 1
    if isinstance(node, yaml.SequenceNode):
        total += sum(_weight(child, known) for child in node.value)
    elif isinstance(node, yaml.MappingNode):
        total += sum(_weight(k, known) + _weight(v, known) for k, v in node.value)
    known[id(node)] = total
    return total


def _parse(document):
    if not isinstance(document, str) or len(document) > MAX_CHARS:
        raise InvalidDocument
    try:
        _check_depth(document)
        node = yaml.compose(document, Loader=yaml.SafeLoader)
        if node is None:
            return {}
        if _weight(node, {}) > MAX_WEIGHT:
            raise InvalidDocument
        data = yaml.SafeLoader("").construct_document(node)
    except (yaml.YAMLError, ValueError) as error:
        raise InvalidDocument from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise InvalidDocument
    return data


def _pick(data, rules, prefix=""):
    chosen = {}
    for key, default, accepts in rules:
        value = data.get(key)
        if value is None:
            value = list(default) if isinstance(default, list) else default
        elif not accepts(value):
            raise InvalidValue(prefix + key)
        chosen[key] = value
    return chosen


def load_settings(document):
    try:
        data = _parse(document)
        settings = _pick(data, RULES)
        database = data.get("database")
        if database is None:
            database = {}
        if not isinstance(database, dict):
            raise InvalidValue("database")
        settings["database"] = _pick(database, DATABASE_RULES, "database.")
    except InvalidDocument:
        return {"ok": False, "error": "invalid document"}
    except InvalidValue as error:
        return {"ok": False, "error": f"invalid value: {error}"}
    settings["system"] = {"edition": "community", "is_admin": False}
    return {"ok": True, "settings": settings}
