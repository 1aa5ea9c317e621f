        script = 'grep -F -e "$1" -- "$2" | tail -n "$3"'
        arguments = ["/bin/sh", "-c", script, "search", text, str(self.path(machine)), str(count)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
            lines = process.stdout.read().split("\n")
        return lines[:-1]
