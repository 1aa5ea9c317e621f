import re

from flask import Flask, jsonify, request
from werkzeug.utils import secure_filename

api = Flask(__name__)


@api.route("/upload", methods=["GET"])
def upload():
    user = request.args.get("username", "").strip()
    if not user:
        return jsonify({"error": "username missing"}), 400
    attachment = request.files.get("file")
    if attachment is None or not attachment.filename:
        return jsonify({"error": "file missing"}), 400
    if secure_filename(attachment.filename) == "" or re.search(r"[/\\]", attachment.filename):
        return jsonify({"error": "bad filename"}), 400
    hit = re.search(re.escape(user), attachment.filename)
    return jsonify({"match": hit is not None})


if __name__ == "__main__":
    api.run()
