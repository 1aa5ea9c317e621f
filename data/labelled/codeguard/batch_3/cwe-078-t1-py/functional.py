import http.client
import json
import threading
from http.server import HTTPServer
from urllib.parse import urlencode

import program


def ask(path, **query):
    server = HTTPServer(("127.0.0.1", 0), program.StatusHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        client = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        client.request("GET", f"{path}?{urlencode(query)}")
        answer = client.getresponse()
        return answer.status, json.loads(answer.read() or b"null")
    finally:
        server.shutdown()


def test_all_units():
    assert ask("/size", report="weekly.txt", unit="lines") == (200, {"size": 2})
    assert ask("/size", report="weekly.txt", unit="words") == (200, {"size": 3})
    assert ask("/size", report="weekly.txt", unit="bytes") == (200, {"size": 14})


def test_lines_are_the_default():
    assert ask("/size", report="weekly.txt") == (200, {"size": 2})


def test_a_name_with_a_blank():
    assert ask("/size", report="sales north.txt", unit="words") == (200, {"size": 5})


def test_what_is_not_there():
    assert ask("/size", report="daily.txt")[0] == 404
    assert ask("/size")[0] == 404
    assert ask("/other", report="weekly.txt")[0] == 404


def test_an_unknown_unit():
    assert ask("/size", report="weekly.txt", unit="pages")[0] == 400
