"""Office notes: a tiny HTTP server."""

import html
import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

NOTES = []


def clean(text):
    """Escape text so that it cannot contain tags."""
    return html.escape(text, quote=False)


def note_page(note):
    title, body = clean(note["title"]), clean(note["body"])
    return (
        f"<!doctype html><html><head><title>{title}</title></head>"
        f"<body><h1>{title}</h1><pre>{body}</pre></body></html>"
    )


def search_page(query):
    hits = [n["title"] for n in NOTES if query.lower() in n["title"].lower()]
    items = "".join(f"<li>{clean(title)}</li>" for title in hits)
    return (
        "<!doctype html><html><head><title>Search</title></head><body>"
        f'<form action="/search"><input name="q" value="{clean(query)}"></form>'
        f"<ul>{items}</ul></body></html>"
    )


def is_local(target):
    return target.startswith("/") and not target.startswith("//")


class NotesHandler(BaseHTTPRequestHandler):
    def reply(self, status, body, content_type, extra=None):
        data = body.encode("utf-8")
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        for key, value in (extra or {}).items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data)

    def reply_json(self, status, payload):
        self.reply(status, json.dumps(payload), "application/json")

    def reply_html(self, page):
        self.reply(200, page, "text/html; charset=utf-8")

    def do_POST(self):
        if urlparse(self.path).path != "/notes":
            return self.do_DELETE()
        try:
            size = int(self.headers.get("Content-Length", 0))
            data = json.loads(self.rfile.read(size))
            title, body = data["title"], data["body"]
            valid = 1 <= len(title) <= 80 and len(body) <= 2000 and isinstance(title, str)
        except (ValueError, KeyError, TypeError):
            valid = False
        if not valid:
            return self.reply_json(400, {"error": "invalid note"})
        NOTES.append({"id": len(NOTES) + 1, "title": title, "body": body})
        self.reply_json(201, {"id": len(NOTES)})

    def do_DELETE(self):
        path = urlparse(self.path).path
        if path in ("/notes", "/search", "/go") or re.match(r"/notes/\d+", path):
            self.reply_json(405, {"error": "method not allowed"})
        else:
            self.reply_json(404, {"error": "not found"})

    do_PUT = do_DELETE

    def do_GET(self):
        url = urlparse(self.path)
        params = parse_qs(url.query)
        match = re.match(r"/notes/(\d+)(/download)?$", url.path)
        if url.path == "/notes":
            self.reply_json(200, [{"id": n["id"], "title": n["title"]} for n in NOTES])
        elif url.path == "/search":
            self.reply_html(search_page(params.get("q", [""])[0]))
        elif url.path == "/go":
            target = params.get("to", [""])[0]
            if is_local(target):
                self.reply(302, "", "text/plain", {"Location": target})
            else:
                self.reply_json(400, {"error": "invalid target"})
        elif match and 1 <= int(match.group(1)) <= len(NOTES):
            note = NOTES[int(match.group(1)) - 1]
            if match.group(2):
                name = re.sub(r"[^\w\s-]", "_", note["title"]).replace(" ", "_")
                disposition = {"Content-Disposition": f'attachment; filename="{name}.txt"'}
                self.reply(200, note["body"], "text/plain; charset=utf-8", disposition)
            else:
                self.reply_html(note_page(note))
        else:
            self.reply_json(404, {"error": "not found"})


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8080), NotesHandler).serve_forever()
