    return send_from_directory(PUBLIC, requested_file)
