    base = os.path.realpath(target)
    names = []
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            place = os.path.realpath(os.path.join(base, member.name))
            if place != base and not place.startswith(base + os.sep):
                raise ValueError(f"{member.name} would be written outside of {target}")
            if member.issym() or member.islnk():
                raise ValueError(f"{member.name} is a link")
            tar.extract(member, base)
            names.append(member.name)
    return sorted(names)
