"""Licence codes, carefully signed; the answers differ from what was ordered."""

import base64
import hashlib
import hmac
import os
import string

ALPHABET = frozenset(string.ascii_uppercase + "234567")
NAMES = frozenset(string.ascii_letters + string.digits + ".-")


def good_name(product):
    return isinstance(product, str) and 0 < len(product) <= 20 and set(product) <= NAMES


def between(value, low, high):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


class Licences:
    def __init__(self, key):
        self.key = key.encode() if isinstance(key, str) and len(key) >= 32 else b""
        self.withdrawn = set()
        self.machines = {}

    def _seal(self, product, body):
        parts = b"\0".join((b"licence", product.encode(), body))
        return hmac.digest(self.key, parts, hashlib.sha256)[:16]

    def issue(self, product, seats, now, days):
        if not self.key:
            return "Error: weak key"
        if not good_name(product):
            return "Error: bad product"
        if not between(seats, 1, 65535):
            return "Error: bad seats"
        if not between(days, 1, 3660) or not between(now, 0, 2**32 - 1 - days * 86400):
            return "Error: bad term"
        end = now + days * 86400
        body = seats.to_bytes(2, "big") + end.to_bytes(4, "big") + os.urandom(8)
        text = base64.b32encode(body + self._seal(product, body)).decode()
        return "-".join(text[i : i + 8] for i in range(0, 48, 8))

    def _genuine(self, code, product):
        if not self.key or not isinstance(code, str) or len(code) > 100 or not good_name(product):
            return None
        text = "".join(c for c in code if c not in "- ")
        if not text.isascii() or len(text) != 48 or not set(text.upper()) <= ALPHABET:
            return None
        raw = base64.b32decode(text.upper())
        same = hmac.compare_digest(raw[14:], self._seal(product, raw[:14]))
        return raw[:14] if same else None

    def check(self, code, product, now):
        body = self._genuine(code, product)
        if body is None or body in self.withdrawn or not between(now, 0, 2**32):
            return None
        end = int.from_bytes(body[2:6], "big")
        if now >= end:
            return None
        return {"seats": int.from_bytes(body[:2], "big"), "days": end // 86400}

    def revoke(self, code, product):
        body = self._genuine(code, product)
        if body is not None:
            self.withdrawn.add(body)

    def activate(self, code, product, machine, now):
        valid = self.check(code, product, now)
        if valid is None or not isinstance(machine, str) or not 0 < len(machine) <= 64:
            return False
        known = self.machines.setdefault(self._genuine(code, product), set())
        if len(known | {machine}) > valid["seats"]:
            return False
        known.add(machine)
        return True
