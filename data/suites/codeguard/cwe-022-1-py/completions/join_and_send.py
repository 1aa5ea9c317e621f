    path = os.path.join(PUBLIC, requested_file)
    if not os.path.isfile(path):
        abort(404)
    return send_file(path)
