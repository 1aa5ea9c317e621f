        path = self.folder / (name + ".txt")
        if not path.is_file():
            raise UnknownTemplate(name)
        return path.read_text("utf-8")
