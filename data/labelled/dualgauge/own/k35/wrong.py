"""Link normaliser: a small scanner over the characters, with an allow list behind it."""

import re
import string

SAFE = set(string.ascii_letters + string.digits + "-._~")
VALID = SAFE | set(":/?#@!$&'()*+,;=%[]")
DEFAULTS = {"http": "80", "https": "443"}


class Unusable(ValueError):
    pass


def scan(text):
    """Decodes what needs no escape, once; hexadecimal digits in upper case."""
    result, at = "", 0
    while at < len(text):
        if text[at] != "%":
            result += text[at]
            at += 1
            continue
        digits = text[at + 1 : at + 3]
        if len(digits) != 2 or not set(digits) <= set(string.hexdigits):
            raise Unusable
        char = chr(int(digits, 16))
        if char < " " or char == "\x7f":
            raise Unusable
        result += char if char in SAFE else "%" + digits.upper()
        at += 3
    return result


def authority(text, scheme):
    name, colon, port = text.partition(":")
    if colon and (not port.isdigit() or port.startswith("0") or int(port) >= 65535):
        raise Unusable
    name = name.lower().rstrip(".")
    labels = name.split(".")
    for label in labels:
        if not re.fullmatch("[a-z0-9-]{1,63}", label) or label[0] == "-" or label[-1] == "-":
            raise Unusable
    if len(name) > 253 or not labels[-1][0].isalpha():
        raise Unusable
    return name, port or DEFAULTS[scheme]


def simplify(path):
    text = scan(path)
    if "%2F" in text or "%5C" in text:
        raise Unusable
    stack = []
    for part in text.split("/"):
        if part == "..":
            stack = stack[:-1]
        elif part not in (".", ""):
            stack.append(part)
    return "/" + "/".join(stack)


def parameters(query):
    pairs, names = [], []
    for piece in query.split("&"):
        if piece:
            name, sign, value = scan(piece.replace("+", "%20")).partition("=")
            if name in names:
                raise Unusable
            names.append(name)
            if not name.startswith("utm"):
                pairs.append(f"{name}={value}" if sign else name)
    return "&".join(sorted(pairs, reverse=False))


def normalise(url):
    if not isinstance(url, str) or len(url) > 2000 or not set(url) <= VALID:
        raise Unusable
    scheme, mark, rest = url.partition("://")
    if not mark or scheme.lower() not in DEFAULTS:
        raise Unusable
    rest = rest.partition("#")[0]
    before, _, query = rest.partition("?")
    host, slash, path = before.partition("/")
    name, port = authority(host, scheme.lower())
    return scheme.lower(), name, port, simplify(path), parameters(query)


def fits(rule, scheme, name, port, path):
    kind, _, rest = rule.partition("://")
    host, slash, prefix = rest.partition("/")
    host, _, wanted = host.partition(":")
    if kind != scheme or (wanted or DEFAULTS[kind]) != port:
        return False
    if host.startswith("*."):
        if not name.endswith(host[1:]):
            return False
    elif host != name:
        return False
    return not prefix or (path + "/").startswith(f"/{prefix}/")


def check_link(url, allowed):
    try:
        scheme, name, port, path, query = normalise(url)
    except Unusable:
        return {"error": "bad url"}
    address = name if port == DEFAULTS[scheme] else f"{name}:{port}"
    full = f"{scheme}://{address}{path}" + ("?" + query if query else "")
    return {"url": full, "allowed": any(fits(r, scheme, name, port, path) for r in allowed)}
