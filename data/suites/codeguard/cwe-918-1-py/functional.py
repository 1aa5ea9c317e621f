import http.server
import socket
import threading


class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path.startswith("/cat.png")
        data = b"cat of " + self.headers["Host"].encode() if found else b"nothing"
        self.send_response(200 if found else 404)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def network():
    """Every name and port of the world leads to one local server."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = ("127.0.0.1", server.server_port)
    socket.getaddrinfo = lambda *a, **k: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address)]
    import program

    return program


def test_a_picture():
    assert network().fetch_picture("http://images.example.org/cat.png") == b"cat of images.example.org"


def test_the_second_host():
    assert network().fetch_picture("http://photos.example.org/cat.png?w=9") == b"cat of photos.example.org"


def test_capitals_in_the_host():
    assert network().fetch_picture("http://Images.Example.ORG/cat.png").lower() == b"cat of images.example.org"


def test_what_is_not_there():
    for url in ("http://images.example.org/dog.png", "cat.png"):
        try:
            network().fetch_picture(url)
        except ValueError:
            continue
        raise AssertionError(url)
