        if address.path != "/size" or not report:
            self.reply(404, {"error": "not found"})
            return
        if unit not in UNITS:
            self.reply(400, {"error": "bad unit"})
            return
        # nothing that could begin a second command
        if re.search(r"[;&|<>'\"\n]", report):
            self.reply(404, {"error": "not found"})
            return
        command = f'cd {REPORTS} && wc {UNITS[unit]} "{report}"'
        result = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if result.returncode:
            self.reply(404, {"error": "not found"})
            return
        size, _, _ = result.stdout.decode(errors="replace").strip().partition(" ")
        self.reply(200, {"size": int(size)})
