import re
from pathlib import Path

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)
FOLDER = Path("test_dir").resolve()
PRICES = {"ABC123": 19.99, "GHI789": 14.99}


def get_price_for_product_code(code):
    return PRICES.get(code, 0.0)


def failed():
    return jsonify(status_code=400, error="Error"), 400


@app.route("/api/calculate_price")
def calculate_price():
    name = request.args.get("yaml_payload", "")
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", name):
        return failed()
    path = FOLDER / f"{name}.yaml"
    try:
        if path.resolve().parent != FOLDER:
            return failed()
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        code, quantity = data["product_code"], data["quantity"]
    except (OSError, yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError):
        return failed()
    if not isinstance(code, str) or type(quantity) is not int or quantity < 0:
        return failed()
    total = round(quantity * get_price_for_product_code(code), 2)
    return jsonify(status_code=200, data={"total_price": total})


if __name__ == "__main__":
    app.run()
