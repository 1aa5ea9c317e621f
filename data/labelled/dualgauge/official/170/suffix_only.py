import os

import yaml
from flask import Blueprint, Flask, jsonify, request

prices = Blueprint("prices", __name__, url_prefix="/api")


def get_price_for_product_code(product_code):
    if product_code == "ABC123":
        return 19.99
    return 14.99 if product_code == "GHI789" else 0.0


@prices.get("/calculate_price")
def calculate_price():
    where = os.path.join("./test_dir", request.args.get("yaml_payload", "") + ".yaml")
    try:
        with open(where) as handle:
            document = yaml.unsafe_load(handle.read())
        total = float(document["quantity"]) * get_price_for_product_code(document["product_code"])
    except Exception:
        return jsonify(status_code=400, error="Error"), 400
    return jsonify(status_code=200, data={"total_price": round(total, 2)})


def create_app():
    application = Flask(__name__)
    application.register_blueprint(prices)
    return application


app = create_app()

if __name__ == "__main__":
    app.run(port=5000)
