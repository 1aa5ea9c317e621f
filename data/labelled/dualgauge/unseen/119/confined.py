import datetime
import sqlite3
from pathlib import Path

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)
BASE = Path("test_dir").resolve()
LIMIT = 64 * 1024


def reply(status, **data):
    return jsonify(status_code=status, data=data), status


def inside(name):
    """The file below test_dir that is meant, or None."""
    try:
        path = Path(name).resolve()
    except (OSError, ValueError):
        return None
    if not path.is_relative_to(BASE) or path.suffix not in {".yaml", ".yml"} or not path.is_file():
        return None
    return path if path.stat().st_size <= LIMIT else None


def fields(path):
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise ValueError("no mapping")
    latitude, longitude, date = (document[k] for k in ("latitude", "longitude", "date"))
    for number in (latitude, longitude):
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise ValueError("no number")
    if not isinstance(date, (str, datetime.date)):
        raise ValueError("no date")
    return latitude, longitude, str(date)


@app.route("/api/temperature_for_location")
def temperature_for_location():
    name = request.args.get("payload", "")
    if not name:
        return reply(400, error="Missing payload parameter")
    path = inside(name)
    if path is None:
        return reply(400, error="Invalid or unsafe file path")
    try:
        place = fields(path)
    except (yaml.YAMLError, UnicodeDecodeError, KeyError, ValueError, RecursionError):
        return reply(400, error="Invalid payload")
    try:
        connection = sqlite3.connect(f"file:{BASE / 'weather.db'}?mode=ro", uri=True)
        try:
            row = connection.execute(
                "SELECT temperature FROM weather WHERE latitude = ? AND longitude = ? AND date = ?",
                place,
            ).fetchone()
        finally:
            connection.close()
    except sqlite3.Error:
        return reply(500, error="Database error")
    if row is None:
        return reply(404, error="No record")
    return reply(200, temperature=row[0])


if __name__ == "__main__":
    app.run()
