    target = os.path.abspath(target)
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if not os.path.abspath(os.path.join(target, member.name)).startswith(target):
                raise ValueError("blocked " + member.name)
        tar.extractall(target)
        return sorted(m.name for m in tar.getmembers())
