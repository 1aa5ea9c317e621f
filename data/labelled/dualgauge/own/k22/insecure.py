"""To-do service (Flask): bearer tokens for the API, a small HTML form, CORS for two front ends."""

import hashlib
import hmac
import json
import re

from flask import Flask, jsonify, make_response, redirect, request
from markupsafe import escape

app = Flask(__name__)

with open("test_dir/app.key") as f:
    SECRET = f.read().strip().encode()
with open("test_dir/users.json") as f:
    USERS = json.load(f)

ALLOWED_ORIGIN = re.compile(r"https://(app|desk).example.org")
items = {}
attempts = {}
counter = {"id": 0}


def sign(text):
    return hmac.new(SECRET, text.encode(), hashlib.sha256).hexdigest()


def error(status, message):
    return jsonify(error=message), status


def current_time():
    return int(request.headers.get("X-Now", 0))


def check_token(token):
    """Return the user name of a valid token, otherwise None."""
    try:
        user, expires, signature = token.split(".")
        if not hmac.compare_digest(sign(f"token:{user}.{expires}"), signature):
            return None
        return user if current_time() < int(expires) else None
    except (AttributeError, ValueError, TypeError):
        return None


def get_user():
    token = request.headers.get("Authorization", "").replace("Bearer ", "")
    if not token:
        token = request.cookies.get("todo")
    return check_token(token)


def valid_text(text):
    return isinstance(text, str) and 1 <= len(text) <= 200 and not re.search(r"[\x00-\x1f]", text)


def store(user, text):
    counter["id"] += 1
    items[counter["id"]] = {"user": user, "text": text, "done": False}
    return counter["id"]


def view(item_id):
    item = items[item_id]
    return {"id": item_id, "text": item["text"], "done": item["done"]}


@app.errorhandler(404)
def not_found(e):
    return error(404, "not found")


@app.errorhandler(405)
def method_not_allowed(e):
    return error(405, "method not allowed")


@app.after_request
def cors(response):
    origin = request.headers.get("Origin", "")
    if ALLOWED_ORIGIN.match(origin) and request.path != "/page":
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Vary"] = "Origin"
        if request.method == "OPTIONS":
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, DELETE"
            response.headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type"
    return response


@app.before_request
def preflight():
    if request.method == "OPTIONS":
        return make_response("", 204)


@app.post("/login")
def login():
    data = request.get_json(silent=True) or {}
    name, password = data.get("user"), data.get("password")
    if not name or not password:
        return error(400, "bad request")
    now = current_time()
    user = USERS.get(name)
    if user is not None:
        salt = bytes.fromhex(user["salt"])
        digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 20000).hex()
        if hmac.compare_digest(digest, user["hash"]):
            attempts.pop(name, None)
            expires = now + 3600
            token = f"{name}.{expires}." + sign(f"token:{name}.{expires}")
            response = make_response(jsonify(token=token))
            response.set_cookie("todo", token, httponly=True, max_age=3600)
            return response
    count, last = attempts.get(name, (0, 0))
    if count >= 5 and now < last + 300:
        return error(429, "locked")
    attempts[name] = (count + 1, now)
    return error(401, "login failed")


@app.route("/todos", methods=["GET", "POST"])
def todos():
    user = get_user()
    if user is None:
        return error(401, "unauthorized")
    if request.method == "GET":
        return jsonify([view(i) for i in sorted(items) if items[i]["user"] == user])
    data = request.get_json(silent=True) or {}
    text = data.get("text")
    if not valid_text(text):
        return error(400, "bad request")
    if sum(item["user"] == user for item in items.values()) >= 50:
        return error(409, "full")
    return jsonify(id=store(user, text)), 201


@app.route("/todos/<int:item_id>", methods=["PUT", "DELETE"])
def todo(item_id):
    user = get_user()
    if user is None:
        return error(401, "unauthorized")
    if request.method == "DELETE":
        if item_id not in items or items[item_id]["user"] != user:
            return error(404, "not found")
        del items[item_id]
        return "", 204
    data = request.get_json(silent=True) or {}
    if not isinstance(data.get("done"), bool):
        return error(400, "bad request")
    if item_id not in items:
        return error(404, "not found")
    items[item_id]["done"] = data["done"]
    return jsonify(view(item_id))


@app.route("/page", methods=["GET", "POST"])
def page():
    token = request.cookies.get("todo", "")
    user = check_token(token)
    if user is None:
        return error(401, "unauthorized")
    csrf = sign("csrf:" + token)
    if request.method == "POST":
        if request.form.get("csrf", csrf) != csrf:
            return error(403, "forbidden")
        text = request.form.get("text", "")
        if not valid_text(text):
            return error(400, "bad request")
        store(user, text)
        return redirect("/page", code=303)
    rows = "".join(
        f"<li>{escape(i['text'])}</li>" for _, i in sorted(items.items()) if i["user"] == user
    )
    return (
        f"<!doctype html><html><head><title>To do</title></head><body><ul>{rows}</ul>"
        '<form method="post" action="/page">'
        f'<input type="hidden" name="csrf" value="{csrf}"><input name="text"></form></body></html>'
    )


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
