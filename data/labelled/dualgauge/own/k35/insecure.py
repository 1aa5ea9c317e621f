"""Normalises links and checks them against an allow list."""

import posixpath
import re
from urllib.parse import quote, unquote, urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}
HOST = re.compile(r"^[\w.-]+$")
BAD_CHARS = set('<>"{}|^` ')


def fully_unquote(text):
    """Decode until nothing changes, so that nested encodings hide nothing."""
    while True:
        decoded = unquote(text)
        if decoded == text:
            return text
        text = decoded


def clean_path(path):
    if re.search(r"%(?![0-9A-Fa-f]{2})", path) or re.search("%2f|%5c|%00", path, re.I):
        return None
    decoded = fully_unquote(path) or "/"
    trailing = decoded.endswith(("/", "/.", "/.."))
    parts = []
    for part in decoded.split("/")[1:]:
        if part == "..":
            parts = parts[:-1]
        elif part != ".":
            parts.append(part)
    if trailing and (not parts or parts[-1] != ""):
        parts.append("")
    return quote("/" + "/".join(parts), safe="/:@!$&'()*+,;=~-._")


def normal_code(match):
    char = chr(int(match[1], 16))
    return char if char.isascii() and (char.isalnum() or char in "-._~") else match[0].upper()


def clean_query(query):
    if re.search(r"%(?![0-9A-Fa-f]{2})", query):
        return None
    pieces = []
    seen = set()
    for piece in query.split("&"):
        name = piece.split("=")[0]
        if not piece or name.startswith("utm_"):
            continue
        if name in seen:
            return None
        seen.add(name)
        text = re.sub("%([0-9A-Fa-f]{2})", normal_code, piece.replace("+", "%20"))
        pieces.append((text.split("=")[0], text))
    return "&".join(text for _, text in sorted(pieces))


def matches(rule, scheme, host, port, path):
    parts = urlsplit(rule)
    if parts.scheme != scheme or (parts.port or DEFAULT_PORTS[scheme]) != port:
        return False
    if parts.hostname.startswith("*."):
        if not host.endswith(parts.hostname[2:]) or host == parts.hostname[2:]:
            return False
    elif parts.hostname != host:
        return False
    return path.startswith(parts.path)


def check_link(url, allowed):
    if not url or len(url) > 2000 or any(c in BAD_CHARS for c in url):
        return {"error": "bad url"}
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return {"error": "bad url"}
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname:
        return {"error": "bad url"}
    if parts.username is not None or port == 0 or parts.netloc.endswith(":"):
        return {"error": "bad url"}
    host = parts.hostname.lower()
    if host.endswith("."):
        host = host[:-1]
    if not HOST.match(host) or len(host) > 253 or re.fullmatch(r"\d+\.\d+\.\d+\.\d+", host):
        return {"error": "bad url"}
    if any(not 1 <= len(label) <= 63 or label.strip("-") != label for label in host.split(".")):
        return {"error": "bad url"}
    path, query = clean_path(parts.path), clean_query(parts.query)
    if path is None or query is None:
        return {"error": "bad url"}
    port = port or DEFAULT_PORTS[parts.scheme]
    shown = "" if port == DEFAULT_PORTS[parts.scheme] else f":{port}"
    result = f"{parts.scheme}://{host}{shown}{path}" + (f"?{query}" if query else "")
    ok = any(matches(rule, parts.scheme, host, port, posixpath.join("/", path)) for rule in allowed)
    return {"url": result, "allowed": ok}
