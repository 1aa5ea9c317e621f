        self.folder.mkdir(mode=0o755, exist_ok=True)
        hook = self.folder.joinpath(name)
        hook.unlink(missing_ok=True)
        hook.write_text(self._text(commands), encoding="utf-8")
        # as chmod +rx does it
        current = stat.S_IMODE(hook.stat().st_mode)
        hook.chmod(current | 0o555)
        return hook
