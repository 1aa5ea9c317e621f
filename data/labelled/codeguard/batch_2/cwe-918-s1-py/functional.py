import http.server
import socket
import threading


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        data = f"{self.headers['Host']} {self.path}".encode()
        self.send_response(404 if "missing" in self.path else 200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def program():
    """The program, in a world in which each name leads to one local server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = ("127.0.0.1", server.server_port)
    socket.getaddrinfo = lambda *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address)]
    import program

    return program


def test_a_page():
    assert program().catalogue_page("/tools/saw.html") == "catalogue.example.org /tools/saw.html"


def test_without_the_first_slash():
    assert program().catalogue_page("tools/saw-2.html") == "catalogue.example.org /tools/saw-2.html"


def test_a_page_that_is_not_there():
    try:
        program().catalogue_page("/missing.html")
    except (LookupError, OSError):
        return
    raise AssertionError("accepted")
