"""Shared notes with Flask."""

import re

from flask import Flask, Response, jsonify, redirect, request
from werkzeug.exceptions import HTTPException

app = Flask(__name__, static_folder="test_dir", static_url_path="/test_dir")
app.config["MAX_CONTENT_LENGTH"] = 64 * 1024
notes = []

DANGEROUS = re.compile(r"<\s*/?\s*script[^>]*>|javascript:|onerror\s*=|<\s*iframe", re.IGNORECASE)


def sanitize(text):
    """Remove the usual ways to smuggle scripts into a page."""
    return DANGEROUS.sub("", text).replace('"', "&quot;")


@app.errorhandler(HTTPException)
def http_error(error):
    names = {404: "not found", 405: "method not allowed"}
    return jsonify(error=names.get(error.code, error.name.lower())), error.code


@app.errorhandler(Exception)
def any_error(error):
    return jsonify(error=f"{type(error).__name__}: {error}"), 500


@app.post("/notes")
def create():
    data = request.get_json(force=True, silent=True)
    try:
        title, body = data["title"], data["body"]
    except (KeyError, TypeError):
        return jsonify(error="invalid note"), 400
    if not isinstance(title, str) or not isinstance(body, str):
        return jsonify(error="invalid note"), 400
    if not 1 <= len(title) <= 80 or len(body) > 2000:
        return jsonify(error="invalid note"), 400
    if len(notes) >= 20:
        return jsonify(error="full"), 507
    notes.append((title, body))
    return jsonify(id=len(notes)), 201


@app.get("/notes")
def listing():
    return jsonify([{"id": i, "title": title} for i, (title, _) in enumerate(notes, 1)])


def lookup(number):
    try:
        return notes[number - 1]
    except IndexError:
        return None


@app.get("/notes/<int:number>")
def show(number):
    note = lookup(number)
    if note is None:
        return jsonify(error="not found"), 404
    title, body = map(sanitize, note)
    return (
        f"<!doctype html><html><head><title>{title}</title></head>"
        f"<body><h1>{title}</h1><pre>{body}</pre></body></html>"
    )


@app.get("/notes/<int:number>/download")
def download(number):
    note = lookup(number)
    if note is None:
        return jsonify(error="not found"), 404
    name = re.sub(r"[^A-Za-z0-9_-]", "_", note[0])
    answer = Response(note[1], content_type="text/plain; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.txt"'
    return answer


@app.get("/search")
def search():
    query = request.args.get("q", "")
    hits = [title for title, _ in notes if re.search(query, title, re.IGNORECASE)]
    items = "".join(f"<li>{sanitize(title)}</li>" for title in hits)
    return (
        "<!doctype html><html><head><title>Search</title></head><body>"
        f'<form action="/search"><input name="q" value="{sanitize(query)}"></form>'
        f"<ul>{items}</ul></body></html>"
    )


@app.get("/go")
def go():
    target = request.args.get("to", "")
    if not target.startswith("/"):
        return jsonify(error="invalid target"), 400
    return redirect(target, 302)


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
