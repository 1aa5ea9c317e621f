"""Header helpers: allow-lists of characters throughout, with small liberties in the answers."""

import secrets
import string

PLAIN = frozenset(string.ascii_letters + string.digits)
PATH = PLAIN | frozenset("/-._~!$()*+,;=:@%?&#")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def percent(text):
    keep = PLAIN | frozenset("-._~")
    encoded = text.encode("utf-8", "replace")
    return "".join(chr(b) if chr(b) in keep else f"%{b:02x}" for b in encoded)


class Site:
    def __init__(self, host):
        self.host = host
        self.known = {}

    def start_session(self, user, presented):
        if isinstance(presented, str) and presented in self.known:
            del self.known[presented]
        if not isinstance(user, str) or not 0 < len(user) <= 64:
            return None
        session = secrets.token_hex(24)
        self.known[session] = user
        return session

    def user_of(self, session):
        return self.known.get(session) if isinstance(session, str) else None

    def session_cookie(self, session):
        if not isinstance(session, str) or session not in self.known:
            return None
        return f"SID={session}; Path=/; Max-Age=3600; SameSite=Strict; Secure; HttpOnly"

    def preference_cookie(self, name, value):
        if not isinstance(name, str) or not 0 < len(name) <= 32 or name.lower() == "sid":
            return None
        if not set(name) <= PLAIN | {"_", "-"} or not name[0].isalpha():
            return None
        if not isinstance(value, str) or len(value) > 200:
            return None
        return f"{name}={percent(value)}; Path=/; SameSite=Lax; Secure"

    def redirect(self, target):
        path = target if isinstance(target, str) else ""
        if path.startswith(f"https://{self.host}/"):
            path = path.removeprefix(f"https://{self.host}")
        good = path[:1] == "/" and path[1:2] != "/" and set(path) <= PATH and len(path) <= 1000
        return {"status": 302, "headers": [["Location", path if good else "/"]]}

    def attachment(self, name):
        text = name if isinstance(name, str) else ""
        kept = "".join(c if c in PLAIN | {"-", "_", "."} else "_" for c in text[:100])
        return f"attachment; filename={kept.lstrip('.') or 'download'}"

    def allow_origin(self, origin):
        if origin in (f"https://{self.host}", f"https://app.{self.host}"):
            return [["Access-Control-Allow-Origin", origin], ["Vary", "Origin"]]
        return []

    def error_page(self, message):
        text = "".join(ENTITIES.get(c, c) for c in message) if isinstance(message, str) else ""
        kind = ["Content-Type", "text/html; charset=utf-8"]
        safe = ["X-Content-Type-Options", "nosniff"]
        return {"status": 404, "headers": [kind, safe], "body": f'<p title="{text}">{text}</p>'}
