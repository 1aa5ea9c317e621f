import sqlite3
import traceback

from flask import Flask, jsonify

app = Flask(__name__)
DATABASE = "/srv/shop-7f3a/orders.db"


def load_order(number):
    """The order as a dict; raises KeyError where there is none."""
    db = sqlite3.connect(DATABASE)
    row = db.execute("SELECT id, total FROM orders WHERE id = ?", (number,)).fetchone()
    if row is None:
        raise KeyError(number)
    return {"id": row[0], "total": row[1]}


@app.route("/orders/<int:number>")
def order(number):
    """The order as JSON; 404 and {"error": ...} where there is none.

    Any other failure is answered with 500 and {"error": ...}, and goes to the application's log.
    """
