        parts = re.split(r"[/\\]", name)
        if any(part == ".." for part in parts):
            raise UnknownTemplate(f"{name} leaves the folder")
        target = os.path.join(self.folder, name + ".txt")
        try:
            with open(target, "r", encoding="utf-8") as source:
                return source.read()
        except OSError as error:
            raise UnknownTemplate(name) from error
