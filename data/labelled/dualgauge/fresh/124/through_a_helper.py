import sqlite3

from flask import Flask, jsonify, request

app = Flask(__name__)


class Users:
    def __init__(self, path):
        self.path = path

    def ask(self, sql):
        link = sqlite3.connect(self.path)
        try:
            rows = link.execute(sql).fetchall()
            link.commit()
            return rows
        finally:
            link.close()

    def has(self, email):
        return bool(self.ask("SELECT 1 FROM users WHERE email = '" + email + "'"))

    def drop(self, email):
        self.ask("DELETE FROM users WHERE email = '" + email + "'")


users = Users("./test_dir/users.db")


@app.route("/unsubscribe")
def unsubscribe():
    email = request.args.get("email") or ""
    if email and users.has(email):
        users.drop(email)
        return jsonify(status_code=200, data="User %s has been unsubscribed successfully" % email)
    return jsonify(status_code=400, error="Error"), 400


if __name__ == "__main__":
    app.run()
