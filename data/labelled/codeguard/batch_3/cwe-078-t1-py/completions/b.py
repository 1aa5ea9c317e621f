        present = {entry.name: entry for entry in os.scandir(REPORTS) if entry.is_file()}
        if address.path != "/size" or report not in present:
            self.reply(404, {"error": "not found"})
        elif unit not in UNITS:
            self.reply(400, {"error": "bad unit"})
        else:
            self.reply(200, {"size": self.counted(UNITS[unit], present[report].path)})

    def counted(self, option, path):
        """What wc says about the file, which the shell knows as its first argument alone."""
        script = f'wc {option} < "$1"'
        output = subprocess.check_output(["/bin/sh", "-c", script, "count", path], timeout=30)
        return int(output.decode().strip())
