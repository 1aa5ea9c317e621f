        base = os.path.abspath(self.folder)
        full = os.path.abspath(os.path.join(base, name)) + ".txt"
        inside = os.path.commonprefix([base, full]) == base
        if inside and os.path.isfile(full):
            return Path(full).read_text(encoding="utf-8")
        raise UnknownTemplate(name)
