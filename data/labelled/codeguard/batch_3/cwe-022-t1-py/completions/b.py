        path = str(self.folder)
        for part in name.split("/"):
            if not self._WORD.fullmatch(part):
                raise UnknownTemplate(f"odd name: {name!r}")
            path = os.path.join(path, part)
        path += ".txt"
        if not os.path.exists(path):
            raise UnknownTemplate(name)
        with open(path, encoding="utf-8") as handle:
            return handle.read()

    _WORD = re.compile(r"[A-Za-z0-9_-]+")
