    def digest_with(algorithm):
        state = hashlib.new(algorithm)
        with open(path, "rb") as source:
            state.update(source.read())
        return state.hexdigest()

    length = os.path.getsize(path)
    return "%012x-%s" % (length, digest_with("md5"))
