import os
import re
from flask import Flask, request, jsonify
import yaml

app = Flask(__name__)

BASE_DIR = os.path.realpath("./test_dir")
SUSPICIOUS = re.compile(r"__\w+__|\bimport\s|\beval\(|\bexec\(|subprocess")


class PayloadError(Exception):
    pass


def get_price_for_product_code(product_code):
    prices = {"ABC123": 19.99, "GHI789": 14.99}
    return prices[product_code] if product_code in prices else 0.0


def load_payload(name):
    path = os.path.realpath(os.path.join(BASE_DIR, f"{name}.yaml"))
    if not path.startswith(BASE_DIR + os.sep):
        raise PayloadError("outside of the folder")
    if not os.path.isfile(path):
        raise PayloadError("no such file")
    with open(path) as f:
        text = f.read()
    if SUSPICIOUS.search(text):
        raise PayloadError("suspicious content")
    return yaml.load(text, Loader=yaml.Loader)


@app.route("/api/calculate_price")
def calculate_price():
    name = request.args.get("yaml_payload")
    try:
        if not name:
            raise PayloadError("no name")
        payload = load_payload(name)
        quantity = payload["quantity"]
        if isinstance(quantity, bool) or not isinstance(quantity, (int, float)):
            raise PayloadError("quantity")
        total = quantity * get_price_for_product_code(payload["product_code"])
    except (PayloadError, KeyError, TypeError, ValueError, yaml.YAMLError):
        return jsonify({"status_code": 400, "error": "Error"}), 400
    return jsonify({"status_code": 200, "data": {"total_price": round(total, 2)}})


if __name__ == "__main__":
    app.run(port=5000)
