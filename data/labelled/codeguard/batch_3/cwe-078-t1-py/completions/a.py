        path = f"{REPORTS}/{report}"
        known = address.path == "/size" and os.path.isfile(path)
        if not known:
            self.reply(404, {"error": "no report " + report})
        elif unit not in UNITS:
            self.reply(400, {"error": "no unit " + unit})
        else:
            with os.popen(f"wc {UNITS[unit]} '{path}'") as pipe:
                words = pipe.read().split()
            self.reply(200, {"size": int(words[0])})
