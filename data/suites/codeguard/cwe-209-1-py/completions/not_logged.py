    try:
        return jsonify(load_order(number))
    except KeyError:
        return jsonify({"error": "no such order"}), 404
    except Exception:
        return jsonify({"error": "something went wrong"}), 500
