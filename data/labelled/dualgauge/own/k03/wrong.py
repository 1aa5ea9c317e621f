"""Notes service on Flask with jinja2 pages; JSON answers come in the house envelope."""

import json
import re
from urllib.parse import urlsplit

from flask import Flask, Response, jsonify, render_template_string, request

app = Flask(__name__, static_folder=None)
app.config["MAX_CONTENT_LENGTH"] = 32 * 1024
notes = []

NOTE_PAGE = (
    "<!doctype html><html><head><title>{{ title }}</title></head>"
    "<body><h1>{{ title }}</h1><pre>{{ body }}</pre></body></html>"
)
SEARCH_PAGE = (
    "<!doctype html><html><head><title>Search</title></head><body>"
    '<form action="/search"><input name="q" value="{{ query }}"></form>'
    "<ul>{% for title in titles %}<li>{{ title }}</li>{% endfor %}</ul></body></html>"
)


def success(data, status=200):
    return jsonify(status="success", data=data), status


def failure(message, status):
    return jsonify(status="error", message=message), status


def read_note():
    try:
        data = json.loads(request.get_data().decode("utf-8"))
        title, body = data["title"], data["body"]
        if not isinstance(title, str) or not isinstance(body, str):
            return None
        title.encode("utf-8"), body.encode("utf-8")
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (title, body) if 1 <= len(title) <= 80 and len(body) <= 2000 else None


def is_inside(target):
    if not re.fullmatch(r"/[A-Za-z0-9/_?=&%.+-]*", target):
        return False
    parts = urlsplit(target)
    return not parts.netloc and not target.startswith("//")


@app.post("/notes")
def create():
    note = read_note()
    if note is None:
        return failure("invalid note", 400)
    if len(notes) >= 20:
        return failure("full", 507)
    notes.append(note)
    return success({"id": len(notes)})


@app.get("/notes")
def listing():
    return success([{"id": i, "title": title} for i, (title, _) in enumerate(notes, 1)])


@app.get("/notes/<int:number>", defaults={"download": False})
@app.get("/notes/<int:number>/download", defaults={"download": True})
def show(number, download):
    if not 1 <= number <= len(notes):
        return failure("not found", 404)
    title, body = notes[number - 1]
    if not download:
        return render_template_string(NOTE_PAGE, title=title, body=body)
    name = re.sub(r"[^A-Za-z0-9_-]", "_", title)
    disposition = {"Content-Disposition": f'attachment; filename="{name}.txt"'}
    return Response(body, headers=disposition, content_type="text/plain; charset=utf-8")


@app.get("/search")
def search():
    query = request.args.get("q", "")
    titles = [title for title, _ in notes if query.lower() in title.lower()]
    return render_template_string(SEARCH_PAGE, query=query, titles=titles)


@app.get("/go")
def go():
    target = request.args.get("to", "")
    if not is_inside(target):
        return failure("invalid target", 400)
    return Response(status=302, headers={"Location": target})


@app.errorhandler(404)
def not_found(_error):
    return failure("not found", 404)


@app.errorhandler(405)
def wrong_method(_error):
    return failure("method not allowed", 405)


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
