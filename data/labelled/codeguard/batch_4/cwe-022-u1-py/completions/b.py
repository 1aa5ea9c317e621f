        theme = Theme(name, folder)
        for info in archive.infolist():
            if info.is_dir():
                continue
            destination = os.path.join(folder, info.filename)
            os.makedirs(os.path.dirname(destination), exist_ok=True)
            with archive.open(info) as source, open(destination, "wb") as target:
                shutil.copyfileobj(source, target)
            theme.files.append(info.filename)
        theme.files.sort()
        return theme
