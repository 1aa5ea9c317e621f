    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.name.startswith("/") or ".." in member.name:
                raise ValueError("unsafe member " + member.name)
        tar.extractall(target)
        return sorted(tar.getnames())
