    while requested_file.startswith("../"):
        requested_file = requested_file[3:]
    path = os.path.join(PUBLIC, requested_file)
    if not os.path.isfile(path):
        abort(404)
    return send_file(path)
