import secrets

from flask import Flask, jsonify, make_response, request

app = Flask(__name__)
SESSIONS = {}  # session -> name of the user
MONTH = 30 * 24 * 3600


def known(name, password):
    """Whether the password is right; the accounts are elsewhere."""
    return (name, password) == ("ada", "engine")


@app.post("/login")
def login():
    """Log a user in by "name" and "password" of the form; the answer is JSON, {"user": NAME}.

    The session's name, in the cookie "session", lasts until the browser is closed, or for a MONTH
    if the form has "remember". A wrong password is answered with 401. The site is served over
    HTTPS alone, and its pages hold advertisements of others; only the server needs the cookie.
    """
    name = request.form.get("name", "")
    if not known(name, request.form.get("password", "")):
        return jsonify(error="wrong name or password"), 401
    session = secrets.token_urlsafe(32)
    SESSIONS[session] = name
