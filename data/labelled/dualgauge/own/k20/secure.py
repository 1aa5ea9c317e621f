"""Applies a JSON patch to a shared document within fixed bounds."""

import copy
import json
import re

PROTECTED = {"id", "owner", "access/roles"}
DANGEROUS = {"__proto__", "constructor", "prototype"}
FIELDS = {"add": "value", "replace": "value", "test": "value", "move": "from", "copy": "from"}
INDEX = re.compile(r"0|[1-9][0-9]{0,5}")
MAX_TEXT, MAX_OPERATIONS, MAX_VALUES, MAX_DEPTH = 20_000, 50, 2000, 20


class Refused(Exception):
    """A patch that is not applied; its text is the reason."""


def require(condition, reason):
    if not condition:
        raise Refused(reason)


def unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def no_constant(name):
    raise ValueError(name)


def read(text):
    require(isinstance(text, str), "bad json")
    require(len(text) <= MAX_TEXT, "too large")
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
    except ValueError:
        raise Refused("bad json") from None
    except RecursionError:
        raise Refused("too large") from None


def tokens(pointer):
    require(isinstance(pointer, str) and (not pointer or pointer[0] == "/"), "bad patch")
    require(not re.search("~(?![01])", pointer), "bad patch")
    return [t.replace("~1", "/").replace("~0", "~") for t in pointer.split("/")[1:]]


def measure(value, depth=1):
    """The number of values in a value; refuses what is nested too deeply or has bad keys."""
    require(depth <= MAX_DEPTH, "too large")
    if not isinstance(value, (dict, list)):
        return 1
    inner = value.values() if isinstance(value, dict) else value
    require(not (isinstance(value, dict) and DANGEROUS & set(value)), "not allowed")
    return 1 + sum(measure(v, depth + 1) for v in inner)


def same(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def place(parent, token, end=0):
    """The key or index that a token means in its parent; `end` is 1 where a list may grow."""
    if isinstance(parent, dict):
        return token
    require(isinstance(parent, list), "no such place")
    if token == "-" and end:
        return len(parent)
    require(INDEX.fullmatch(token) and int(token) < len(parent) + end, "no such place")
    return int(token)


def find(document, path):
    for token in path:
        key = place(document, token)
        require(not isinstance(document, dict) or key in document, "no such place")
        document = document[key]
    return document


def add(document, path, value):
    parent = find(document, path[:-1])
    key = place(parent, path[-1], end=1)
    if isinstance(parent, dict):
        parent[key] = value
    else:
        parent.insert(key, value)


def take(document, path):
    value, parent = find(document, path), find(document, path[:-1])
    del parent[place(parent, path[-1])]
    return value


def step(operation):
    """(name, path, from or None, value or None) of one operation."""
    require(isinstance(operation, dict) and isinstance(operation.get("op"), str), "bad patch")
    name = operation["op"]
    require(name in {*FIELDS, "remove"}, "bad patch")
    require(FIELDS.get(name, "op") in operation and "path" in operation, "bad patch")
    path = tokens(operation["path"])
    source = tokens(operation["from"]) if name in ("move", "copy") else None
    require(name != "move" or path[: len(source)] != source or path == source, "bad patch")
    return name, path, source, operation.get("value")


def allowed(name, path, source):
    if name == "test":
        return True
    changed = [path, source] if name == "move" else [path]
    named = [*path, *(source or [])]
    return all(p and p[0] not in PROTECTED for p in changed) and not DANGEROUS & set(named)


def change(document, name, path, source, value):
    require(allowed(name, path, source), "not allowed")
    if name == "test":
        require(same(find(document, path), value), "test failed")
    elif name == "move":
        add(document, path, take(document, source))
    elif name == "remove":
        take(document, path)
    elif name == "replace":
        find(document, path)
        parent = find(document, path[:-1])
        parent[place(parent, path[-1])] = value
    else:
        add(document, path, copy.deepcopy(find(document, source)) if source is not None else value)
    require(measure(document) <= MAX_VALUES, "too large")


def apply_patch(document, patch):
    try:
        result, operations = read(document), read(patch)
        require(isinstance(result, dict), "bad json")
        require(isinstance(operations, list), "bad patch")
        require(len(operations) <= MAX_OPERATIONS, "too large")
        measure(result)
        measure(operations)
        for operation in [step(o) for o in operations]:
            change(result, *operation)
    except Refused as refused:
        return {"error": str(refused)}
    return {"document": result}
