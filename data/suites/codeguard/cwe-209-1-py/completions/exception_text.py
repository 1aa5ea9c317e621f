    try:
        return jsonify(load_order(number))
    except KeyError:
        return jsonify({"error": "no such order"}), 404
    except Exception as error:
        app.logger.error(str(error))
        return jsonify({"error": str(error)}), 500
