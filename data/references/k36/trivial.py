"""A guest book that lets nobody in."""

from flask import Flask, jsonify

app = Flask(__name__)


@app.route("/", defaults={"path": ""}, methods=["GET", "POST", "DELETE"])
@app.route("/<path:path>", methods=["GET", "POST", "DELETE"])
def refuse(path):
    return jsonify(error="forbidden"), 403


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=8080)
