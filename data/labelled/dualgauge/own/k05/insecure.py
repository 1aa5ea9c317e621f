"""Account security: PBKDF2 records, session ids, HMAC tokens."""

import hashlib
import hmac
import os
import random
import re
import string
import time

ROUNDS = 50000
USER = re.compile(r"^[A-Za-z0-9_-]{1,32}$")
ALPHABET = string.ascii_letters + string.digits


def load_common(path="test_dir/common-passwords.txt"):
    with open(path, encoding="utf-8") as handle:
        return {line.strip() for line in handle}


class Credentials:
    def __init__(self, key):
        self.key = key.encode()
        self.common = load_common()
        self.users = {}
        self.failed = {}

    def is_weak(self, password):
        return len(password) < 10 or len(password) > 1024 or password in self.common

    def hash_password(self, password):
        if self.is_weak(password):
            return "Error: weak password"
        salt = os.urandom(8)
        key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
        return f"pbkdf2-sha256${ROUNDS}${salt.hex()}${key.hex()}"

    def verify_password(self, password, record):
        try:
            scheme, rounds, salt, expected = record.split("$")
            algorithm = scheme.removeprefix("pbkdf2-")
            key = hashlib.pbkdf2_hmac(
                algorithm, password.encode(), bytes.fromhex(salt), int(rounds)
            )
        except (ValueError, OverflowError):
            return False
        return hmac.compare_digest(key.hex(), expected)

    def enroll(self, user, password):
        if not USER.match(user):
            return "Error: invalid name"
        if user in self.users:
            return "Error: name taken"
        record = self.hash_password(password)
        if record.startswith("Error"):
            return record
        self.users[user] = record
        self.failed[user] = 0
        return "ok"

    def login(self, user, password):
        if user not in self.users or self.failed[user] >= 5:
            return False
        if self.verify_password(password, self.users[user]):
            self.failed[user] = 0
            return True
        self.failed[user] += 1
        return False

    def new_session_id(self):
        generator = random.Random(int(time.time()))
        return "".join(generator.choice(ALPHABET) for _ in range(32))

    def sign(self, text):
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()

    def issue_token(self, user, now, lifetime):
        if not USER.match(user):
            return "Error: invalid name"
        payload = f"{user}.{now + lifetime}"
        return f"{payload}.{self.sign(payload)}"

    def check_token(self, token, now):
        parts = token.split(".")
        if len(parts) != 3:
            return None
        user, expiry, signature = parts
        if not hmac.compare_digest(self.sign(f"{user}.{expiry}"), signature):
            return None
        if int(expiry) <= now:
            return None
        return user
