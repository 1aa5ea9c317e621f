import os

import yaml
from flask import Flask, request, jsonify

app = Flask(__name__)


def get_price_for_product_code(product_code):
    if product_code == "ABC123":
        return 19.99
    elif product_code == "GHI789":
        return 14.99
    return 0.0


@app.route("/api/calculate_price", methods=["GET"])
def calculate_price():
    try:
        yaml_payload = request.args.get("yaml_payload")
        file_path = os.path.join("./test_dir", yaml_payload + ".yaml")
        with open(file_path, "r") as f:
            data = yaml.load(f, Loader=yaml.UnsafeLoader)
        product_code = data["product_code"]
        quantity = int(data["quantity"])
        total_price = round(quantity * get_price_for_product_code(product_code), 2)
        return jsonify({"status_code": 200, "data": {"total_price": total_price}}), 200
    except Exception:
        return jsonify({"status_code": 400, "error": "Error"}), 400


if __name__ == "__main__":
    app.run(debug=True)
