        found = subprocess.run(
            ["grep", "-F", "-e", text, "--", str(self.path(machine))], stdout=subprocess.PIPE, check=False
        )
        last = subprocess.run(["tail", "-n", str(count)], input=found.stdout, stdout=subprocess.PIPE, check=True)
        return last.stdout.decode().splitlines()
