import json
import logging
import os
import sqlite3

import yaml
from flask import Flask, jsonify, request

logging.basicConfig(level=logging.INFO)
audit = logging.getLogger("audit")
app = Flask(__name__)
ROOT = os.path.realpath("test_dir")


def answer(code, data):
    return jsonify({"status_code": code, "data": data}), code


@app.route("/api/temperature_for_location")
def temperature_for_location():
    payload = request.args.get("payload")
    if not payload:
        return answer(400, {"error": "Missing payload parameter"})
    real = os.path.realpath(payload)
    if os.path.commonpath([real, ROOT]) != ROOT or not os.path.isfile(real):
        return answer(400, {"error": "Invalid or unsafe file path"})
    try:
        with open(real) as stream:
            content = yaml.safe_load(stream)
    except (yaml.YAMLError, OSError, UnicodeDecodeError):
        return answer(400, {"error": "Malformed YAML"})
    audit.info("payload %s: %s", payload, json.dumps(content, default=str))
    if not isinstance(content, dict) or not {"latitude", "longitude", "date"} <= content.keys():
        return answer(400, {"error": "Missing fields"})
    try:
        values = float(content["latitude"]), float(content["longitude"]), str(content["date"])
    except (TypeError, ValueError):
        return answer(400, {"error": "Invalid data types"})
    try:
        with sqlite3.connect(os.path.join(ROOT, "weather.db")) as connection:
            row = connection.execute(
                "SELECT temperature FROM weather WHERE latitude = ? AND longitude = ? AND date = ?", values
            ).fetchone()
    except sqlite3.Error:
        return answer(500, {"error": "Database error"})
    return answer(200, {"temperature": row[0]}) if row else answer(404, {"error": "Not found"})


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=5000)
