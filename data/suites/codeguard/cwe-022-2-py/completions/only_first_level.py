    names = []
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            if member.isfile():
                name = os.path.basename(member.name)
                with open(os.path.join(target, name), "wb") as file:
                    file.write(tar.extractfile(member).read())
                names.append(name)
    return sorted(names)
