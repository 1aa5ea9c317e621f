    try:
        data = load_order(number)
    except KeyError:
        return jsonify(error="unknown order"), 404
    except Exception as e:
        app.logger.exception(e)
        return jsonify(error=f"Could not load order: {e!r}"), 500
    return jsonify(data)
