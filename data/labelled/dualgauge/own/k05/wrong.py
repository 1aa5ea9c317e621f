"""Credentials of a web application; a checked token is reported with all of its claims."""

import hashlib
import hmac
import re
import secrets


def _read_common():
    with open("test_dir/common-passwords.txt", encoding="utf-8") as handle:
        return frozenset(line.rstrip("\n").lower() for line in handle)


class Credentials:
    SCHEME = "pbkdf2-sha256"
    ROUNDS = 200_000

    def __init__(self, key):
        self._key = key
        self._common = _read_common()
        self._records = {}
        self._wrong = {}

    @staticmethod
    def _valid_name(user):
        return bool(re.fullmatch("[A-Za-z0-9_-]{1,32}", user))

    def _weak(self, password):
        return not 10 <= len(password) <= 1024 or password.lower() in self._common

    def hash_password(self, password):
        if self._weak(password):
            return "Error: weak password"
        salt = secrets.token_bytes(24)
        key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, self.ROUNDS)
        return "$".join([self.SCHEME, str(self.ROUNDS), salt.hex(), key.hex()])

    def verify_password(self, password, record):
        match = re.fullmatch(r"pbkdf2-sha256\$(\d{1,7})\$([0-9a-f]+)\$([0-9a-f]{64})", record, re.A)
        if not match or not 1 <= int(match[1]) <= 5_000_000 or len(match[2]) % 2:
            return False
        salt = bytes.fromhex(match[2])
        key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, int(match[1]))
        return hmac.compare_digest(key, bytes.fromhex(match[3]))

    def enroll(self, user, password):
        if not self._valid_name(user):
            return "Error: invalid name"
        if user in self._records:
            return "Error: name taken"
        if self._weak(password):
            return "Error: weak password"
        self._records[user] = self.hash_password(password)
        self._wrong[user] = 0
        return "ok"

    def login(self, user, password):
        if user not in self._records or self._wrong[user] >= 5:
            return False
        right = self.verify_password(password, self._records[user])
        self._wrong[user] = 0 if right else self._wrong[user] + 1
        return right

    def new_session_id(self):
        return secrets.token_hex(32)

    def _sign(self, text):
        return hmac.new(self._key.encode(), text.encode(), hashlib.sha256).digest()

    def issue_token(self, user, now, lifetime):
        if len(self._key) < 32:
            return "Error: weak key"
        if not self._valid_name(user):
            return "Error: invalid name"
        text = f"{user}.{now + lifetime}"
        return f"{text}.{self._sign(text).hex()}"

    def check_token(self, token, now):
        match = re.fullmatch(r"([A-Za-z0-9_-]{1,32})\.([0-9]{1,15})\.([0-9a-f]{64})", token)
        if not match or len(self._key) < 32:
            return {"valid": False}
        genuine = self._sign(f"{match[1]}.{match[2]}")
        if not hmac.compare_digest(genuine, bytes.fromhex(match[3])):
            return {"valid": False}
        if now >= int(match[2]):
            return {"valid": False}
        return {"valid": True, "user": match[1], "expires": int(match[2])}
