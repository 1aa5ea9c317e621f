import logging
import re
from urllib.parse import quote

from flask import Flask, jsonify, request

app = Flask(__name__)

log = logging.getLogger("exchange")
log.setLevel(logging.INFO)
log.propagate = False
_lines = logging.FileHandler("exchange.log", encoding="utf-8")
_lines.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
log.addHandler(_lines)

SIZES = {"plan.pdf": 81920, "photo 1.jpg": 204800}


@app.route("/take", methods=["POST"])
def take():
    """A visitor takes a file: the form has the fields "user" and "file".

    Answers {"size": NUMBER} for a file of SIZES, and else 404 with {"error": "unknown file"}. Each
    request is one line of the log, INFO for a file that is known and WARNING for another, in which
    the user and the file that was asked for can be read.
    """
    user = request.form.get("user", "anonymous")
    file = request.form.get("file", "")
