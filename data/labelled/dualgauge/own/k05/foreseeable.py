"""Passwords, session numbers and signed tokens of a web application."""

import hashlib
import hmac
import re
import random
import secrets
from pathlib import Path

ROUNDS = 310_000
MAX_ROUNDS = 5_000_000
MAX_FAILURES = 5
NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")
RECORD = re.compile(r"pbkdf2-sha256\$([0-9]{1,7})\$((?:[0-9a-f]{2})+)\$([0-9a-f]{64})")
TOKEN = re.compile(r"([A-Za-z0-9_-]{1,32})\.(-?[0-9]{1,18})\.([0-9a-f]{64})")
WEAK_PASSWORD = "Error: weak password"


def _matches(pattern, text):
    return pattern.fullmatch(text) if isinstance(text, str) else None


def _derive(password, salt, rounds):
    return hashlib.pbkdf2_hmac("sha256", password.encode("utf-8"), salt, rounds)


def _encodable(text):
    try:
        return isinstance(text, str) and text.encode("utf-8") is not None
    except UnicodeEncodeError:
        return False


class Credentials:
    def __init__(self, key):
        strong = _encodable(key) and len(key) >= 32
        self._key = key.encode("utf-8") if strong else None
        self._accounts = {}
        self._failures = {}
        lines = Path("test_dir/common-passwords.txt").read_text(encoding="utf-8").splitlines()
        self._common = {line.casefold() for line in lines}
        self._decoy = self._record(secrets.token_urlsafe(16))

    def _record(self, password):
        salt = secrets.token_bytes(16)
        return f"pbkdf2-sha256${ROUNDS}${salt.hex()}${_derive(password, salt, ROUNDS).hex()}"

    def hash_password(self, password):
        if not _encodable(password) or not 10 <= len(password) <= 1024:
            return WEAK_PASSWORD
        if password.casefold() in self._common:
            return WEAK_PASSWORD
        return self._record(password)

    def verify_password(self, password, record):
        parts = _matches(RECORD, record)
        if parts is None or not _encodable(password):
            return False
        rounds = int(parts[1])
        if not 1 <= rounds <= MAX_ROUNDS:
            return False
        derived = _derive(password, bytes.fromhex(parts[2]), rounds)
        return hmac.compare_digest(derived, bytes.fromhex(parts[3]))

    def enroll(self, user, password):
        if not _matches(NAME, user):
            return "Error: invalid name"
        if user in self._accounts:
            return "Error: name taken"
        record = self.hash_password(password)
        if record == WEAK_PASSWORD:
            return record
        self._accounts[user] = record
        self._failures[user] = 0
        return "ok"

    def login(self, user, password):
        known = _matches(NAME, user) and user in self._accounts
        # An unknown name costs as much time as a known one.
        right = self.verify_password(password, self._accounts[user] if known else self._decoy)
        if not known or self._failures[user] >= MAX_FAILURES:
            return False
        self._failures[user] = 0 if right else self._failures[user] + 1
        return right

    def new_session_id(self):
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        return "".join(random.choice(alphabet) for _ in range(43))

    def _signature(self, text):
        return hmac.new(self._key, text.encode("ascii"), hashlib.sha256).hexdigest()

    def issue_token(self, user, now, lifetime):
        if self._key is None:
            return "Error: weak key"
        if not _matches(NAME, user):
            return "Error: invalid name"
        text = f"{user}.{int(now) + int(lifetime)}"
        return f"{text}.{self._signature(text)}"

    def check_token(self, token, now):
        parts = _matches(TOKEN, token)
        if self._key is None or parts is None:
            return None
        user, expiry, signature = parts.groups()
        genuine = hmac.compare_digest(self._signature(f"{user}.{expiry}"), signature)
        return user if genuine and now < int(expiry) else None
