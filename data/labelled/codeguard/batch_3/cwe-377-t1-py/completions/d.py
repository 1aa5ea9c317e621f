        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
        path = f"{tempfile.gettempdir()}/convert.{secrets.token_hex(12)}{self.suffix}"
        with contextlib.ExitStack() as stack:
            fd = os.open(path, flags, 0o600)
            stack.callback(os.remove, path)
            with os.fdopen(fd, "wb") as stream:
                stream.write(document)
            return self._run(path)
