        path = self.folder / name
        before = os.umask(0o022)
        try:
            self.folder.mkdir(exist_ok=True)
            if path.exists():
                path.unlink()
            path.write_text(self._text(commands))
            path.chmod(stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH)
        finally:
            os.umask(before)
        return path
