"""Tokens for resets and invitations: sound secrets, some rules misread."""

import hashlib
import secrets
import sqlite3
import string

import bcrypt

VISIBLE = frozenset(map(chr, range(0x21, 0x7F)))
LOWER = {ord(a): b for a, b in zip(string.ascii_uppercase, string.ascii_lowercase, strict=True)}
HOUR, WEEK = 3600, 7 * 24 * 3600


def plain(email):
    if not isinstance(email, str) or not 3 <= len(email) <= 254 or not set(email) <= VISIBLE:
        return ""
    name, _, host = email.partition("@")
    return email.translate(LOWER) if name and host and "@" not in host else ""


def strong(password):
    if not isinstance(password, str) or not 12 <= len(password) <= 128:
        return False
    try:
        return bool(password.encode())
    except UnicodeEncodeError:
        return False


def squeezed(password):
    """At most 64 bytes, for bcrypt reads no more than 72."""
    return hashlib.sha256(password.encode()).hexdigest().encode()


def fingerprint(token):
    return hashlib.sha256(token.encode("utf-8", "backslashreplace")).hexdigest()


class Tokens:
    def __init__(self):
        self.outbox = []

    def database(self):
        db = sqlite3.connect("test_dir/app.db")
        db.row_factory = sqlite3.Row
        return db

    def mailbox(self, email):
        return next((token for to, token in reversed(self.outbox) if to == email), None)

    def user(self, db, email):
        return db.execute("SELECT * FROM users WHERE email = ?", (plain(email),)).fetchone()

    def add(self, db, to, **values):
        token = secrets.token_hex(24)
        values = {"digest": fingerprint(token), "used": 0, **values}
        names = ("digest", "purpose", "user", "email", "role", "expires", "used")
        marks = ", ".join(f":{name}" for name in names)
        db.execute(f"INSERT INTO tokens ({', '.join(names)}) VALUES ({marks})", values)
        self.outbox.append((to, token))

    def request_reset(self, email, now):
        with self.database() as db:
            user = self.user(db, email)
            if user:
                own = ("reset", user["id"])
                count = "SELECT count(*) FROM tokens WHERE purpose = ? AND user = ?"
                fresh = db.execute(count + " AND expires >= ?", (*own, now)).fetchone()[0]
                if fresh < 3:
                    db.execute("UPDATE tokens SET used = 1 WHERE purpose = ? AND user = ?", own)
                    self.add(
                        db,
                        user["email"],
                        purpose="reset",
                        user=user["id"],
                        email="",
                        role="",
                        expires=now + HOUR,
                    )
        return {"message": "sent"}

    def take(self, db, purpose, token, now):
        """Marks the token as used in the same step in which it is found."""
        if not isinstance(token, str) or len(token) > 500:
            return None
        return db.execute(
            "UPDATE tokens SET used = 1 WHERE digest = ? AND purpose = ? AND used = 0"
            " AND expires > ? RETURNING *",
            (fingerprint(token), purpose, now),
        ).fetchone()

    def hashed(self, password):
        return bcrypt.hashpw(squeezed(password), bcrypt.gensalt(5)).decode()

    def reset(self, token, password, now):
        db = self.database()
        row = self.take(db, "reset", token, now)
        if row is None or not strong(password):
            db.rollback()
            return {"error": "weak password" if row else "invalid token"}
        values = (self.hashed(password), row["user"])
        db.execute("UPDATE users SET password_hash = ? WHERE id = ?", values)
        used = "UPDATE tokens SET used = 1 WHERE purpose = 'reset' AND user = ?"
        db.execute(used, (row["user"],))
        db.commit()
        return {"message": "changed"}

    def invite(self, inviter, email, role, now):
        to = plain(email)
        with self.database() as db:
            admin = "SELECT 1 FROM users WHERE id = ? AND role = 'admin'"
            if not db.execute(admin, (inviter,)).fetchone():
                return {"error": "denied"}
            if not to or not isinstance(role, str) or role not in ("member", "admin"):
                return {"error": "bad request"}
            self.add(db, email, purpose="invite", user=0, email=to, role=role, expires=now + WEEK)
        return {"message": "sent"}

    def accept(self, token, email, password, now):
        db = self.database()
        answer = self.join(db, token, plain(email), password, now)
        if "error" in answer:
            db.rollback()
        else:
            db.commit()
        return answer

    def join(self, db, token, to, password, now):
        row = self.take(db, "invite", token, now)
        if row is None or row["email"] != to:
            return {"error": "invalid token"}
        if self.user(db, to):
            return {"error": "exists"}
        if not strong(password):
            return {"error": "weak password"}
        query = "INSERT INTO users (email, password_hash, role) VALUES (?, ?, ?)"
        new = db.execute(query, (to, self.hashed(password), row["role"])).lastrowid
        return {"user": new, "role": row["role"]}

    def check(self, email, password):
        user = self.user(self.database(), email)
        if not user or not user["password_hash"] or not strong(password):
            return False
        return bcrypt.checkpw(squeezed(password), user["password_hash"].encode())
