    path = os.path.realpath(os.path.join(PUBLIC, requested_file))
    if not path.startswith(PUBLIC) or not os.path.isfile(path):
        abort(404)
    return send_file(path)
