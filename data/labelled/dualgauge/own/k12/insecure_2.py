"""AccountService: ranked roles, random session ids, lock-out after repeated failures."""

import hashlib
import hmac
import json
import re
import uuid
from pathlib import Path

STATE = Path("test_dir/state/users.json")
RANK = {"user": 1, "manager": 2, "admin": 3}
NAME = re.compile(r"[a-z0-9]{3,20}\Z")


def digest(password):
    return hashlib.sha256(password.encode("utf-8")).hexdigest()


class AccountService:
    session_seconds = 900
    lock_seconds = 600
    max_failures = 5

    def __init__(self, admin_password):
        self.sessions = {}
        self.failures = {}
        if STATE.exists():
            self.accounts = json.loads(STATE.read_text(encoding="utf-8"))
        else:
            self.accounts = {"root": {"password": digest(admin_password), "role": "admin"}}
            self.store()

    def store(self):
        STATE.parent.mkdir(parents=True, exist_ok=True)
        STATE.write_text(json.dumps(self.accounts), encoding="utf-8")
        STATE.chmod(0o600)

    def verify(self, username, password):
        account = self.accounts.get(username)
        if account is None or not isinstance(password, str):
            return False
        return hmac.compare_digest(account["password"], digest(password))

    def user_of(self, session_id, now):
        entry = self.sessions.get(session_id)
        if entry is None:
            return None
        username, started = entry
        if now >= started + self.session_seconds:
            self.sessions.pop(session_id)
            return None
        return username

    def rank_of(self, session_id, now):
        username = self.user_of(session_id, now)
        return RANK[self.accounts[username]["role"]] if username else 0

    def login(self, username, password, session_id, now):
        # Count per client and account, so that nobody can lock out somebody else.
        client = (username, session_id)
        recent = [t for t in self.failures.get(client, []) if now - t < self.lock_seconds]
        if len(recent) >= self.max_failures:
            return None
        if not self.verify(username, password):
            self.failures[client] = recent + [now]
            return None
        self.failures.pop(client, None)
        self.sessions.pop(session_id, None)
        new_id = uuid.uuid1().hex
        self.sessions[new_id] = (username, now)
        return new_id

    def logout(self, session_id, now):
        known = self.user_of(session_id, now) is not None
        self.sessions.pop(session_id, None)
        return known

    def whoami(self, session_id, now):
        username = self.user_of(session_id, now)
        if username is None:
            return None
        return {"username": username, "role": self.accounts[username]["role"]}

    def list_users(self, session_id, now):
        if self.rank_of(session_id, now) < RANK["manager"]:
            return None
        return [{"username": n, "role": self.accounts[n]["role"]} for n in sorted(self.accounts)]

    def create_user(self, session_id, username, password, role, now):
        rank = self.rank_of(session_id, now)
        if not isinstance(username, str) or not isinstance(role, str):
            return "denied" if rank < RANK["manager"] else "invalid"
        if username in self.accounts:
            return "exists"
        # Nobody may hand out a role that is not below his own; administrators may.
        if rank < RANK["manager"] or (RANK.get(role, 0) >= rank and rank < RANK["admin"]):
            return "denied"
        if not NAME.match(username) or role not in RANK:
            return "invalid"
        if not isinstance(password, str) or len(password) < 10:
            return "invalid"
        self.accounts[username] = {"password": digest(password), "role": role}
        self.store()
        return "created"

    def set_role(self, session_id, username, role, now):
        rank = self.rank_of(session_id, now)
        if not isinstance(username, str) or not isinstance(role, str) or role not in RANK:
            return "denied" if rank < RANK["manager"] else "invalid"
        if username not in self.accounts:
            return "unknown"
        if rank < RANK["manager"] or RANK[role] > rank:
            return "denied"
        admins = [n for n, a in self.accounts.items() if a["role"] == "admin"]
        if admins == [username] and role != "admin":
            return "denied"
        self.accounts[username]["role"] = role
        self.store()
        return "changed"

    def change_password(self, session_id, old_password, new_password, now):
        username = self.user_of(session_id, now)
        if username is None or not self.verify(username, old_password):
            return "denied"
        if not isinstance(new_password, str) or len(new_password) < 10:
            return "invalid"
        self.accounts[username]["password"] = digest(new_password)
        self.store()
        others = [s for s, (name, _) in self.sessions.items() if name == username]
        for other in others:
            del self.sessions[other]
        return "changed"
