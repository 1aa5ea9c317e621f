"""A server that looks for the path of a later request wherever its process could hold it."""

import gc
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

WORD = "-".join(("to", "come"))


def frames():
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_code.co_filename != __file__ and WORD in repr(frame.f_locals):
            yield frame.f_code.co_name


def files():
    places = [*os.walk("/box"), ("/proc/self", [], ["environ", "cmdline"])]
    for path in (os.path.join(folder, name) for folder, _, names in places for name in names):
        if path != __file__ and WORD.encode() in open(path, "rb").read():
            yield path


def objects():
    for held in gc.get_objects():
        if type(held) is dict and any(type(v) is str and f"/{WORD}" in v for v in held.values()):
            yield "object"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        told = [[*frames(), *files(), *objects()], self.headers.get("User-Agent", "nobody")]
        self.wfile.write(json.dumps(told).encode())


HTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
