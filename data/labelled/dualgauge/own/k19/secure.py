"""Headers of a web site: sessions, cookies, redirects, downloads, origins and error pages."""

import html
import re
import secrets
from urllib.parse import quote

LOCAL = re.compile(r"/(?!/)[A-Za-z0-9._~!$&()*+,;=:@%/?#-]{0,999}")
COOKIE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
ATTRIBUTES = "Path=/; Max-Age=3600; Secure; HttpOnly; SameSite=Lax"


class Site:
    def __init__(self, host):
        self.host = host
        self.sessions = {}

    def start_session(self, user, presented):
        if isinstance(presented, str):
            self.sessions.pop(presented, None)
        if not isinstance(user, str) or not 1 <= len(user) <= 64:
            return None
        session = secrets.token_urlsafe(32)
        self.sessions[session] = user
        return session

    def user_of(self, session):
        return self.sessions.get(session) if isinstance(session, str) else None

    def session_cookie(self, session):
        if self.user_of(session) is None:
            return None
        return f"sid={session}; {ATTRIBUTES}"

    def preference_cookie(self, name, value):
        if not isinstance(name, str) or not COOKIE.fullmatch(name) or name.lower() == "sid":
            return None
        if not isinstance(value, str) or len(value) > 200:
            return None
        try:
            return f"{name}={quote(value, safe='')}; Path=/; Secure; SameSite=Lax"
        except UnicodeEncodeError:
            return None

    def redirect(self, target):
        local = target if isinstance(target, str) else ""
        home = f"https://{self.host}/"
        if local.startswith(home):
            local = local[len(home) - 1 :]
        good = LOCAL.fullmatch(local) is not None
        return {"status": 303, "headers": [["Location", target if good else "/"]]}

    def attachment(self, name):
        text = name if isinstance(name, str) else ""
        plain = re.sub(r"[^A-Za-z0-9 ._-]", "_", text)[:100].lstrip(".")
        return f'attachment; filename="{plain or "download"}"'

    def allow_origin(self, origin):
        known = (f"https://{self.host}", f"https://app.{self.host}")
        if not isinstance(origin, str) or origin not in known:
            return []
        return [["Access-Control-Allow-Origin", origin], ["Vary", "Origin"]]

    def error_page(self, message):
        shown = html.escape(message if isinstance(message, str) else "").replace("&#x27;", "&#39;")
        body = f'<p title="{shown}">{shown}</p>'
        headers = [["Content-Type", "text/html; charset=utf-8"]]
        headers.append(["X-Content-Type-Options", "nosniff"])
        return {"status": 404, "headers": headers, "body": body}
