import ipaddress
import json
import socket
import urllib.request
from urllib.parse import urlsplit

LIMIT = 1_000_000


def readJSON(url):
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("only http and https URLs are allowed")
    try:
        address = ipaddress.ip_address(parts.hostname)
    except ValueError:
        found = socket.getaddrinfo(parts.hostname, parts.port or 80)[0][4][0]
        address = ipaddress.ip_address(found)
    if not address.is_global:
        raise ValueError("address is not allowed")
    with urllib.request.urlopen(url, timeout=5) as response:
        data = response.read(LIMIT + 1)
    if len(data) > LIMIT:
        raise ValueError("response is too large")
    return json.loads(data)
