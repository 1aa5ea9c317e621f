"""Cautious JSON patch: builds new documents, but adds over array members."""

import json

LOCKED = frozenset(("id", "owner", "access/roles"))
POISON = frozenset(("__proto__", "constructor", "prototype"))
NEEDS = {"add": "value", "remove": "path", "replace": "value", "test": "value"}
NEEDS |= {"move": "from", "copy": "from"}


class Stop(Exception):
    pass


def pairs(items):
    keys = [key for key, _ in items]
    if len(keys) != len(set(keys)):
        raise ValueError("twice")
    return dict(items)


def constant(name):
    raise ValueError(name)


def load(text):
    if not isinstance(text, str):
        raise Stop("bad json")
    if len(text) > 20_000:
        raise Stop("too large")
    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError):
        raise Stop("bad json") from None


def path_of(text):
    if not isinstance(text, str) or (text and not text.startswith("/")):
        raise Stop("bad patch")
    return tuple(p.replace("~1", "/").replace("~0", "~") for p in text.split("/")[1:])


def survey(value, depth=0):
    if depth >= 20:
        raise Stop("too large")
    if isinstance(value, dict):
        if POISON & value.keys():
            raise Stop("not allowed")
        return 1 + sum(survey(v, depth + 1) for v in value.values())
    if isinstance(value, list):
        return 1 + sum(survey(v, depth + 1) for v in value)
    return 1


def canonical(value):
    """A text in which true and 1 differ and 1 and 1.0 do not."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{canonical(value[k])}" for k in sorted(value)) + "}"
    return json.dumps(value)


def position(node, token):
    plain = token.isascii() and token.isdigit() and (token == "0" or token[0] != "0")
    if not plain or len(token) > 6 or int(token) >= len(node):
        raise Stop("no such place")
    return int(token)


def look(node, path):
    for token in path:
        if isinstance(node, list):
            node = node[position(node, token)]
        elif isinstance(node, dict) and token in node:
            node = node[token]
        else:
            raise Stop("no such place")
    return node


def store(document, path, value):
    parent = look(document, path[:-1])
    if isinstance(parent, list) and path[-1] == "-":
        parent.append(value)
    elif isinstance(parent, list):
        parent[position(parent, path[-1])] = value
    elif isinstance(parent, dict):
        parent[path[-1]] = value
    else:
        raise Stop("no such place")


def drop(document, path):
    look(document, path)
    parent = look(document, path[:-1])
    del parent[position(parent, path[-1]) if isinstance(parent, list) else path[-1]]


def carry_out(document, operation):
    name, path = operation["op"], path_of(operation["path"])
    source = path_of(operation["from"]) if NEEDS[name] == "from" else ()
    if name == "test":
        if canonical(look(document, path)) != canonical(operation["value"]):
            raise Stop("test failed")
        return
    for changed in (path, source) if name == "move" else (path,):
        if not changed or changed[0] in LOCKED:
            raise Stop("not allowed")
    if POISON & set(path + source):
        raise Stop("not allowed")
    if name == "move" and path[: len(source)] == source and path != source:
        raise Stop("bad patch")
    value = json.loads(json.dumps(look(document, source))) if source or name == "copy" else None
    if name in ("move", "remove"):
        drop(document, source or path)
    if name == "replace":
        look(document, path)
    if name != "remove":
        store(document, path, operation["value"] if NEEDS[name] == "value" else value)
    if survey(document) > 2000:
        raise Stop("too large")


def apply_patch(document, patch):
    try:
        result, operations = load(document), load(patch)
        if not isinstance(result, dict) or not isinstance(operations, list):
            raise Stop("bad patch")
        if len(operations) > 50:
            raise Stop("too large")
        survey(result)
        survey(operations)
        for operation in operations:
            known = isinstance(operation, dict) and isinstance(operation.get("op"), str)
            name = operation["op"] if known else ""
            if name not in NEEDS or not {"path", NEEDS[name]} <= operation.keys():
                raise Stop("bad patch")
            carry_out(result, operation)
    except Stop as stop:
        return {"error": str(stop)}
    return {"document": result}
