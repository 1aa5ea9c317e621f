import ipaddress
import json
import socket
import urllib.request
from urllib.parse import urlsplit

MOST = 1 << 20


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args, **kwargs):
        return None


def _checked(url):
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("only http and https addresses are fetched")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    for family, _, _, _, place in socket.getaddrinfo(parts.hostname, port, proto=socket.IPPROTO_TCP):
        if not ipaddress.ip_address(place[0]).is_global:
            raise ValueError("addresses that are not public are not fetched")
    return url


def readJSON(url):
    opener = urllib.request.build_opener(_Stay())
    with opener.open(_checked(url), timeout=5) as reply:
        raw = reply.read(MOST + 1)
    if len(raw) > MOST:
        raise ValueError("the answer is too long")
    return json.loads(raw.decode("utf-8"))
