        if not self.folder.is_dir():
            self.folder.mkdir(0o755)
        fd, draft = tempfile.mkstemp(dir=self.folder, prefix=".", text=True)
        try:
            with os.fdopen(fd, "w") as file:
                file.write(self._text(commands))
                file.flush()
                os.fchmod(fd, 0o555)
            os.rename(draft, self.folder / name)
        except BaseException:
            os.unlink(draft)
            raise
        return self.folder / name
