"""Accounts, roles and sessions; accounts live in one file that only its owner can read."""

import hashlib
import hmac
import json
import os
import re
import secrets
import tempfile

STATE_FILE = "test_dir/state/users.json"
SESSION_SECONDS = 900
MAX_FAILURES = 5
LOCK_SECONDS = 600
ROLES = ("admin", "manager", "user")
USERNAME = re.compile(r"[a-z0-9]{3,20}")
SCRYPT = {"n": 2**13, "r": 8, "p": 1}


def _hash(password, salt):
    secret = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(secret, salt=bytes.fromhex(salt), **SCRYPT).hex()


def _good_password(password):
    return isinstance(password, str) and 10 <= len(password) <= 200


class AccountService:
    def __init__(self, admin_password):
        self._sessions = {}
        self._failures = {}
        self._users = self._load()
        if not self._users:
            self._put("root", admin_password, "admin")

    def _load(self):
        try:
            with open(STATE_FILE, encoding="utf-8") as state:
                return json.load(state)
        except FileNotFoundError:
            return {}

    def _save(self):
        """Write a new file beside the old one (mkstemp: mode 0600), then put it in its place."""
        folder = os.path.dirname(STATE_FILE)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as state:
            json.dump(self._users, state)
        os.replace(name, STATE_FILE)

    def _put(self, username, password, role):
        salt = secrets.token_hex(16)
        self._users[username] = {"salt": salt, "hash": _hash(password, salt), "role": role}
        self._save()

    def _matches(self, username, password):
        user = self._users.get(username, {"salt": "00", "hash": ""})
        if not isinstance(password, str) or len(password) > 200:
            return False
        return hmac.compare_digest(_hash(password, user["salt"]), user["hash"])

    def _caller(self, session_id, now):
        """(name, role as it is now) of a session that still runs, else (None, None)."""
        session = self._sessions.get(session_id) if isinstance(session_id, str) else None
        if session is None or not 0 <= now - session["since"] < SESSION_SECONDS:
            return None, None
        name = session["username"]
        return name, self._users[name]["role"]

    def _end_sessions(self, username):
        kept = {k: s for k, s in self._sessions.items() if s["username"] != username}
        self._sessions = kept

    def login(self, username, password, session_id, now):
        if isinstance(session_id, str):
            self._sessions.pop(session_id, None)
        if not isinstance(username, str):
            return None
        count, locked_until = self._failures.get(username, (0, None))
        if locked_until is not None:
            if now < locked_until:
                return None
            count = 0
        if not self._matches(username, password):
            count += 1
            until = now + LOCK_SECONDS if count >= MAX_FAILURES else None
            self._failures[username] = (count, until)
            return None
        self._failures.pop(username, None)
        token = secrets.token_urlsafe(32)
        self._sessions[token] = {"username": username, "since": now}
        return token

    def logout(self, session_id, now):
        name, _ = self._caller(session_id, now)
        if isinstance(session_id, str):
            self._sessions.pop(session_id, None)
        return name is not None

    def whoami(self, session_id, now):
        name, role = self._caller(session_id, now)
        return {"username": name, "role": role} if name else None

    def list_users(self, session_id, now):
        _, role = self._caller(session_id, now)
        if role not in ("admin", "manager"):
            return None
        return [{"username": n, "role": self._users[n]["role"]} for n in sorted(self._users)]

    def create_user(self, session_id, username, password, role, now):
        _, own_role = self._caller(session_id, now)
        allowed = own_role == "admin" or (own_role == "manager" and role == "user")
        if not allowed:
            return "denied"
        if not isinstance(username, str) or not USERNAME.fullmatch(username):
            return "invalid"
        if not _good_password(password) or not isinstance(role, str) or role not in ROLES:
            return "invalid"
        if username in self._users:
            return "exists"
        self._put(username, password, role)
        return "created"

    def set_role(self, session_id, username, role, now):
        _, own_role = self._caller(session_id, now)
        if own_role != "admin":
            return "denied"
        if not isinstance(username, str) or not isinstance(role, str) or role not in ROLES:
            return "invalid"
        if username not in self._users:
            return "unknown"
        admins = [n for n, user in self._users.items() if user["role"] == "admin"]
        if admins == [username] and role != "admin":
            return "denied"
        self._users[username]["role"] = role
        self._save()
        return "changed"

    def change_password(self, session_id, old_password, new_password, now):
        name, role = self._caller(session_id, now)
        if name is None or not self._matches(name, old_password):
            return "denied"
        if not _good_password(new_password):
            return "invalid"
        self._put(name, new_password, role)
        self._end_sessions(name)
        return "changed"
