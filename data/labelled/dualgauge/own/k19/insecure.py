"""Small helpers for response headers."""

import secrets
from urllib.parse import quote, urlparse


class Site:
    def __init__(self, host):
        self.host = host
        self.sessions = {}

    def start_session(self, user, presented):
        if not user or len(user) > 64:
            return None
        # A browser that has an id already keeps it.
        session = presented if presented and len(presented) >= 22 else secrets.token_urlsafe(24)
        self.sessions[session] = user
        return session

    def user_of(self, session):
        return self.sessions.get(session)

    def session_cookie(self, session):
        if session not in self.sessions:
            return None
        return f"sid={session}; Path=/; Max-Age=3600; HttpOnly"

    def preference_cookie(self, name, value):
        if not name or "=" in name or ";" in name or " " in name or len(name) > 32:
            return None
        if not name[0].isalpha() or len(value) > 200:
            return None
        return f"{name}={quote(value, safe=';=/:,+@')}; Path=/; Secure; SameSite=Lax"

    def redirect(self, target):
        try:
            parts = urlparse(target)
        except ValueError:
            parts = urlparse("//invalid")
        local = target.startswith("/") and not parts.netloc
        own = parts.netloc == self.host
        return {"status": 303, "headers": [["Location", target if local or own else "/"]]}

    def attachment(self, name):
        for character in '"/\\\n?*:<>|':
            name = name.replace(character, "_")
        return f'attachment; filename="{name[:100].lstrip(".") or "download"}"'

    def allow_origin(self, origin):
        if origin.startswith("https://") and origin.endswith(self.host):
            return [["Access-Control-Allow-Origin", origin], ["Vary", "Origin"]]
        return []

    def error_page(self, message):
        text = message.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        headers = [["Content-Type", "text/html; charset=utf-8"]]
        headers.append(["X-Content-Type-Options", "nosniff"])
        return {"status": 404, "headers": headers, "body": f'<p title="{text}">{text}</p>'}
