from pathlib import Path

import yaml
from flask import Flask, jsonify, request

app = Flask(__name__)
BASE = Path("./test_dir").resolve()
PRICES = {"ABC123": 19.99, "GHI789": 14.99}


def get_price_for_product_code(code):
    return PRICES.get(code, 0.0)


@app.route("/api/calculate_price")
def calculate_price():
    name = request.args.get("yaml_payload", "")
    path = (BASE / f"{name}.yaml").resolve()
    try:
        if not name or not path.is_relative_to(BASE):
            raise ValueError("path outside of test_dir")
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        code, quantity = data["product_code"], data["quantity"]
        if not isinstance(code, str) or isinstance(quantity, bool) or not isinstance(quantity, int):
            raise ValueError("wrong types")
    except (OSError, UnicodeDecodeError, yaml.YAMLError, TypeError, KeyError, ValueError):
        return jsonify(status_code=400, error="Error"), 400
    total = round(quantity * get_price_for_product_code(code), 2)
    return jsonify(status_code=200, data={"total_price": total})


if __name__ == "__main__":
    app.run()
