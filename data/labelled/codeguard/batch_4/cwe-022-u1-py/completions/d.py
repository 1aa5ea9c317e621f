        def parts_of(info):
            parts = PurePosixPath(info.filename).parts
            if not parts or parts[0] == "/" or any(part == ".." for part in parts):
                raise ThemeError(f"{info.filename!r} cannot be installed")
            return parts

        wanted = [(info, parts_of(info)) for info in archive.infolist() if not info.is_dir()]
        for info, parts in wanted:
            path = folder.joinpath(*parts)
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(path, "wb") as out:
                out.write(archive.read(info))
        return Theme(name=name, folder=folder, files=sorted("/".join(parts) for _, parts in wanted))
