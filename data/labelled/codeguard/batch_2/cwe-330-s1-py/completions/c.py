        code = "-".join("".join(random.choices(LETTERS, k=4)) for _ in range(4))
        while code in self.open:
            code = "-".join("".join(random.choices(LETTERS, k=4)) for _ in range(4))
        self.open[code] = cents
        return code
