"""Guard for link previews (may this URL be fetched?) and signer of webhooks."""

import hashlib
import hmac
import ipaddress
import json
import re
from urllib.parse import urljoin

HOSTS_FILE = "test_dir/hosts.json"
PORTS = (80, 443, 8443)
DEFAULT_PORT = {"http": 80, "https": 443}
MAX_URL = 2048
REFUSED = {"allowed": False}

URL = re.compile(
    r"(?P<scheme>[Hh][Tt][Tt][Pp][Ss]?)://"
    r"(?P<host>[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<rest>[/?#][\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]*)?"
)
NUMERIC_LABEL = re.compile(r"[0-9]+|0[xX][0-9A-Fa-f]*")
# Ranges that carry an IPv4 address inside an IPv6 one: the inner address is what is reached.
WRAPPED = [ipaddress.ip_network(n) for n in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16")]

HEADER_TIME = re.compile(r"[0-9]{1,12}")
HEADER_SIGNATURE = re.compile(r"[0-9a-f]{64}")


def is_public(text):
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    if address.version == 6:
        if address.ipv4_mapped or any(address in network for network in WRAPPED):
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


class LinkGuard:
    def __init__(self, secret):
        self._secret = secret.encode("utf-8")

    def _addresses(self, host):
        """Where a host leads: an address leads to itself, a name to what the table says."""
        if host.startswith("["):
            return [host[1:-1]]
        if NUMERIC_LABEL.fullmatch(host.rsplit(".", 1)[-1]):
            return [host]
        with open(HOSTS_FILE, encoding="utf-8") as table:
            return json.load(table).get(host, [])

    def check_url(self, url):
        if not isinstance(url, str) or len(url) > MAX_URL:
            return dict(REFUSED)
        match = URL.fullmatch(url)
        if match is None:
            return dict(REFUSED)
        port = int(match["port"] or DEFAULT_PORT[match["scheme"].lower()])
        host = match["host"].lower().removesuffix(".")
        addresses = self._addresses(host)
        if port not in PORTS or not addresses or not all(map(is_public, addresses)):
            return dict(REFUSED)
        return {"allowed": True, "host": host.strip("[]"), "port": port}

    def follow(self, url, location):
        if not self.check_url(url)["allowed"] or not isinstance(location, str):
            return dict(REFUSED)
        if len(location) > MAX_URL or re.search(r"[^\x21-\x7e]|[\\\"<>]", location):
            return dict(REFUSED)
        try:
            target = urljoin(url, location)
        except ValueError:
            return dict(REFUSED)
        downgraded = url.lower().startswith("https:") and not target.lower().startswith("https:")
        if downgraded or not self.check_url(target)["allowed"]:
            return dict(REFUSED)
        return {"allowed": True, "url": target}

    def _signature(self, time, payload):
        message = f"{time}.{payload}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    def sign(self, payload, now):
        return f"t={now},v1={self._signature(now, payload)}"

    def verify(self, payload, header, now):
        if not isinstance(payload, str) or not isinstance(header, str) or type(now) is not int:
            return False
        fields = [part.partition("=") for part in header.split(",")]
        times = [value for key, _, value in fields if key == "t"]
        signatures = [value for key, _, value in fields if key == "v1"]
        if len(times) != 1 or len(signatures) != 1:
            return False
        if not HEADER_TIME.fullmatch(times[0]) or not HEADER_SIGNATURE.fullmatch(signatures[0]):
            return False
        if not -30 <= now - int(times[0]) <= 300:
            return False
        return hmac.compare_digest(self._signature(times[0], payload), signatures[0])
