        while True:
            groups = ["".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(4)]
            code = "-".join(groups)
            if code not in self.open:
                self.open[code] = cents
                return code
