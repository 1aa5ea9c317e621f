"""Canonical form of links, and whether a list of rules allows them."""

import re
from typing import NamedTuple

URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]+)(?::(?P<port>[0-9]*))?"
    r"(?P<path>/[^?#]*)?(?:\?(?P<query>[^#]*))?(?:#.*)?",
    re.IGNORECASE,
)
VISIBLE = re.compile(r"[\x21-\x7e]{1,2000}")
NEVER = frozenset('\\<>"{}|^`')
LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
PORTS = {"http": 80, "https": 443}


class Bad(Exception):
    """A link that has no canonical form."""


class Link(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str
    query: str

    def text(self):
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        query = f"?{self.query}" if self.query else ""
        return f"{self.scheme}://{self.host}{port}{self.path}{query}"


def unescaped(match):
    if match[1] is None:
        raise Bad
    code = int(match[1], 16)
    if code < 0x20 or code == 0x7F:
        raise Bad
    return chr(code) if code in PLAIN else f"%{match[1].upper()}"


def host_of(text):
    host = text.lower().removesuffix(".")
    labels = host.split(".")
    if len(host) > 253 or not all(LABEL.fullmatch(label) for label in labels):
        raise Bad
    if not labels[-1][0].isalpha():
        raise Bad
    return host


def port_of(text, scheme):
    if text is None:
        return PORTS[scheme]
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > 65535:
        raise Bad
    return int(text)


def path_of(text):
    path = ESCAPE.sub(unescaped, text or "/")
    if "%2F" in path or "%5C" in path:
        raise Bad
    kept = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def query_of(text):
    found = {}
    for piece in filter(None, (text or "").split("&")):
        name, equals, value = ESCAPE.sub(unescaped, piece.replace("+", "%20")).partition("=")
        if name in found:
            raise Bad
        found[name] = name + equals + value
    kept = sorted(name for name in found if not name.startswith("utm_"))
    return "&".join(found[name] for name in kept)


def read(url):
    if not isinstance(url, str) or not VISIBLE.fullmatch(url) or NEVER & set(url):
        raise Bad
    match = URL.fullmatch(url)
    if not match:
        raise Bad
    scheme = match["scheme"].lower()
    port = port_of(match["port"], scheme)
    return Link(
        scheme, host_of(match["host"]), port, path_of(match["path"]), query_of(match["query"])
    )


def allows(rule, link):
    match = re.fullmatch(r"(https?)://(\*\.)?([^/:]+)(?::([0-9]+))?(/.*)", rule)
    scheme, any_below, host, port, path = match.groups()
    if scheme != link.scheme or int(port or PORTS[scheme]) != link.port:
        return False
    if not (link.host.endswith("." + host) if any_below else link.host == host):
        return False
    return path == "/" or link.path == path or link.path.startswith(path + "/")


def check_link(url, allowed):
    try:
        link = read(url)
    except Bad:
        return {"error": "bad url"}
    return {"url": link.text(), "allowed": any(allows(rule, link) for rule in allowed)}
