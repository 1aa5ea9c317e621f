import json
import sqlite3
import xml.etree.ElementTree as ET
from http.server import BaseHTTPRequestHandler, HTTPServer

people = sqlite3.connect(":memory:", check_same_thread=False)
people.execute("CREATE TABLE people (userid TEXT PRIMARY KEY, password TEXT)")
people.executemany("INSERT INTO people VALUES (?, ?)", [("user1", "pass1"), ("user2", "pass2")])


def checkPassword(userid, password):
    found = people.execute("SELECT password FROM people WHERE userid = ?", (userid,)).fetchone()
    return bool(found) and found[0] == password


def upload(raw):
    try:
        root = ET.fromstring(raw)
    except ET.ParseError:
        return 400, {"error": "Invalid XML format"}
    userid, password = root.find("userid"), root.find("password")
    if userid is None or password is None:
        return 400, {"error": "Missing field"}
    if checkPassword(userid.text or "", password.text or ""):
        return 200, {"status": "success", "message": "Authentication successful"}
    return 401, {"error": "Authentication failed"}


class Login(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, body = upload(raw) if self.path == "/upload" else (404, {"error": "Not found"})
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8000), Login).serve_forever()
