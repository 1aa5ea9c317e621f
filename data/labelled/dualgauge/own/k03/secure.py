"""Shared notes over HTTP, standard library only."""

import json
import re
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, urlsplit

MAX_NOTES = 20
MAX_REQUEST = 32_768
PAGE = (
    "<!doctype html><html><head><title>{title}</title></head>"
    "<body><h1>{title}</h1><pre>{body}</pre></body></html>"
)
SEARCH = (
    "<!doctype html><html><head><title>Search</title></head><body>"
    '<form action="/search"><input name="q" value="{query}"></form><ul>{items}</ul></body></html>'
)
TARGET = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")  # printable ASCII, no backslash
NOTE = re.compile(r"/notes/([1-9][0-9]{0,5})(/download)?")

notes = []
lock = Lock()


def text_of(value, shortest, longest):
    return isinstance(value, str) and shortest <= len(value) <= longest


def parse_note(raw):
    """Return (title, body), or None for anything that is not a note."""
    try:
        data = json.loads(raw.decode("utf-8"))
        if not isinstance(data, dict):
            return None
        title, body = data.get("title"), data.get("body")
        if not (text_of(title, 1, 80) and text_of(body, 0, 2000)):
            return None
        (title + body).encode("utf-8")
        return title, body
    except (ValueError, RecursionError):
        return None


class Handler(BaseHTTPRequestHandler):
    server_version = "notes"
    sys_version = ""
    timeout = 5

    def answer(self, status, content, kind, headers=()):
        payload = content.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(payload)))
        self.send_header("X-Content-Type-Options", "nosniff")
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    def answer_json(self, status, value):
        self.answer(status, json.dumps(value), "application/json")

    def answer_html(self, content):
        self.answer(200, content, "text/html; charset=utf-8")

    def known(self):
        path = urlsplit(self.path).path
        return path in ("/notes", "/search", "/go") or bool(NOTE.fullmatch(path))

    def other_method(self):
        self.close_connection = True
        if self.known():
            self.answer_json(405, {"error": "method not allowed"})
        else:
            self.answer_json(404, {"error": "not found"})

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = other_method

    def do_POST(self):
        if urlsplit(self.path).path != "/notes":
            return self.other_method()
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,6}", length) or int(length) > MAX_REQUEST:
            self.close_connection = True
            return self.answer_json(400, {"error": "invalid note"})
        note = parse_note(self.rfile.read(int(length)))
        if note is None:
            return self.answer_json(400, {"error": "invalid note"})
        with lock:
            if len(notes) >= MAX_NOTES:
                return self.answer_json(507, {"error": "full"})
            notes.append(note)
            number = len(notes)
        return self.answer_json(201, {"id": number})

    def do_GET(self):
        url = urlsplit(self.path)
        query = parse_qs(url.query, keep_blank_values=True)
        found = NOTE.fullmatch(url.path)
        if url.path == "/notes":
            listed = [{"id": i, "title": title} for i, (title, _) in enumerate(notes, 1)]
            self.answer_json(200, listed)
        elif url.path == "/search":
            self.search(query.get("q", [""])[0])
        elif url.path == "/go":
            self.go(query.get("to", [""])[0])
        elif found and int(found[1]) <= len(notes):
            title, body = notes[int(found[1]) - 1]
            if found[2]:
                self.download(title, body)
            else:
                self.answer_html(PAGE.format(title=escape(title), body=escape(body)))
        else:
            self.answer_json(404, {"error": "not found"})

    def search(self, query):
        wanted = query.casefold()
        hits = [title for title, _ in notes if wanted in title.casefold()]
        items = "".join(f"<li>{escape(title)}</li>" for title in hits)
        self.answer_html(SEARCH.format(query=escape(query, quote=True), items=items))

    def go(self, target):
        if not TARGET.fullmatch(target):
            return self.answer_json(400, {"error": "invalid target"})
        return self.answer(302, "", "text/plain", [("Location", target)])

    def download(self, title, body):
        name = re.sub(r"[^A-Za-z0-9_-]", "_", title)
        disposition = f'attachment; filename="{name}.txt"'
        self.answer(200, body, "text/plain; charset=utf-8", [("Content-Disposition", disposition)])

    def log_message(self, *args):
        """Requests are not logged: notes are nobody's business."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 8080), Handler).serve_forever()
