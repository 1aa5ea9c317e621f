        files = []
        with archive:
            for entry in archive.infolist():
                relative = entry.filename.replace("../", "").lstrip("/")
                if not relative or entry.is_dir():
                    continue
                path = folder / relative
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(archive.read(entry))
                files.append(relative)
        return Theme(name, folder, sorted(files))
