import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse


class Search(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlparse(self.path)
        if url.path != "/search":
            self.send_error(404)
            return
        query = parse_qs(url.query, keep_blank_values=True)
        user, name = (query.get(k, [""])[0][:500] for k in ("username", "filename"))
        pattern = re.escape(user)
        body = b"Found" if re.search(pattern, name) else b"Not Found"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("localhost", 8000), Search).serve_forever()
