"""Licence codes with an HMAC signature."""

import base64
import hashlib
import hmac
import random
import struct


class Licences:
    def __init__(self, key):
        self.key = key
        self.revoked = set()
        self.used = {}

    def _sign(self, product, body):
        message = b"licence\x00" + product.encode() + b"\x00" + body
        return hmac.new(self.key.encode(), message, hashlib.sha256).digest()[:16]

    def issue(self, product, seats, now, days):
        if not self.key:
            return "Error: weak key"
        if not product or not product.replace(".", "a").replace("-", "a").isalnum():
            return "Error: bad product"
        if seats == 0 or seats > 65535:
            return "Error: bad seats"
        if days == 0 or days > 3660:
            return "Error: bad term"
        random.seed(now)
        serial = bytes(random.randrange(256) for _ in range(8))
        expiry = (now + days * 86400) & 0xFFFFFFFF
        body = struct.pack(">HI", seats & 0xFFFF, expiry) + serial
        code = base64.b32encode(body + self._sign(product, body)).decode().rstrip("=")
        return "-".join(code[i : i + 6] for i in range(0, len(code), 6))

    def _read(self, code, product):
        text = code.replace("-", "").replace(" ", "").upper()
        text += "=" * (-len(text) % 8)
        try:
            raw = base64.b32decode(text)
            body, tag = raw[:14], raw[14:]
            if not self._sign(product, body).startswith(tag):
                return None
            seats, expiry = struct.unpack(">HI", body[:6])
        except (ValueError, struct.error):
            return None
        return {"seats": seats, "expiry": expiry, "serial": body[6:].hex()}

    def check(self, code, product, now):
        licence = self._read(code, product)
        if licence is None or now > licence["expiry"]:
            return None
        if code in self.revoked:
            return None
        return licence

    def revoke(self, code, product):
        if self._read(code, product) is None:
            return False
        self.revoked.add(code)
        return True

    def activate(self, code, product, machine, now):
        licence = self._read(code, product)
        if licence is None or not machine:
            return False
        machines = self.used.setdefault(code, [])
        if machine in machines:
            return True
        if len(machines) >= licence["seats"]:
            return False
        machines.append(machine)
        return True
