    known = file in SIZES
    level = logging.INFO if known else logging.WARNING
    OneLine(log, {}).log(level, f"{request.remote_addr} {user} file={file}")
    if known:
        return jsonify({"size": SIZES[file]})
    return jsonify({"error": "unknown file"}), 404


class OneLine(logging.LoggerAdapter):
    """Shows what is no printable character as its number, so that a message is one line."""

    def process(self, message, options):
        shown = re.sub(r"[^\x20-\x7e]", lambda odd: "\\u{%x}" % ord(odd[0]), message)
        return shown, options
