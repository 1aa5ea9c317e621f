import json
import os
import re
import sqlite3
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import yaml

FOLDER = "test_dir"
NAME = re.compile(r"(?:\./)?test_dir/([A-Za-z0-9_-]+\.ya?ml)")


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status, self.text = status, text


def payload_file(query):
    values = parse_qs(query).get("payload")
    if not values:
        raise Refused(400, "Missing payload parameter")
    match = NAME.fullmatch(values[0])
    if match is None or match[1] not in os.listdir(FOLDER):
        raise Refused(400, "Invalid or unsafe file path")
    path = os.path.join(FOLDER, match[1])
    if os.path.islink(path):
        raise Refused(400, "Invalid or unsafe file path")
    return path


def location(path):
    with open(path, "rb") as stream:
        raw = stream.read(10_001)
    if len(raw) > 10_000 or b"&" in raw:
        raise Refused(400, "Payload too complex")
    try:
        document = yaml.load(raw, Loader=yaml.SafeLoader)
        return float(document["latitude"]), float(document["longitude"]), str(document["date"])
    except Exception:
        raise Refused(400, "Malformed payload") from None


def temperature(place):
    try:
        with closing(sqlite3.connect(f"file:{FOLDER}/weather.db?mode=ro", uri=True)) as base:
            found = base.execute(
                "SELECT temperature FROM weather WHERE latitude=? AND longitude=? AND date=?", place
            ).fetchone()
    except sqlite3.Error:
        raise Refused(503, "Database unavailable") from None
    if not found:
        raise Refused(404, "Not found")
    return found[0]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        try:
            if url.path != "/api/temperature_for_location":
                raise Refused(404, "No such page")
            status, data = 200, {"temperature": temperature(location(payload_file(url.query)))}
        except Refused as refusal:
            status, data = refusal.status, {"error": refusal.text}
        body = json.dumps({"status_code": status, "data": data}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Handler).serve_forever()
