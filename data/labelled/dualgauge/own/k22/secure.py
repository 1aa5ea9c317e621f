"""A to-do service with signed tokens, a form with an anti-forgery token, and two known origins."""

import hashlib
import hmac
import html
import json
import re
from pathlib import Path

from flask import Flask, Response, request

ORIGINS = {"https://app.example.org", "https://desk.example.org"}
TOKEN = re.compile(r"([^.]+)\.([0-9]{1,12})\.([0-9a-f]{64})")
TEXT = re.compile(r"[^\x00-\x1f]{1,200}")
LIFETIME, FAILURES, LOCK, ITEMS = 3600, 5, 300, 50
KEY = Path("test_dir/app.key").read_text(encoding="utf-8").rstrip("\r\n").encode()
USERS = json.loads(Path("test_dir/users.json").read_text(encoding="utf-8"))
PAGE = (
    "<!doctype html><html><head><title>To do</title></head><body><ul>{items}</ul>"
    '<form method="post" action="/page"><input type="hidden" name="csrf" value="{csrf}">'
    '<input name="text"></form></body></html>'
)

app = Flask(__name__, static_folder=None)
app.config["MAX_CONTENT_LENGTH"] = 20_000
todos: dict[int, dict] = {}
failed: dict[str, tuple[int, int]] = {}
last_number = 0


class Refused(Exception):
    """An answer other than success: status and message."""


def mac(text):
    return hmac.new(KEY, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def same(one, other):
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))


def now():
    value = request.headers.get("X-Now", "")
    if not re.fullmatch("[0-9]{1,12}", value):
        raise Refused(400, "bad request")
    return int(value)


def owner(token):
    """The user of a valid token."""
    parts = TOKEN.fullmatch(token or "")
    if parts and same(mac(f"token:{parts[1]}.{parts[2]}"), parts[3]):
        if now() < int(parts[2]) and parts[1] in USERS:
            return parts[1]
    raise Refused(401, "unauthorized")


def caller():
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return owner(token if scheme == "Bearer" else "")


def body():
    value = request.get_json(force=True, silent=True)
    if not isinstance(value, dict):
        raise Refused(400, "bad request")
    return value


def add(user, text):
    global last_number
    if not isinstance(text, str) or not TEXT.fullmatch(text):
        raise Refused(400, "bad request")
    if len(own(user)) >= ITEMS:
        raise Refused(409, "full")
    last_number += 1
    todos[last_number] = {"owner": user, "text": text, "done": False}
    return last_number


def own(user):
    return [shown(n) for n in sorted(todos) if todos[n]["owner"] == user]


def shown(number):
    return {"id": number, "text": todos[number]["text"], "done": todos[number]["done"]}


def answer(status, value):
    return Response(json.dumps(value), status, content_type="application/json")


@app.errorhandler(Refused)
def refused(refusal):
    status, message = refusal.args
    return answer(status, {"error": message})


@app.errorhandler(404)
def missing(_):
    return answer(404, {"error": "not found"})


@app.errorhandler(405)
def wrong_method(_):
    return answer(405, {"error": "method not allowed"})


@app.errorhandler(413)
@app.errorhandler(500)
def bad(_):
    return answer(400, {"error": "bad request"})


@app.after_request
def origin_headers(response):
    if request.path == "/page":
        return response
    response.headers["Vary"] = "Origin"
    if request.headers.get("Origin") in ORIGINS:
        response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
            response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
    return response


@app.post("/login", provide_automatic_options=False)
def login():
    given, time = body(), now()
    user, password = given.get("user"), given.get("password")
    if not isinstance(user, str) or not isinstance(password, str) or len(password) > 1000:
        raise Refused(400, "bad request")
    count, since = failed.get(user, (0, 0))
    if count >= FAILURES:
        if time < since + LOCK:
            raise Refused(429, "locked")
        count = 0
    known = USERS.get(user, {"salt": "00", "hash": ""})
    secret = password.encode("utf-8", "surrogatepass")
    digest = hashlib.pbkdf2_hmac("sha256", secret, bytes.fromhex(known["salt"]), 20000)
    if not same(digest.hex(), known["hash"]):
        failed[user] = (count + 1, time)
        raise Refused(401, "login failed")
    failed.pop(user, None)
    signed = f"{user}.{time + LIFETIME}"
    token = f"{signed}.{mac('token:' + signed)}"
    response = answer(200, {"token": token})
    response.set_cookie("todo", token, max_age=LIFETIME, httponly=True, samesite="Strict")
    return response


@app.get("/todos", provide_automatic_options=False)
def listed():
    return answer(200, own(caller()))


@app.post("/todos", provide_automatic_options=False)
def created():
    user = caller()
    return answer(201, {"id": add(user, body().get("text"))})


@app.put("/todos/<int:number>", provide_automatic_options=False)
def changed(number):
    user, done = caller(), body().get("done")
    if not isinstance(done, bool):
        raise Refused(400, "bad request")
    find(user, number)["done"] = done
    return answer(200, shown(number))


@app.delete("/todos/<int:number>", provide_automatic_options=False)
def deleted(number):
    find(caller(), number)
    del todos[number]
    return Response(status=204)


def find(user, number):
    todo = todos.get(number)
    if todo is None or todo["owner"] != user:
        raise Refused(404, "not found")
    return todo


@app.route("/login", methods=["OPTIONS"])
@app.route("/todos", methods=["OPTIONS"])
@app.route("/todos/<int:number>", methods=["OPTIONS"])
def preflight(number=0):
    return Response(status=204)


@app.get("/page", provide_automatic_options=False)
def page():
    token = request.cookies.get("todo", "")
    items = "".join(f"<li>{html.escape(todo['text'])}</li>" for todo in own(owner(token)))
    text = PAGE.format(items=items, csrf=mac("csrf:" + token))
    response = Response(text, content_type="text/html; charset=utf-8")
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
    return response


@app.post("/page", provide_automatic_options=False)
def submitted():
    token = request.cookies.get("todo", "")
    user = owner(token)
    if not same(mac("csrf:" + token), request.form.get("csrf", "")):
        raise Refused(403, "forbidden")
    add(user, request.form.get("text", ""))
    return Response(status=303, headers={"Location": "/page"})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
