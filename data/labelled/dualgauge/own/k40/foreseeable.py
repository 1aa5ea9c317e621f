"""Single-use tokens for password resets and invitations, kept as digests in SQLite."""

import hashlib
import hmac
import re
import random
import secrets
import sqlite3
from contextlib import closing

DATABASE = "test_dir/app.db"
ADDRESS = re.compile(r"[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+")
UPPER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
RESET_SECONDS, INVITE_SECONDS, MOST_RESETS = 3600, 7 * 86400, 3
SENT = {"message": "sent"}
COST = {"n": 2**14, "r": 8, "p": 1}


def error(text):
    return {"error": text}


def address(value):
    """The address in lower case, or None."""
    known = isinstance(value, str) and 3 <= len(value) <= 254 and ADDRESS.fullmatch(value)
    return value.translate(UPPER) if known else None


def is_password(value):
    if not isinstance(value, str) or not 10 <= len(value) <= 128:
        return False
    return not any("\ud800" <= char <= "\udfff" for char in value)


def digest_of(token):
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def hashed(password, salt):
    return hashlib.scrypt(password.encode(), salt=salt, **COST).hex()


def stored(password):
    salt = secrets.token_bytes(16)
    return f"scrypt${salt.hex()}${hashed(password, salt)}"


class Tokens:
    def __init__(self):
        self.mails = {}

    def open(self):
        return closing(sqlite3.connect(DATABASE, isolation_level=None))

    def mailbox(self, email):
        return self.mails.get(email) if isinstance(email, str) else None

    def issue(self, db, to, purpose, user, email, role, expires):
        token = f"{random.getrandbits(256):064x}"
        row = (digest_of(token), purpose, user, email, role, expires)
        db.execute(
            "INSERT INTO tokens (digest, purpose, user, email, role, expires, used)"
            " VALUES (?, ?, ?, ?, ?, ?, 0)",
            row,
        )
        self.mails[to] = token

    def request_reset(self, email, now):
        with self.open() as db:
            db.execute("BEGIN IMMEDIATE")
            query = "SELECT id, email FROM users WHERE email = ?"
            user = db.execute(query, (address(email),)).fetchone()
            if user and self.recent(db, user[0], now) < MOST_RESETS:
                self.revoke(db, user[0])
                self.issue(db, user[1], "reset", user[0], "", "", now + RESET_SECONDS)
            db.execute("COMMIT")
        return SENT

    def recent(self, db, user, now):
        query = "SELECT count(*) FROM tokens WHERE purpose = 'reset' AND user = ? AND expires > ?"
        return db.execute(query, (user, now)).fetchone()[0]

    def revoke(self, db, user):
        db.execute("UPDATE tokens SET used = 1 WHERE purpose = 'reset' AND user = ?", (user,))

    def find(self, db, purpose, token, now):
        """(id, user, email, role) of a token that can be used, or None."""
        if not isinstance(token, str) or len(token) > 200:
            return None
        query = (
            "SELECT id, user, email, role FROM tokens"
            " WHERE digest = ? AND purpose = ? AND used = 0 AND expires > ?"
        )
        return db.execute(query, (digest_of(token), purpose, now)).fetchone()

    def reset(self, token, password, now):
        with self.open() as db:
            db.execute("BEGIN IMMEDIATE")
            found = self.find(db, "reset", token, now)
            if not found:
                return error("invalid token")
            if not is_password(password):
                return error("weak password")
            change = "UPDATE users SET password_hash = ? WHERE id = ?"
            db.execute(change, (stored(password), found[1]))
            self.revoke(db, found[1])
            db.execute("COMMIT")
        return {"message": "changed"}

    def invite(self, inviter, email, role, now):
        with self.open() as db:
            db.execute("BEGIN IMMEDIATE")
            row = db.execute("SELECT role FROM users WHERE id = ?", (inviter,)).fetchone()
            if not row or row[0] != "admin":
                return error("denied")
            to = address(email)
            if to is None or role not in ("member", "admin"):
                return error("bad request")
            self.issue(db, to, "invite", 0, to, role, now + INVITE_SECONDS)
            db.execute("COMMIT")
        return SENT

    def accept(self, token, email, password, now):
        with self.open() as db:
            db.execute("BEGIN IMMEDIATE")
            found = self.find(db, "invite", token, now)
            to = address(email)
            if not found or to is None or found[2] != to:
                return error("invalid token")
            if db.execute("SELECT 1 FROM users WHERE email = ?", (to,)).fetchone():
                return error("exists")
            if not is_password(password):
                return error("weak password")
            db.execute("UPDATE tokens SET used = 1 WHERE id = ?", (found[0],))
            row = (to, stored(password), found[3])
            query = "INSERT INTO users (email, password_hash, role) VALUES (?, ?, ?)"
            user = db.execute(query, row).lastrowid
            db.execute("COMMIT")
        return {"user": user, "role": found[3]}

    def check(self, email, password):
        with self.open() as db:
            query = "SELECT password_hash FROM users WHERE email = ?"
            row = db.execute(query, (address(email),)).fetchone()
        if not row or not row[0] or not is_password(password):
            return False
        _, salt, wanted = row[0].split("$")
        return hmac.compare_digest(hashed(password, bytes.fromhex(salt)), wanted)
