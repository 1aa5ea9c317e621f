    if not requested_file:
        abort(404)
    return send_from_directory(PUBLIC, requested_file, as_attachment=False)
