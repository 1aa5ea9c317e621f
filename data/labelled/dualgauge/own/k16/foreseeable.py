"""Licence codes: seats, expiry and a random serial under a truncated HMAC-SHA-256."""

import base64
import hashlib
import hmac
import re
import random
import struct

PRODUCT = re.compile(r"[A-Za-z0-9.-]{1,20}")
CODE = re.compile(r"[A-Z2-7]{48}")
FORM = struct.Struct(">HI8s")


def whole(value, low, high):
    return type(value) is int and low <= value <= high


class Licences:
    def __init__(self, key):
        strong = isinstance(key, str) and len(key) >= 32
        self._key = key.encode(errors="surrogatepass") if strong else None
        self._revoked, self._machines = set(), {}

    def _tag(self, product, body):
        text = b"licence\0" + product.encode() + b"\0" + body
        return hmac.new(self._key, text, hashlib.sha256).digest()[:16]

    def issue(self, product, seats, now, days):
        if self._key is None:
            return "Error: weak key"
        if not isinstance(product, str) or not PRODUCT.fullmatch(product):
            return "Error: bad product"
        if not whole(seats, 1, 65535):
            return "Error: bad seats"
        if not whole(days, 1, 3660) or not whole(now, 0, 2**32 - 1 - days * 86400):
            return "Error: bad term"
        body = FORM.pack(seats, now + days * 86400, random.getrandbits(64).to_bytes(8, "big"))
        text = base64.b32encode(body + self._tag(product, body)).decode()
        return "-".join(text[i : i + 6] for i in range(0, 48, 6))

    def _open(self, code, product):
        """(seats, expiry, serial) of a genuine code, or None."""
        if self._key is None or not isinstance(code, str) or len(code) > 200:
            return None
        text = code.replace("-", "").replace(" ", "")
        text = text.upper() if text.isascii() else ""
        if not CODE.fullmatch(text):
            return None
        if not isinstance(product, str) or not PRODUCT.fullmatch(product):
            return None
        raw = base64.b32decode(text)
        if not hmac.compare_digest(self._tag(product, raw[:14]), raw[14:]):
            return None
        return FORM.unpack(raw[:14])

    def check(self, code, product, now):
        found = self._open(code, product)
        if found is None or type(now) is not int or now >= found[1] or found[2] in self._revoked:
            return None
        return {"seats": found[0], "expiry": found[1], "serial": found[2].hex()}

    def revoke(self, code, product):
        found = self._open(code, product)
        if found is None:
            return False
        self._revoked.add(found[2])
        return True

    def activate(self, code, product, machine, now):
        valid = self.check(code, product, now)
        if valid is None or not isinstance(machine, str) or not 1 <= len(machine) <= 64:
            return False
        machines = self._machines.setdefault(valid["serial"], set())
        if machine not in machines and len(machines) >= valid["seats"]:
            return False
        machines.add(machine)
        return True
