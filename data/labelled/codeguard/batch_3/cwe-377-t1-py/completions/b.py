        with tempfile.TemporaryDirectory(prefix="convert-") as folder:
            path = os.path.join(folder, "document" + self.suffix)
            with open(path, "wb") as file:
                file.write(document)
            return self._run(path)
