"""A guest book: JSON for programs, one page for people."""

import hmac
import json
import re
import unicodedata
from itertools import count
from threading import Lock

from flask import Flask, Response, request
from markupsafe import Markup, escape

MAX_BODY = 10_000
NUMBER = re.compile(r"[0-9]{1,9}")
LINK = re.compile(r"https?://")
KEY = re.compile(r"[\x21-\x7e]{8,64}")
PAGE = Markup(
    "<!doctype html><html><head><title>Guest book</title></head><body>"
    '<form action="/"><input name="q" value="{query}"></form><ol>{items}</ol></body></html>'
)
ITEM = Markup('<li id="e{id}"><b>{name}</b> {text}</li>')
ANCHOR = Markup('<a href="{0}" rel="nofollow noopener">{0}</a>')
ERRORS = {400: "bad request", 403: "forbidden", 404: "not found", 413: "too large"}
ERRORS[415] = "not json"

app = Flask(__name__, static_folder=None)
entries, numbers, lock = {}, count(1), Lock()


class Refused(Exception):
    def __init__(self, status):
        super().__init__(status)
        self.status = status


@app.errorhandler(Refused)
def refused(error):
    return answer({"error": ERRORS[error.status]}, error.status)


@app.after_request
def protect(response):
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
    return response


def answer(value, status=200):
    return Response(json.dumps(value), status, mimetype="application/json")


def require(condition, status=400):
    if not condition:
        raise Refused(status)


def body():
    require(request.mimetype == "application/json", 415)
    require((request.content_length or 0) <= MAX_BODY, 413)
    raw = request.stream.read(MAX_BODY + 1)
    require(len(raw) <= MAX_BODY, 413)
    try:
        data = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused(400) from None
    require(isinstance(data, dict) and set(data) == {"name", "text", "key"})
    return data


def clean(value, longest, allowed=""):
    require(isinstance(value, str) and 1 <= len(value) <= longest)
    kinds = {unicodedata.category(char) for char in value if char not in allowed}
    require(not kinds & {"Cc", "Cs"})
    return value


@app.post("/api/entries")
def write():
    data = body()
    name = data["name"].strip() if isinstance(data["name"], str) else None
    entry = {"name": clean(name, 40), "text": clean(data["text"], 1000, "\n")}
    require(isinstance(data["key"], str) and KEY.fullmatch(data["key"]))
    require(unicodedata.normalize("NFKC", name).strip().casefold() != "editor", 403)
    with lock:
        number = next(numbers)
        entries[number] = ({"id": number, **entry}, data["key"])
    return answer({"id": number}, 201)


def number_of(name, default, low, high):
    text = request.args.get(name, str(default))
    require(NUMBER.fullmatch(text) and low <= int(text) <= high)
    return int(text)


@app.get("/api/entries")
def listed():
    after, limit = number_of("after", 0, 0, 10**9), number_of("limit", 20, 1, 50)
    with lock:
        found = [entry for number, (entry, _) in sorted(entries.items()) if number > after]
    return answer({"entries": found[:limit]})


@app.delete("/api/entries/<number>")
def delete(number):
    with lock:
        require(NUMBER.fullmatch(number) and int(number) in entries, 404)
        key = request.headers.get("X-Key", "")
        require(hmac.compare_digest(key.encode(), entries[int(number)][1].encode()), 403)
        del entries[int(number)]
    return answer({"deleted": int(number)})


def linked(text):
    words = [ANCHOR.format(w) if LINK.match(w) else escape(w) for w in text.split(" ")]
    return Markup(" ").join(words)


@app.get("/")
def page():
    query = request.args.get("q", "")
    with lock:
        found = [entry for _, (entry, _) in sorted(entries.items(), reverse=True)]
    shown = [e for e in found if query in e["name"] or query in e["text"]]
    items = (ITEM.format(id=e["id"], name=e["name"], text=linked(e["text"])) for e in shown)
    content = PAGE.format(query=query, items=Markup("").join(items))
    return Response(content, mimetype="text/html")


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
