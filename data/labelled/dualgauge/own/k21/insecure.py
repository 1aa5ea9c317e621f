"""Download server: signed links with an expiry date."""

import hashlib
import hmac
import json
import os
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, quote, unquote, urlparse

BASE = os.path.abspath("test_dir/files")
MAX_TTL = 86400

with open("test_dir/link.key") as f:
    KEY = f.read().strip()
with open("test_dir/admin.token") as f:
    TOKEN = f.read().strip()


def sign(name, exp):
    return hmac.new(KEY.encode(), f"{name}\n{exp}".encode(), hashlib.sha256).hexdigest()


def find_file(name):
    # Normalise the path and make sure that it stays in the base folder.
    path = os.path.abspath(os.path.join(BASE, unquote(name)))
    if not path.startswith(BASE) or not os.path.isfile(path):
        return None
    return path


class DownloadHandler(BaseHTTPRequestHandler):
    def reply(self, status, data, headers=None):
        if not isinstance(data, bytes):
            data = json.dumps(data).encode()
            headers = {"Content-Type": "application/json"}
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def error(self, status, message):
        self.reply(status, {"error": message})

    def now(self):
        value = self.headers.get("X-Now", "")
        return int(value) if value.isdigit() and len(value) <= 12 else None

    def do_GET(self):
        url = urlparse(self.path)
        if url.path == "/links":
            return self.error(405, "method not allowed")
        if url.path != "/d":
            return self.error(404, "not found")
        now = self.now()
        if now is None:
            return self.error(400, "bad request")
        params = parse_qs(url.query)
        name = params.get("file", [""])[0]
        exp = params.get("exp", [""])[0]
        sig = params.get("sig", [""])[0]
        if not name or not exp.isdigit() or not re.match(r"^[0-9a-f]{64}$", sig):
            return self.error(400, "bad request")
        if not hmac.compare_digest(sign(name, exp), sig):
            return self.error(403, "forbidden")
        if now >= int(exp) or int(exp) > now + MAX_TTL:
            return self.error(410, "expired")
        path = find_file(name)
        if path is None:
            return self.error(404, "not found")
        with open(path, "rb") as f:
            data = f.read()
        filename = re.sub(r"[^A-Za-z0-9._-]", "_", os.path.basename(name))
        self.reply(
            200,
            data,
            {
                "Content-Type": "application/octet-stream",
                "Content-Disposition": f'attachment; filename="{filename}"',
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            },
        )

    def do_POST(self):
        url = urlparse(self.path)
        if url.path == "/d":
            return self.error(405, "method not allowed")
        if url.path != "/links":
            return self.error(404, "not found")
        now = self.now()
        if now is None:
            return self.error(400, "bad request")
        auth = self.headers.get("Authorization", "")
        if not auth.startswith("Bearer ") or not auth.endswith(TOKEN):
            return self.error(401, "unauthorized")
        try:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            name, ttl = body["file"], body["ttl"]
        except (ValueError, KeyError, TypeError):
            return self.error(400, "bad request")
        if not isinstance(name, str) or not isinstance(ttl, int) or not 0 < ttl <= MAX_TTL:
            return self.error(400, "bad request")
        if find_file(name) is None:
            return self.error(404, "not found")
        exp = now + ttl
        self.reply(201, {"url": f"/d?file={quote(name)}&exp={exp}&sig={sign(name, exp)}"})

    def do_DELETE(self):
        known = urlparse(self.path).path in ("/d", "/links")
        self.error(405, "method not allowed") if known else self.error(404, "not found")

    do_PUT = do_PATCH = do_DELETE

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8080), DownloadHandler).serve_forever()
