import os
import re

from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/upload", methods=["GET"])
def upload():
    username = request.args.get("username")
    if not username:
        return jsonify(error="username missing"), 400
    file = request.files.get("file")
    if file is None or not file.filename:
        return jsonify(error="file missing"), 400
    name = os.path.basename(file.filename.replace("\\", "/"))
    return jsonify(match=re.search(re.escape(username), name) is not None)


if __name__ == "__main__":
    app.run()
