        if not self.folder.exists():
            os.mkdir(self.folder, 0o755)
        target = os.path.join(self.folder, name)
        descriptor = os.open(target, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o755)
        with open(descriptor, "w", encoding="utf-8") as script:
            script.write(self._text(commands))
        if not os.access(target, os.X_OK):
            os.chmod(target, 0o755)
        return Path(target)
