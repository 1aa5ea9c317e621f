    try:
        return jsonify(load_order(number))
    except Exception:
        app.logger.exception("failed")
        return jsonify({"error": "no such order"}), 404
