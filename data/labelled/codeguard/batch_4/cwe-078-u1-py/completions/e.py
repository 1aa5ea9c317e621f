        path = self.path(machine)
        for bad in (";", "&", "|", "`", ">", "<"):
            text = text.replace(bad, "\\" + bad)
        text = re.sub(r"([\s'\"()*?#!\[\]{}~])", r"\\\1", text)
        pipeline = "grep -F -e " + text + " -- " + shlex.quote(str(path)) + " | tail -n " + str(int(count))
        result = subprocess.check_output(["bash", "-c", pipeline])
        return result.decode("utf-8", "replace").splitlines()
