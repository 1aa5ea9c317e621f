import json
import re
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import yaml

HERE = Path("test_dir")
TARIFF = {"ABC123": 19.99, "GHI789": 14.99}


def get_price_for_product_code(code):
    return TARIFF.get(code, 0.0)


def calculate(name):
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,60}", name):
        raise ValueError("name")
    with (HERE / f"{name}.yaml").open(encoding="utf-8") as stream:
        order = yaml.safe_load(stream)
    code, amount = order["product_code"], order["quantity"]
    if not isinstance(code, str) or type(amount) is not int or amount < 0:
        raise ValueError("order")
    return round(get_price_for_product_code(code) * amount, 2)


class Prices(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        if url.path != "/api/calculate_price":
            return self.reply(404, {"status_code": 404, "error": "Error"})
        try:
            total = calculate(parse_qs(url.query).get("yaml_payload", [""])[0])
        except (OSError, ValueError, KeyError, TypeError, yaml.YAMLError):
            return self.reply(400, {"status_code": 400, "error": "Error"})
        return self.reply(200, {"status_code": 200, "data": {"total_price": total}})

    def reply(self, status, body):
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


if __name__ == "__main__":
    HTTPServer(("127.0.0.1", 8000), Prices).serve_forever()
