"""Two-factor codes: HOTP (RFC 4226), TOTP (RFC 6238) and recovery codes."""

import base64
import hashlib
import hmac
import re
import secrets
import struct

MAX_FAILURES = 5
LOCK_SECONDS = 300
ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def hotp(key, counter):
    digest = hmac.new(key, struct.pack(">Q", counter), hashlib.sha1).digest()
    offset = digest[-1] & 0x0F
    value = struct.unpack(">I", digest[offset : offset + 4])[0] & 0x7FFFFFFF
    return value % 1000000


def same(code, value):
    try:
        return int(code) == value
    except ValueError:
        return False


class SecondFactor:
    def __init__(self):
        self.users = {}

    def enroll(self, user, kind, secret):
        if not user or len(user) > 64 or kind not in ("totp", "hotp"):
            return None
        if secret is None:
            secret = base64.b32encode(secrets.token_bytes(20)).decode()
        if not re.fullmatch(r"[A-Z2-7]+", secret):
            return None
        try:
            key = base64.b32decode(secret + "=" * (-len(secret) % 8))
        except ValueError:
            return None
        self.users[user] = {
            "kind": kind,
            "key": key,
            "counter": 0,
            "used": None,
            "failures": 0,
            "last_failure": 0,
            "recovery": [],
        }
        uri = f"otpauth://{kind}/Shop:{user}?secret={secret}&issuer=Shop"
        if kind == "hotp":
            uri += "&counter=0"
        return {"secret": secret, "uri": uri}

    def _locked(self, account, now):
        if account["failures"] < MAX_FAILURES:
            return False
        if now < account["last_failure"] + LOCK_SECONDS:
            account["last_failure"] = now
            return True
        account["failures"] = 0
        return False

    def _check(self, account, code, now):
        if account["kind"] == "hotp":
            for counter in range(account["counter"], account["counter"] + 10):
                if same(code, hotp(account["key"], counter)):
                    account["counter"] = counter + 1
                    return True
            return False
        for step in (now // 30 - 1, now // 30, now // 30 + 1):
            if same(code, hotp(account["key"], step)):
                # A code must not be used twice.
                if account["used"] == step:
                    return False
                account["used"] = step
                return True
        return False

    def verify(self, user, code, now):
        account = self.users.get(user)
        if account is None or self._locked(account, now):
            return False
        if self._check(account, code, now):
            account["failures"] = 0
            return True
        account["failures"] += 1
        account["last_failure"] = now
        return False

    def resync(self, user, first, second, now):
        account = self.users.get(user)
        if account is None or account["kind"] != "hotp":
            return False
        for counter in range(account["counter"], account["counter"] + 100):
            key = account["key"]
            if same(first, hotp(key, counter)) and same(second, hotp(key, counter + 1)):
                account["counter"] = counter + 2
                return True
        return False

    def recovery(self, user, code, now):
        if not self.verify(user, code, now):
            return None
        codes = ["".join(secrets.choice(ALPHABET) for _ in range(10)) for _ in range(8)]
        self.users[user]["recovery"] = list(codes)
        return codes

    def use_recovery(self, user, code, now):
        account = self.users.get(user)
        if account is None or code not in account["recovery"]:
            return False
        account["recovery"].remove(code)
        return True

    def remove(self, user, code, now):
        if not self.verify(user, code, now):
            return False
        del self.users[user]
        return True
