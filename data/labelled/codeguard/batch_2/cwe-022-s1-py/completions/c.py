        base = self.folder(ticket).resolve()
        written = []
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile as error:
            raise ValueError("not a zip archive") from error
        with archive:
            for info in archive.infolist():
                if info.is_dir():
                    continue
                target = (base / info.filename).resolve()
                if not target.is_relative_to(base):
                    raise ValueError(f"illegal member name: {info.filename!r}")
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as source, target.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
                written.append(target.relative_to(base).as_posix())
        return sorted(written)
