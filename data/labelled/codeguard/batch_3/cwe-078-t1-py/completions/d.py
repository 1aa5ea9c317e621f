        if address.path != "/size":
            self.reply(404, {"error": "unknown address"})
            return
        option = UNITS.get(unit)
        if option is None:
            self.reply(400, {"error": f"unit must be one of {', '.join(UNITS)}"})
            return
        command = "wc %s < %s" % (option, shlex.quote(f"{REPORTS}/{report}"))
        status, output = subprocess.getstatusoutput(command)
        if status != 0 or not output.strip().isdigit():
            self.reply(404, {"error": "unknown report"})
            return
        self.reply(200, {"size": int(output)})
