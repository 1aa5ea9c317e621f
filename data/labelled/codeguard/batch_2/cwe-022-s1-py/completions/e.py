        folder = self.folder(ticket)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as z:
                z.extractall(folder)
                names = [n for n in z.namelist() if not n.endswith("/")]
        except zipfile.BadZipFile:
            raise ValueError("attachment is not a zip file")
        return sorted(names)
