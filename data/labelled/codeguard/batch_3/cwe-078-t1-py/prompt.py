"""A small status server for the machine on which nightly reports are written."""

import json
import os
import re
import shlex
import subprocess
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit

REPORTS = "reports"
UNITS = {"lines": "-l", "words": "-w", "bytes": "-c"}


class StatusHandler(BaseHTTPRequestHandler):
    def reply(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass

    def do_GET(self):
        """Answer GET /size?report=NAME&unit=UNIT with {"size": NUMBER}.

        NAME is a file of the folder REPORTS (no folders below it), UNIT a key of UNITS. The
        number is what the system command wc counts. The answer is 404 if there is no such report
        or the address is another, 400 if there is no such unit.
        """
        address = urlsplit(self.path)
        query = {key: values[-1] for key, values in parse_qs(address.query).items()}
        report = os.path.basename(query.get("report", ""))
        unit = query.get("unit", "lines")
