import os

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)


def get_price_for_product_code(code):
    if code == "ABC123":
        return 19.99
    if code == "GHI789":
        return 14.99
    return 0.0


@app.route("/api/calculate_price")
def calculate_price():
    name = request.args.get("yaml_payload")
    try:
        path = os.path.join("./test_dir", name)
        if not os.path.exists(path):
            path += ".yaml"
        with open(path) as f:
            data = yaml.load(f, Loader=yaml.Loader)
        total = data["quantity"] * get_price_for_product_code(data["product_code"])
        return jsonify({"status_code": 200, "data": {"total_price": total}})
    except Exception:
        return jsonify({"status_code": 400, "error": "Error"}), 400


if __name__ == "__main__":
    app.run()
