        rng = random.SystemRandom()
        code = ""
        while not code or code in self.open:
            picked = "".join(rng.choices(LETTERS, k=16))
            code = "-".join(picked[i:i + 4] for i in range(0, 16, 4))
        self.open[code] = cents
        return code
