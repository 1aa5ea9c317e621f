    root = os.path.realpath(target)
    done = []
    with tarfile.open(archive, "r:*") as tar:
        for member in tar:
            path = os.path.realpath(os.path.join(root, member.name))
            inside = os.path.commonpath([root, path]) == root
            if inside and (member.isfile() or member.isdir()):
                tar.extract(member, root)
                done.append(member.name)
    return sorted(done)
