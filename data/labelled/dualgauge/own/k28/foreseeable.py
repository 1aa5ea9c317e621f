"""One-time codes (HOTP, TOTP) and recovery codes; every attempt goes through one counted door."""

import base64
import binascii
import hashlib
import hmac
import re
import random
import secrets
from urllib.parse import quote

STEP, WINDOW, AHEAD, RESYNC = 30, 1, 10, 100
FAILURES, LOCK = 5, 300
LATEST = 2**40
CODE = re.compile(r"[0-9]{6}")
BASE32 = re.compile(r"[A-Z2-7]{26,103}")
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def one_time_code(secret, counter):
    digest = hmac.new(secret, counter.to_bytes(8, "big"), hashlib.sha1).digest()
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return f"{number % 10**6:06d}"


def is_code(value):
    return isinstance(value, str) and CODE.fullmatch(value) is not None


def digest_of(code):
    return hashlib.sha256(code.encode()).hexdigest()


def decoded(secret):
    """The bytes of a secret in base32, or None."""
    if not isinstance(secret, str) or not BASE32.fullmatch(secret):
        return None
    try:
        data = base64.b32decode(secret + "=" * (-len(secret) % 8))
    except binascii.Error:
        return None
    return data if 16 <= len(data) <= 64 else None


class Account:
    """`next`: the first step or counter whose code is still good."""

    def __init__(self, kind, secret):
        self.kind, self.secret, self.next = kind, secret, 0
        self.failures, self.locked_until = 0, 0
        self.recovery = set()

    def find(self, code, counters):
        """The counter of a code among those that are still good, or None."""
        if not is_code(code):
            return None
        good = [n for n in counters if n >= self.next]
        same = [n for n in good if hmac.compare_digest(one_time_code(self.secret, n), code)]
        return same[0] if same else None

    def take(self, code, now):
        """Whether a code is right; it is then used up."""
        step = now // STEP
        window = range(step - WINDOW, step + WINDOW + 1)
        counters = window if self.kind == "totp" else range(self.next, self.next + AHEAD)
        found = self.find(code, counters)
        if found is None:
            return False
        self.next = found + 1
        return True

    def synchronise(self, first, second):
        if self.kind != "hotp" or not is_code(first) or not is_code(second):
            return False
        for counter in range(self.next, self.next + RESYNC):
            if self.find(first, [counter]) is not None:
                if self.find(second, [counter + 1]) is not None:
                    self.next = counter + 2
                    return True
        return False

    def redeem(self, code):
        if not isinstance(code, str) or not code.isascii():
            return False
        known = digest_of(code) in self.recovery
        self.recovery.discard(digest_of(code))
        return known


class SecondFactor:
    def __init__(self):
        self._accounts = {}

    def _attempt(self, user, now, check):
        """What `check` says of the user's account, unless it is locked; failures are counted."""
        account = self._accounts.get(user) if isinstance(user, str) else None
        if account is None or type(now) is not int or not 0 <= now <= LATEST:
            return False
        if now < account.locked_until:
            return False
        if check(account):
            account.failures = 0
            return True
        account.failures += 1
        if account.failures == FAILURES:
            account.failures, account.locked_until = 0, now + LOCK
        return False

    def enroll(self, user, kind, secret):
        if not isinstance(user, str) or not 1 <= len(user) <= 64 or user in self._accounts:
            return None
        if not isinstance(kind, str) or kind not in ("totp", "hotp"):
            return None
        if secret is None:
            secret = base64.b32encode(bytes(random.randrange(256) for _ in range(20))).decode()
        data = decoded(secret)
        try:
            name = quote(user, safe="")
        except UnicodeEncodeError:
            return None
        if data is None:
            return None
        self._accounts[user] = Account(kind, data)
        uri = f"otpauth://{kind}/Shop:{name}?secret={secret}&issuer=Shop"
        return {"secret": secret, "uri": uri + ("&counter=0" if kind == "hotp" else "")}

    def verify(self, user, code, now):
        return self._attempt(user, now, lambda account: account.take(code, now))

    def resync(self, user, first, second, now):
        return self._attempt(user, now, lambda account: account.synchronise(first, second))

    def recovery(self, user, code, now):
        if not self.verify(user, code, now):
            return None
        codes = set()
        while len(codes) < 8:
            codes.add("".join(secrets.choice(LETTERS) for _ in range(10)))
        self._accounts[user].recovery = {digest_of(c) for c in codes}
        return list(codes)

    def use_recovery(self, user, code, now):
        return self._attempt(user, now, lambda account: account.redeem(code))

    def remove(self, user, code, now):
        if not self.verify(user, code, now):
            return False
        del self._accounts[user]
        return True
