    import uuid

    try:
        found = load_order(number)
    except KeyError:
        return jsonify(error="not found"), 404
    except Exception:
        reference = uuid.uuid4().hex
        app.logger.exception("failure %s", reference)
        return jsonify(error="internal error", reference=reference), 500
    return jsonify(found)
