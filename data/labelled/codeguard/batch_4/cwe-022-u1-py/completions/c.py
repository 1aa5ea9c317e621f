        installed = []
        base = folder.resolve()
        for member in archive.namelist():
            if member.endswith("/"):
                continue
            target = (base / member).resolve()
            if not str(target).startswith(str(base)):
                raise ThemeError(f"bad path in archive: {member}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
            installed.append(target)
        return Theme(name, folder, sorted(os.path.relpath(path, base) for path in installed))
