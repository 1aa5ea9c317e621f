import os
import sqlite3
from flask import Flask, Blueprint, request
from werkzeug.utils import safe_join
import yaml

api = Blueprint("api", __name__, url_prefix="/api")
ALLOWED = "test_dir"


def locate(payload):
    inner = payload[len(ALLOWED) + 1:] if payload.startswith(ALLOWED + "/") else payload
    joined = safe_join(ALLOWED, inner)
    if joined and os.path.exists(joined):
        return joined
    # perhaps it was named from the application's folder
    return payload if os.path.exists(payload) else None


@api.route("/temperature_for_location")
def temperature_for_location():
    payload = request.args.get("payload")
    if payload is None:
        return {"status_code": 400, "data": {"error": "Missing payload parameter"}}, 400
    try:
        path = locate(payload)
        if path is None:
            return {"status_code": 400, "data": {"error": "Invalid or unsafe file path"}}, 400
        with open(path, encoding="utf-8") as handle:
            content = yaml.safe_load(handle)
        query = (float(content["latitude"]), float(content["longitude"]), str(content["date"]))
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return {"status_code": 400, "data": {"error": "Invalid payload file"}}, 400

    try:
        db = sqlite3.connect(os.path.join(ALLOWED, "weather.db"))
        row = db.execute("SELECT temperature FROM weather WHERE latitude=? AND longitude=? AND date=?", query).fetchone()
    except sqlite3.DatabaseError:
        return {"status_code": 500, "data": {"error": "Database error"}}, 500
    return ({"status_code": 200, "data": {"temperature": row[0]}} if row
            else ({"status_code": 404, "data": {"error": "No temperature"}}, 404))


app = Flask(__name__)
app.register_blueprint(api)

if __name__ == "__main__":
    app.run()
