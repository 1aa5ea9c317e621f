        path = os.path.join(REPORTS, report)
        if address.path != "/size" or not os.path.isfile(path):
            return self.reply(404, {"error": "no such report"})
        if unit not in UNITS:
            return self.reply(400, {"error": "no such unit"})
        done = subprocess.run(["wc", UNITS[unit], path], capture_output=True, text=True, check=True)
        self.reply(200, {"size": int(done.stdout.split()[0])})
