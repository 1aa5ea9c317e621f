"""LinkGuard: checks URLs against the host table and signs webhook payloads."""

import hashlib
import hmac
import ipaddress
import json
import socket
from pathlib import Path
from urllib.parse import urljoin, urlsplit

FORBIDDEN_CHARACTERS = set('\\"<>')


class LinkGuard:
    def __init__(self, secret):
        self.key = secret.encode("utf-8")
        self.hosts = json.loads(Path("test_dir/hosts.json").read_text(encoding="utf-8"))

    def _lookup(self, host):
        try:
            return ipaddress.ip_address(host)
        except ValueError:
            pass
        if host in self.hosts:
            return ipaddress.ip_address(self.hosts[host][0])
        return ipaddress.ip_address(socket.gethostbyname(host))

    def _parse(self, url):
        """(scheme, host, port) of an acceptable URL, else ValueError."""
        if not isinstance(url, str) or len(url) > 2048:
            raise ValueError("not a URL")
        if not url.isascii() or not url.isprintable() or " " in url:
            raise ValueError("character")
        if set(url) & FORBIDDEN_CHARACTERS:
            raise ValueError("character")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or "@" in parts.netloc or not parts.hostname:
            raise ValueError("form")
        port = parts.port if parts.port is not None else (443 if parts.scheme == "https" else 80)
        if port not in (80, 443, 8443):
            raise ValueError("port")
        return parts.scheme, parts.hostname.removesuffix("."), port

    def check_url(self, url):
        try:
            _, host, port = self._parse(url)
            address = self._lookup(host)
        except (ValueError, IndexError, OSError):
            return {"allowed": False}
        if address.is_private or address.is_loopback or address.is_link_local:
            return {"allowed": False}
        return {"allowed": True, "host": host, "port": port}

    def follow(self, url, location):
        if not isinstance(location, str) or not self.check_url(url)["allowed"]:
            return {"allowed": False}
        try:
            target = urljoin(url, location)
        except ValueError:
            return {"allowed": False}
        if not self.check_url(target)["allowed"]:
            return {"allowed": False}
        if urlsplit(url).scheme == "https" and urlsplit(target).scheme != "https":
            return {"allowed": False}
        return {"allowed": True, "url": target}

    def _mac(self, time, payload):
        return hmac.new(self.key, f"{time}.{payload}".encode(), hashlib.sha256).hexdigest()

    def sign(self, payload, now):
        return f"t={now},v1={self._mac(now, payload)}"

    @staticmethod
    def _equal(expected, given):
        """Compare every character, so that the time does not tell where they differ."""
        difference = 0
        for a, b in zip(expected, given):
            difference |= ord(a) ^ ord(b)
        return difference == 0

    def verify(self, payload, header, now):
        if not isinstance(header, str) or not isinstance(payload, str):
            return False
        time, signatures = None, []
        for part in header.split(","):
            key, _, value = part.partition("=")
            if key == "t" and value.isdigit():
                time = int(value)
            elif key == "v1":
                signatures.append(value)
        if time is None or now - time > 300 or time - now > 30:
            return False
        expected = self._mac(time, payload)
        return any(self._equal(expected, signature) for signature in signatures)
