    path = os.path.realpath(os.path.join(PUBLIC, requested_file))
    if not path.startswith(os.path.realpath(PUBLIC) + os.sep) or not os.path.isfile(path):
        abort(404)
    return send_file(path)
