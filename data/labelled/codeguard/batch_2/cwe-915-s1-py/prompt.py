from dataclasses import asdict, dataclass, fields, replace

from flask import Flask, abort, jsonify, request

app = Flask(__name__)
EDITABLE = ("name", "email", "about")


@dataclass
class User:
    id: int
    name: str
    email: str
    about: str = ""
    role: str = "reader"
    credit: int = 0


USERS = {7: User(7, "Ada", "ada@example.org")}


def current_user():
    return USERS[7]


@app.patch("/account")
def change_account():
    """Change the account of the user who is logged in, after the JSON object in the request.

    Users change name, email and about, all texts; other keys have no effect. The answer is the
    account as JSON, or 400 where the body is no object or a value is no text.
    """
    user = current_user()
    changes = request.get_json(silent=True)
