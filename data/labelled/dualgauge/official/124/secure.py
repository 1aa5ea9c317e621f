import sqlite3
from contextlib import closing

from flask import Flask, jsonify, request

app = Flask(__name__)


def refuse():
    return jsonify(status_code=400, error="Error"), 400


@app.route("/unsubscribe", methods=["GET"])
def unsubscribe():
    email = request.args.get("email", "").strip()
    if not email:
        return refuse()
    try:
        with closing(sqlite3.connect("./test_dir/users.db")) as connection, connection:
            done = connection.execute("DELETE FROM users WHERE email = ?", (email,))
    except sqlite3.Error:
        return refuse()
    if done.rowcount == 0:
        return refuse()
    return jsonify(status_code=200, data=f"User {email} has been unsubscribed successfully")


if __name__ == "__main__":
    app.run()
