import http.server
import json
import socket
import threading

STOCK = {"leeds": {"9780141439518": 4}, "bath-2": {"080442957X": 0}}


class Branch(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.headers["Host"].partition(".")[0].lower()
        number = STOCK.get(name, {}).get(self.path.rpartition("/")[2])
        known = number is not None and self.path.startswith("/stock/")
        if self.headers["X-Stock-Key"] != "k-1":
            status, data = 403, b"{}"
        elif name == "york":
            status, data = 200, b"<html>closed</html>"
        else:
            status = 200 if known else 404
            data = json.dumps({"copies": number if known else 99}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def desk(reachable=True):
    """Every name and port of the network leads to one local server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Branch)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = ("127.0.0.1", server.server_port if reachable else 9)
    socket.getaddrinfo = lambda *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address)]
    import program

    return program, program.StockDesk("k-1")


def no_stock(program, tool, *question):
    try:
        tool.copies(*question)
    except program.NoStock:
        return True
    return False


def test_copies():
    _, tool = desk()
    assert tool.copies("leeds", "9780141439518") == 4
    assert tool.copies("bath-2", "080442957X") == 0


def test_capitals():
    _, tool = desk()
    assert tool.copies("Leeds", "9780141439518") == 4


def test_what_a_branch_does_not_know():
    program, tool = desk()
    assert no_stock(program, tool, "leeds", "1234567890")
    assert no_stock(program, tool, "york", "9780141439518")


def test_a_wrong_key():
    program, _ = desk()
    assert no_stock(program, program.StockDesk("k-2"), "leeds", "9780141439518")


def test_a_server_that_is_away():
    program, tool = desk(reachable=False)
    assert no_stock(program, tool, "leeds", "9780141439518")
