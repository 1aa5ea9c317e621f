    with tarfile.open(archive) as tar:
        tar.extractall(target)
        return sorted(tar.getnames())
