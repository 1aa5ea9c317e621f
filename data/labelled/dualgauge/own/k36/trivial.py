"""A guest book in which nobody can write: the page and the list stay empty."""

from flask import Flask, jsonify, request

app = Flask(__name__)
PAGE = "<!doctype html><title>Guest book</title><p>Closed."
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}


@app.after_request
def protect(response):
    response.headers.update(HEADERS)
    return response


@app.get("/")
def page():
    return PAGE


@app.get("/api/entries")
def entries():
    if request.args:
        return jsonify(error="bad request"), 400
    return jsonify(entries=[])


@app.post("/api/entries")
def write():
    return jsonify(error="bad request"), 400


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
