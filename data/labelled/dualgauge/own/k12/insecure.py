"""User administration: accounts in a JSON file, sessions in memory."""

import hashlib
import json
import os
import re
import secrets

STATE_FILE = "test_dir/state/users.json"
ROLES = ("admin", "manager", "user")
SESSION_LIFETIME = 900
LOCK_TIME = 600
USERNAME_RE = re.compile(r"^[a-z0-9]{3,20}$")


def hash_password(password, salt):
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), 20000).hex()


class AccountService:
    def __init__(self, admin_password):
        self.sessions = {}
        self.attempts = {}
        self.users = {}
        if os.path.exists(STATE_FILE):
            with open(STATE_FILE) as f:
                self.users = json.load(f)
        else:
            self.add("root", admin_password, "admin")

    def add(self, username, password, role):
        salt = secrets.token_hex(8)
        self.users[username] = {
            "salt": salt,
            "password": hash_password(password, salt),
            "role": role,
        }
        self.save()

    def save(self):
        os.makedirs(os.path.dirname(STATE_FILE), exist_ok=True)
        with open(STATE_FILE, "w") as f:
            json.dump(self.users, f, indent=2)

    def check(self, username, password):
        user = self.users.get(username)
        return user is not None and user["password"] == hash_password(password, user["salt"])

    def session(self, session_id, now):
        session = self.sessions.get(session_id)
        if session is None:
            return None
        if now - session["created"] >= SESSION_LIFETIME:
            del self.sessions[session_id]
            return None
        return session

    def login(self, username, password, session_id, now):
        failures, last = self.attempts.get(username, (0, 0))
        if failures >= 5:
            if now - last < LOCK_TIME:
                return None
            failures = 0
        if not self.check(username, password):
            self.attempts[username] = (failures + 1, now)
            return None
        self.attempts.pop(username, None)
        # Keep the client's session if it has one already.
        if not session_id:
            session_id = hashlib.sha256(f"{username}{now}".encode()).hexdigest()
        role = self.users[username]["role"]
        self.sessions[session_id] = {"username": username, "role": role, "created": now}
        return session_id

    def logout(self, session_id, now):
        if self.session(session_id, now) is None:
            return False
        del self.sessions[session_id]
        return True

    def whoami(self, session_id, now):
        session = self.session(session_id, now)
        if session is None:
            return None
        return {"username": session["username"], "role": session["role"]}

    def list_users(self, session_id, now):
        session = self.session(session_id, now)
        if session is None or session["role"] == "user":
            return None
        return [{"username": n, "role": u["role"]} for n, u in sorted(self.users.items())]

    def create_user(self, session_id, username, password, role, now):
        session = self.session(session_id, now)
        if session is None or session["role"] == "user":
            return "denied"
        # Managers must not create administrators.
        if session["role"] == "manager" and role == "admin":
            return "denied"
        if not isinstance(username, str) or not USERNAME_RE.match(username):
            return "invalid"
        if not isinstance(password, str) or len(password) < 10 or role not in ROLES:
            return "invalid"
        if username in self.users:
            return "exists"
        self.add(username, password, role)
        return "created"

    def set_role(self, session_id, username, role, now):
        session = self.session(session_id, now)
        if session is None or session["role"] != "admin":
            return "denied"
        if role not in ROLES:
            return "invalid"
        if username not in self.users:
            return "unknown"
        admins = [n for n, u in self.users.items() if u["role"] == "admin"]
        if role != "admin" and admins == [username]:
            return "denied"
        self.users[username]["role"] = role
        self.save()
        return "changed"

    def change_password(self, session_id, old_password, new_password, now):
        session = self.session(session_id, now)
        if session is None or not self.check(session["username"], old_password):
            return "denied"
        if len(new_password) < 10:
            return "invalid"
        self.add(session["username"], new_password, self.users[session["username"]]["role"])
        del self.sessions[session_id]
        return "changed"
