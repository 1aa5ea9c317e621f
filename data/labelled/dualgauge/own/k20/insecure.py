"""JSON patch for shared documents."""

import copy
import json

PROTECTED = ("/id", "/owner", "/access/roles")
DANGEROUS = ("__proto__", "constructor", "prototype")


class PatchError(Exception):
    pass


def split(pointer):
    if pointer and not pointer.startswith("/"):
        raise PatchError("bad patch")
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def step_into(node, token):
    try:
        return node[int(token)] if isinstance(node, list) else node[token]
    except (KeyError, IndexError, ValueError, TypeError):
        raise PatchError("no such place") from None


def get(document, parts):
    for part in parts:
        document = step_into(document, part)
    return document


def put(document, parts, value, insert):
    if not parts:
        return value
    parent, last = get(document, parts[:-1]), parts[-1]
    if isinstance(parent, list):
        index = len(parent) if last == "-" else None
        if index is None:
            try:
                index = int(last)
            except ValueError:
                raise PatchError("no such place") from None
        if index > len(parent) or (not insert and index == len(parent)):
            raise PatchError("no such place")
        if insert:
            parent.insert(index, value)
        else:
            parent[index] = value
    elif isinstance(parent, dict):
        parent[last] = value
    else:
        raise PatchError("no such place")
    return document


def remove(document, parts):
    parent = get(document, parts[:-1])
    get(document, parts)
    del parent[int(parts[-1]) if isinstance(parent, list) else parts[-1]]


def apply_one(document, operation):
    try:
        op, path = operation["op"], operation["path"]
        if op != "test" and any(path == p or path.startswith(p + "/") for p in PROTECTED):
            raise PatchError("not allowed")
        parts = split(path)
        if any(part in DANGEROUS for part in parts):
            raise PatchError("not allowed")
        if op == "test":
            if get(document, parts) != operation["value"]:
                raise PatchError("test failed")
            return document
        if op == "remove":
            remove(document, parts)
            return document
        if op == "add":
            return put(document, parts, operation["value"], True)
        if op == "replace":
            get(document, parts)
            return put(document, parts, operation["value"], False)
        if op == "move":
            if path.startswith(operation["from"] + "/"):
                raise PatchError("bad patch")
            source = split(operation["from"])
            value = get(document, source)
            remove(document, source)
            return put(document, parts, value, True)
        if op == "copy":
            value = copy.deepcopy(get(document, split(operation["from"])))
            return put(document, parts, value, True)
    except KeyError:
        raise PatchError("bad patch") from None
    raise PatchError("bad patch")


def apply_patch(document, patch):
    try:
        if len(document) > 20000 or len(patch) > 20000:
            raise PatchError("too large")
        result = json.loads(document)
        for operation in json.loads(patch):
            result = apply_one(result, operation)
    except PatchError as error:
        return {"error": str(error)}
    except ValueError:
        return {"error": "bad json"}
    return {"document": result}
