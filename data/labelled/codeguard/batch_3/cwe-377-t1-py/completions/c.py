        path = tempfile.mktemp(suffix=self.suffix)
        with open(path, "wb") as out:
            out.write(document)
        try:
            result = self._run(path)
        except ConversionFailed:
            os.unlink(path)
            raise
        os.unlink(path)
        return result
