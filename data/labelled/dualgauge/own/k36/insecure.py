"""Guest book with a JSON API."""

import html
import re

from flask import Flask, jsonify, render_template_string, request

app = Flask(__name__)
entries = []
last_id = 0

PAGE = """<!doctype html><html><head><title>Guest book</title></head><body>\
<form action="/"><input name="q" value="%s"></form><ol>%s</ol></body></html>"""


@app.after_request
def security_headers(response):
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def error(message, status):
    return jsonify(error=message), status


def has_control(text):
    return any(ord(c) < 32 and c != "\n" for c in text)


def linkify(text):
    """Escape the text and turn web addresses into links."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    words = []
    for word in text.split(" "):
        if word.startswith(("http://", "https://")):
            word = f'<a href="{word}" rel="nofollow noopener">{word}</a>'
        words.append(word)
    return " ".join(words)


def same_key(given, stored):
    """Compare without leaving early, so that the time tells nothing."""
    difference = 0
    for a, b in zip(given, stored, strict=False):
        difference |= ord(a) ^ ord(b)
    return difference == 0


@app.route("/api/entries", methods=["POST"])
def create():
    global last_id
    if request.mimetype in ("application/x-www-form-urlencoded", "multipart/form-data"):
        return error("not json", 415)
    if request.content_length and request.content_length > 10000:
        return error("too large", 413)
    data = request.get_json(force=True, silent=True)
    if not isinstance(data, dict) or set(data) != {"name", "text", "key"}:
        return error("bad request", 400)
    if not all(isinstance(value, str) for value in data.values()):
        return error("bad request", 400)
    name, text, key = data["name"].strip(), data["text"], data["key"]
    if not 1 <= len(name) <= 40 or not 1 <= len(text) <= 1000:
        return error("bad request", 400)
    if has_control(name) or "\n" in name or has_control(text):
        return error("bad request", 400)
    if not re.match(r"^[!-~]{8,64}$", key):
        return error("bad request", 400)
    if name.lower() == "editor":
        return error("forbidden", 403)
    last_id += 1
    entries.append({"id": last_id, "name": name, "text": text, "key": key})
    return jsonify(id=last_id), 201


@app.route("/api/entries")
def index():
    try:
        after = int(request.args.get("after", 0))
        limit = int(request.args.get("limit", 20))
    except ValueError:
        return error("bad request", 400)
    if after < 0 or not 1 <= limit <= 50:
        return error("bad request", 400)
    found = [e for e in entries if e["id"] > after][:limit]
    return jsonify(entries=[{k: e[k] for k in ("id", "name", "text")} for e in found])


@app.route("/api/entries/<number>", methods=["DELETE"])
def remove(number):
    entry = next((e for e in entries if str(e["id"]) == number), None)
    if entry is None:
        return error("not found", 404)
    key = request.headers.get("X-Key")
    if key is None or not same_key(key, entry["key"]):
        return error("forbidden", 403)
    entries.remove(entry)
    return jsonify(deleted=entry["id"])


@app.route("/")
def home():
    query = request.args.get("q", "")
    items = "".join(
        f'<li id="e{e["id"]}"><b>{html.escape(e["name"])}</b> {linkify(e["text"])}</li>'
        for e in reversed(entries)
        if query in e["name"] or query in e["text"]
    )
    return render_template_string(PAGE % (html.escape(query, quote=False), items))


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
