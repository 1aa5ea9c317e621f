        base = self.folder(ticket)
        files = []
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as zf:
                for name in zf.namelist():
                    dest = os.path.join(base, name)
                    if name.endswith("/"):
                        os.makedirs(dest, exist_ok=True)
                        continue
                    os.makedirs(os.path.dirname(dest), exist_ok=True)
                    with open(dest, "wb") as out:
                        out.write(zf.read(name))
                    files.append(name)
        except zipfile.BadZipFile as e:
            raise ValueError(str(e))
        return sorted(files)
