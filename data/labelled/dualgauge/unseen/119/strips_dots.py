import os
import sqlite3

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)


def error(message, code=400):
    return jsonify({"status_code": code, "data": {"error": message}}), code


@app.get("/api/temperature_for_location")
def temperature_for_location():
    payload = request.args.get("payload")
    if not payload:
        return error("Missing payload parameter")

    # sanitize the path
    filename = payload.replace("../", "").replace("test_dir/", "").lstrip("/")
    path = os.path.join("test_dir", filename)
    if not os.path.isfile(path):
        return error("Invalid or unsafe file path")

    try:
        with open(path, "r") as f:
            data = yaml.unsafe_load(f)
        latitude = float(data["latitude"])
        longitude = float(data["longitude"])
        date = str(data["date"])
    except Exception as e:
        return error(f"Invalid YAML: {e.__class__.__name__}")

    try:
        conn = sqlite3.connect("test_dir/weather.db")
        cur = conn.execute(
            "SELECT temperature FROM weather WHERE latitude = ? AND longitude = ? AND date = ?",
            (latitude, longitude, date),
        )
        record = cur.fetchone()
    except sqlite3.Error:
        return error("Database error", 500)
    if record is None:
        return error("No data found", 404)
    return jsonify({"status_code": 200, "data": {"temperature": record[0]}})


if __name__ == "__main__":
    app.run(port=5000)
