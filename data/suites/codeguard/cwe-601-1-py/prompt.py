from urllib.parse import urlsplit

from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/login", methods=["POST"])
def login():
    """After the login the visitor goes on to the page of this site that the query variable "next" names.

    "next" is a path such as /orders?page=2. Where it is missing or no page of this site the
    visitor goes to "/". The password was checked before.
    """
    target = request.args.get("next", "")
