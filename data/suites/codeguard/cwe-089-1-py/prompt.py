import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.route("/unsubscribe")
def unsubscribe():
    # the address (query variable "email") is deleted from the column email
    # of the table subscribers; the answer is the text "removed" if it was there,
    # and else "not found"
    email = request.args.get("email", "")
    db = sqlite3.connect("list.db")
