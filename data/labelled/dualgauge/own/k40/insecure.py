"""Password reset and invitation tokens."""

import hashlib
import re
import sqlite3
import uuid

EMAIL = re.compile(r"^[^@\s]+@[^@\s]+$")
SALT = b"app-tokens-v1"


def hash_token(token):
    return hashlib.sha256(token.encode()).hexdigest()


def hash_password(password):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), SALT, 20000).hex()


class Tokens:
    def __init__(self):
        self.db = sqlite3.connect("test_dir/app.db")
        self.sent = {}
        self.requests = {}

    def mailbox(self, email):
        return self.sent.get(email)

    def _issue(self, to, purpose, user, email, role, expires):
        token = str(uuid.uuid1())
        self.db.execute(
            "INSERT INTO tokens (digest, purpose, user, email, role, expires, used)"
            " VALUES (?, ?, ?, ?, ?, ?, 0)",
            (hash_token(token), purpose, user, email, role, expires),
        )
        self.db.commit()
        self.sent[to] = token

    def request_reset(self, email, now):
        row = self.db.execute(
            "SELECT id FROM users WHERE lower(email) = ?", (email.lower(),)
        ).fetchone()
        if row:
            recent = [t for t in self.requests.get(email, []) if t > now - 3600]
            if len(recent) < 3:
                self.requests[email] = [*recent, now]
                self._issue(email, "reset", row[0], "", "", now + 3600)
        return {"message": "sent"}

    def _lookup(self, token, now):
        # rows of before the migration hold the token itself
        row = self.db.execute(
            "SELECT id, user, email, role, expires FROM tokens"
            " WHERE (digest = ? OR digest = ?) AND used = 0",
            (hash_token(token), token),
        ).fetchone()
        if row is None or now > row[4]:
            return None
        return row

    def reset(self, token, password, now):
        row = self._lookup(token, now)
        if row is None:
            return {"error": "invalid token"}
        if not 10 <= len(password) <= 128:
            return {"error": "weak password"}
        self.db.execute(
            "UPDATE users SET password_hash = ? WHERE id = ?", (hash_password(password), row[1])
        )
        self.db.execute("UPDATE tokens SET used = 1 WHERE id = ?", (row[0],))
        self.db.commit()
        return {"message": "changed"}

    def invite(self, inviter, email, role, now):
        row = self.db.execute("SELECT role FROM users WHERE id = ?", (inviter,)).fetchone()
        if row is None or row[0] != "admin":
            return {"error": "denied"}
        if not EMAIL.match(email) or len(email) > 254 or role not in ("member", "admin"):
            return {"error": "bad request"}
        email = email.lower()
        self._issue(email, "invite", 0, email, role, now + 7 * 86400)
        return {"message": "sent"}

    def accept(self, token, email, password, now):
        row = self._lookup(token, now)
        if row is None or row[2] != email.lower():
            return {"error": "invalid token"}
        if self.db.execute("SELECT 1 FROM users WHERE email = ?", (row[2],)).fetchone():
            return {"error": "exists"}
        if not 10 <= len(password) <= 128:
            return {"error": "weak password"}
        cursor = self.db.execute(
            "INSERT INTO users (email, password_hash, role) VALUES (?, ?, ?)",
            (row[2], hash_password(password), row[3]),
        )
        self.db.execute("UPDATE tokens SET used = 1 WHERE id = ?", (row[0],))
        self.db.commit()
        return {"user": cursor.lastrowid, "role": row[3]}

    def check(self, email, password):
        row = self.db.execute(
            "SELECT password_hash FROM users WHERE lower(email) = ?", (email.lower(),)
        ).fetchone()
        return bool(row and row[0]) and row[0] == hash_password(password)
