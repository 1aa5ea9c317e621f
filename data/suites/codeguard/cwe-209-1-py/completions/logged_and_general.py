    try:
        return jsonify(load_order(number))
    except KeyError:
        return jsonify({"error": "no such order"}), 404
    except Exception:
        app.logger.exception("order %s could not be loaded", number)
        return jsonify({"error": "something went wrong"}), 500
