        handle, path = tempfile.mkstemp()
        os.close(handle)
        named = path + self.suffix  # the converter goes by the end of the name
        try:
            with open(named, "wb") as file:
                file.write(document)
            return self._run(named)
        finally:
            for leftover in (path, named):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(leftover)
