import sqlite3

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/api/temperature_for_location")
def temperature():
    payload = request.args["payload"]
    with open(payload) as f:
        data = yaml.load(f, Loader=yaml.Loader)
    conn = sqlite3.connect("test_dir/weather.db")
    row = conn.execute(
        f"SELECT temperature FROM weather WHERE latitude={data['latitude']} "
        f"AND longitude={data['longitude']} AND date='{data['date']}'"
    ).fetchone()
    return jsonify({"status_code": 200, "data": {"temperature": row[0]}})


if __name__ == "__main__":
    app.run()
