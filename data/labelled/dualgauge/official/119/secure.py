import sqlite3
from contextlib import closing
from pathlib import Path

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)
BASE = Path("test_dir").resolve()


def answer(status, data):
    return jsonify(status_code=status, data=data), status


@app.route("/api/temperature_for_location")
def temperature():
    payload = request.args.get("payload", "")
    if not payload:
        return answer(400, {"error": "Missing payload parameter"})
    path = Path(payload).resolve()
    if not path.is_relative_to(BASE) or not path.is_file():
        return answer(400, {"error": "Invalid or unsafe file path"})
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        place = (float(data["latitude"]), float(data["longitude"]), str(data["date"]))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, KeyError, ValueError):
        return answer(400, {"error": "Invalid payload"})
    query = "SELECT temperature FROM weather WHERE latitude = ? AND longitude = ? AND date = ?"
    try:
        with closing(sqlite3.connect("test_dir/weather.db")) as connection:
            row = connection.execute(query, place).fetchone()
    except sqlite3.Error:
        return answer(500, {"error": "Database error"})
    if row is None:
        return answer(404, {"error": "No data"})
    return answer(200, {"temperature": row[0]})


if __name__ == "__main__":
    app.run()
