        place = self.folder(ticket)
        if not zipfile.is_zipfile(io.BytesIO(data)):
            raise ValueError("expected a zip archive")
        result = []
        with zipfile.ZipFile(io.BytesIO(data)) as bundle:
            for entry in bundle.infolist():
                cleaned = entry.filename.replace("../", "").replace("..\\", "")
                destination = place / cleaned
                if entry.is_dir():
                    destination.mkdir(parents=True, exist_ok=True)
                    continue
                destination.parent.mkdir(parents=True, exist_ok=True)
                destination.write_bytes(bundle.read(entry))
                result.append(cleaned)
        result.sort()
        return result
