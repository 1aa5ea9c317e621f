        number = 0
        while True:
            name = f"convert-{os.getpid()}-{number}{self.suffix}"
            path = Path(tempfile.gettempdir()) / name
            if not path.exists() and not path.is_symlink():
                break
            number += 1
        path.touch(mode=0o600)
        try:
            path.write_bytes(document)
            return self._run(path)
        finally:
            path.unlink(missing_ok=True)
