from os.path import join

from flask import Flask, request
from yaml import YAMLError, safe_load

app = Flask(__name__)
ERROR = ({"status_code": 400, "error": "Error"}, 400)


def get_price_for_product_code(code):
    return {"ABC123": 19.99, "GHI789": 14.99}.get(code, 0.0)


@app.route("/api/calculate_price")
def price():
    name = request.args.get("yaml_payload")
    if name is None or ".." in name:
        return ERROR
    try:
        with open(join("test_dir", name + ".yaml"), encoding="utf-8") as source:
            order = safe_load(source)
    except (OSError, YAMLError, ValueError):
        return ERROR
    if not isinstance(order, dict):
        return ERROR
    code, quantity = order.get("product_code"), order.get("quantity")
    if not isinstance(code, str) or not isinstance(quantity, int):
        return ERROR
    total = round(get_price_for_product_code(code) * quantity, 2)
    return {"status_code": 200, "data": {"total_price": total}}


if __name__ == "__main__":
    app.run()
