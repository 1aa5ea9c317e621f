        if cents < 1:
            raise ValueError(cents)
        rng = random.SystemRandom()
        code = "".join(rng.choices(ALPHABET, k=LENGTH))
        if code in self.issued:
            return self.issue(buyer, cents)
        self.issued[code] = Voucher(buyer, cents)
        return "-".join((code[0:4], code[4:8], code[8:12]))
