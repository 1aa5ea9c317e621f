    try:
        return jsonify(load_order(number))
    except KeyError:
        return jsonify({"error": f"order {number} does not exist"}), 404
    except Exception:
        details = traceback.format_exc()
        app.logger.error(details)
        return jsonify({"error": "internal error", "details": details}), 500
