        with archive:
            archive.extractall(folder)
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
        return Theme(name, folder, files)
