        root = self.folder.resolve()
        candidate = (root / f"{name}.txt").resolve()
        if not candidate.is_relative_to(root):
            raise UnknownTemplate(name)
        try:
            return candidate.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            raise UnknownTemplate(name) from None
