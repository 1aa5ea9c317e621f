        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            print(self._text(commands), end="", file=file)
        os.chmod(path, 0o777)
        return Path(path)
