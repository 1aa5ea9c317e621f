    return send_from_directory(PUBLIC, os.path.basename(requested_file))
