        seed = f"{time.time_ns()}:{len(self.open)}:{cents}"
        digest = hashlib.sha256(seed.encode()).digest()
        letters = [LETTERS[byte % len(LETTERS)] for byte in digest[:16]]
        code = "-".join("".join(letters[n:n + 4]) for n in (0, 4, 8, 12))
        if code in self.open:
            return self.issue(cents)
        self.open[code] = cents
        return code
