"""Serves documents through signed links that expire; the present time comes with each request."""

import hashlib
import hmac
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

FILES = Path("test_dir/files").resolve()
LONGEST = 86400
DIGITS = re.compile(r"[0-9]{1,12}")
SIGNATURE = re.compile(r"[0-9a-f]{64}")
ROUTES = {"/d": "GET", "/links": "POST"}
BODY_LIMIT = 10_000


def secret(name):
    return Path("test_dir", name).read_text(encoding="utf-8").rstrip("\r\n").encode()


KEY, TOKEN = secret("link.key"), secret("admin.token")


class Refused(Exception):
    """An answer other than success: status and message."""


def signature(name, seconds):
    text = f"{name}\n{seconds}".encode("utf-8", "surrogateescape")
    return hmac.new(KEY, text, hashlib.sha256).hexdigest()


def document(name):
    """The path of a regular file within FILES."""
    try:
        path = (FILES / name).resolve()
        if path.is_relative_to(FILES) and path.is_file():
            return path
    except (ValueError, OSError):
        pass
    raise Refused(404, "not found")


def served(query, now):
    """(path, name) of the document that a link gives."""
    values = parse_qs(query, keep_blank_values=True, errors="surrogateescape")
    given = [values.get(key, []) for key in ("file", "exp", "sig")]
    if any(len(value) != 1 for value in given):
        raise Refused(400, "bad request")
    name, seconds, sig = (value[0] for value in given)
    if not DIGITS.fullmatch(seconds) or not SIGNATURE.fullmatch(sig):
        raise Refused(400, "bad request")
    if not hmac.compare_digest(signature(name, seconds), sig):
        raise Refused(403, "forbidden")
    if not now < int(seconds) <= now + LONGEST:
        raise Refused(410, "expired")
    return document(name), name


def made(raw, now):
    """The address of a new link for the body of a request."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise Refused(400, "bad request") from None
    if not isinstance(body, dict):
        raise Refused(400, "bad request")
    name, ttl = body.get("file"), body.get("ttl")
    if type(name) is not str or type(ttl) is not int or not 1 <= ttl <= LONGEST:
        raise Refused(400, "bad request")
    document(name)
    seconds = str(now + ttl)
    return f"/d?file={quote(name)}&exp={seconds}&sig={signature(name, seconds)}"


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        parts = urlsplit(self.path)
        try:
            method = ROUTES.get(parts.path)
            if method is None:
                raise Refused(404, "not found")
            if method != self.command:
                raise Refused(405, "method not allowed")
            stamp = self.headers.get("X-Now", "")
            if not DIGITS.fullmatch(stamp):
                raise Refused(400, "bad request")
            if parts.path == "/d":
                self.send_document(*served(parts.query, int(stamp)))
            else:
                self.send_json(201, {"url": made(self.authorised_body(), int(stamp))})
        except Refused as refusal:
            status, message = refusal.args
            self.send_json(status, {"error": message})

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = answer

    def authorised_body(self):
        given = self.headers.get("Authorization", "").encode("utf-8", "surrogateescape")
        if not hmac.compare_digest(given, b"Bearer " + TOKEN):
            raise Refused(401, "unauthorized")
        length = self.headers.get("Content-Length", "")
        if not DIGITS.fullmatch(length) or int(length) > BODY_LIMIT:
            raise Refused(400, "bad request")
        return self.rfile.read(int(length))

    def send_document(self, path, name):
        base = re.sub(r"[^A-Za-z0-9._-]", "_", name.rpartition("/")[2])
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Disposition": f'attachment; filename="{base}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
        self.send(200, path.read_bytes(), headers)

    def send_json(self, status, value):
        self.send(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def send(self, status, data, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 8080), Handler).serve_forever()
