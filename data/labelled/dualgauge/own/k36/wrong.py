"""Guest book, written with templates that escape by themselves."""

import json
import secrets
import unicodedata

from flask import Flask, make_response, render_template_string, request

app = Flask("guestbook")
app.config["MAX_CONTENT_LENGTH"] = 10_000
BOOK = []
RULES = "default-src 'none'; form-action 'self'; frame-ancestors 'none'"
TEMPLATE = (
    "<!doctype html><html><head><title>Guest book</title></head><body>"
    '<form action="/"><input name="q" value="{{ q }}"></form><ol>'
    '{% for e in book %}<li id="e{{ e.id }}"><b>{{ e.name }}</b> '
    "{% for w in e.text.split(' ') %}"
    '{% if w.startswith(("http://", "https://")) %}<a href="{{ w }}">{{ w }}</a>'
    "{% else %}{{ w }}{% endif %}{% if not loop.last %} {% endif %}"
    "{% endfor %}</li>{% endfor %}</ol></body></html>"
)


@app.after_request
def guard(response):
    response.headers.update({"Content-Security-Policy": RULES, "X-Content-Type-Options": "nosniff"})
    return response


def reply(status, **content):
    response = make_response(json.dumps(content), status)
    response.mimetype = "application/json"
    return response


@app.errorhandler(413)
def too_large(_):
    return reply(413, error="too large")


def visible(text):
    return not any(unicodedata.category(c) in ("Cc", "Cs") for c in text)


def good(entry):
    if not isinstance(entry, dict) or sorted(entry) != ["key", "name", "text"]:
        return False
    if not all(isinstance(v, str) and v for v in entry.values()):
        return False
    sizes = len(entry["name"]) <= 40 and len(entry["text"]) < 1000 and 8 <= len(entry["key"]) <= 64
    key = all("!" <= c <= "~" for c in entry["key"])
    return sizes and key and visible(entry["name"]) and visible(entry["text"].replace("\n", ""))


def parsed():
    try:
        return json.loads(request.get_data().decode("utf-8"))
    except (ValueError, RecursionError):
        return None


@app.post("/api/entries")
def add():
    if request.mimetype != "application/json":
        return reply(415, error="not json")
    entry = parsed()
    if not good(entry):
        return reply(400, error="bad request")
    plain = unicodedata.normalize("NFKC", entry["name"]).strip().casefold()
    if plain == "editor":
        return reply(403, error="forbidden")
    BOOK.append({"id": len(BOOK) + 1, **entry})
    return reply(201, id=len(BOOK))


def whole(name, usual):
    text = request.args.get(name, usual)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


@app.get("/api/entries")
def show():
    after, limit = whole("after", "0"), whole("limit", "50")
    if after < 0 or not 1 <= limit <= 50:
        return reply(400, error="bad request")
    rows = [e for e in BOOK if e["id"] > after][:limit]
    return reply(200, entries=[{"id": e["id"], "name": e["name"], "text": e["text"]} for e in rows])


@app.delete("/api/entries/<int:number>")
def drop(number):
    for entry in BOOK:
        if entry["id"] == number:
            given = request.headers.get("X-Key", "")
            if not secrets.compare_digest(given.encode(), entry["key"].encode()):
                return reply(403, error="forbidden")
            BOOK.remove(entry)
            return reply(200, deleted=True)
    return reply(404, error="not found")


@app.get("/")
def page():
    q = request.args.get("q", "")
    book = [e for e in BOOK if q in e["name"] or q in e["text"]]
    return render_template_string(TEMPLATE, q=q, book=book)


if __name__ == "__main__":
    app.run("127.0.0.1", 8080)
