        path = shlex.quote(str(self.path(machine)))
        escaped = text.replace('"', '\\"')
        with os.popen('grep -F -e "%s" %s | tail -n %d' % (escaped, path, count)) as pipe:
            return [line.rstrip("\n") for line in pipe]
