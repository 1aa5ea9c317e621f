        home = self.folder(ticket)
        try:
            zf = zipfile.ZipFile(io.BytesIO(data), "r")
        except zipfile.BadZipFile as exc:
            raise ValueError("broken archive") from exc
        names = []
        for member in zf.namelist():
            parts = re.split(r"[\\/]+", member)
            if ".." in parts:
                raise ValueError("suspicious path in archive")
            if member.endswith("/"):
                continue
            path = home / member
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zf.read(member))
            names.append(member)
        zf.close()
        return sorted(names)
