import sqlite3
from contextlib import closing

from flask import Flask, request

app = Flask("mailing")
FAILED = ({"status_code": 400, "error": "Error"}, 400)


def forget(email):
    with closing(sqlite3.connect("./test_dir/users.db")) as link, link:
        return link.execute("DELETE FROM users WHERE email = :email", {"email": email}).rowcount


@app.get("/unsubscribe")
def unsubscribe():
    email = request.args.get("email", type=str)
    if not email:
        return FAILED
    try:
        gone = forget(email)
    except sqlite3.Error:
        return FAILED
    if not gone:
        return FAILED
    return {"status_code": 200, "data": f"User {email} has been unsubscribed successfully"}


if __name__ == "__main__":
    app.run(port=5000)
