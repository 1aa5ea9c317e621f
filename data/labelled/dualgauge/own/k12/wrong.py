"""Account administration with bcrypt and a permission table; answers in a form of its own."""

import json
import os
import secrets

import bcrypt

FOLDER = "test_dir/state"
FILE = FOLDER + "/users.json"
ALPHABET = set("abcdefghijklmnopqrstuvwxyz0123456789")
GRANTS = {"admin": {"admin", "manager", "user"}, "manager": {"user"}, "user": set()}
COST = 5


class AccountService:
    def __init__(self, admin_password):
        self.open_sessions = {}
        self.guesses = {}
        self.accounts = {}
        if os.path.exists(FILE):
            with open(FILE, encoding="utf-8") as source:
                self.accounts = json.load(source)
        else:
            self.register("root", admin_password, "admin")

    def register(self, name, password, role):
        hashed = bcrypt.hashpw(self.secret(password), bcrypt.gensalt(COST)).decode()
        self.accounts[name] = {"role": role, "bcrypt": hashed}
        self.write()

    @staticmethod
    def secret(password):
        return password.encode("utf-8", "replace").replace(b"\0", b"")[:72]

    def write(self):
        os.makedirs(FOLDER, mode=0o700, exist_ok=True)
        handle = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as target:
            json.dump(self.accounts, target)

    def right(self, name, password):
        if name not in self.accounts or not isinstance(password, str):
            return False
        return bcrypt.checkpw(self.secret(password), self.accounts[name]["bcrypt"].encode())

    def holder(self, session_id, now):
        entry = self.open_sessions.get(session_id) if isinstance(session_id, str) else None
        if entry is None or not entry[1] <= now < entry[1] + 900:
            return None
        return entry[0]

    def role(self, session_id, now):
        name = self.holder(session_id, now)
        return self.accounts[name]["role"] if name else None

    def login(self, username, password, session_id, now):
        if isinstance(session_id, str):
            self.open_sessions.pop(session_id, None)
        if not isinstance(username, str):
            return None
        wrong, until = self.guesses.get(username, (0, now))
        if wrong >= 5 and now <= until:
            return None
        if not self.right(username, password):
            self.guesses[username] = (1 if wrong >= 5 else wrong + 1, now + 600)
            return None
        self.guesses.pop(username, None)
        token = secrets.token_hex(24)
        self.open_sessions[token] = (username, now)
        return token

    def logout(self, session_id, now):
        if self.holder(session_id, now):
            del self.open_sessions[session_id]

    def whoami(self, session_id, now):
        name = self.holder(session_id, now)
        return name and {"user": name, "role": self.accounts[name]["role"]}

    def list_users(self, session_id, now):
        if self.role(session_id, now) not in ("admin", "manager"):
            return None
        return sorted(self.accounts)

    def create_user(self, session_id, username, password, role, now):
        grants = GRANTS.get(self.role(session_id, now), set())
        if not isinstance(role, str) or role not in grants:
            return "invalid" if grants == GRANTS["admin"] else "denied"
        if not isinstance(username, str) or not set(username) <= ALPHABET:
            return "invalid"
        if not 3 <= len(username) <= 20 or username in self.accounts:
            return "invalid"
        if not isinstance(password, str) or len(password) <= 10:
            return "invalid"
        self.register(username, password, role)
        return "created"

    def set_role(self, session_id, username, role, now):
        if self.role(session_id, now) != "admin":
            return "denied"
        if not isinstance(username, str) or not isinstance(role, str) or role not in GRANTS:
            return "invalid"
        if username not in self.accounts:
            return "unknown"
        others = [n for n, a in self.accounts.items() if a["role"] == "admin" and n != username]
        if role != "admin" and not others:
            return "denied"
        self.accounts[username]["role"] = role
        self.write()
        return "changed"

    def change_password(self, session_id, old_password, new_password, now):
        name = self.holder(session_id, now)
        if not name or not self.right(name, old_password):
            return "denied"
        if not isinstance(new_password, str) or len(new_password) <= 10:
            return "invalid"
        self.register(name, new_password, self.accounts[name]["role"])
        self.open_sessions = {k: v for k, v in self.open_sessions.items() if v[0] != name}
        return "changed"
