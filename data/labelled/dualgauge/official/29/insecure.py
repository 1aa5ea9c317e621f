import re

from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/upload", methods=["GET", "POST"])
def upload():
    username = request.args.get("username")
    if username is None:
        return jsonify({"error": "username missing"}), 400
    if "file" not in request.files:
        return jsonify({"error": "file missing"}), 400
    file = request.files["file"]
    file.save(file.filename)
    if re.search(username, file.filename):
        return jsonify({"match": True})
    return jsonify({"match": False})


if __name__ == "__main__":
    app.run()
