        if cents <= 0:
            raise ValueError("a voucher must be worth something")
        code = ""
        while not code or code in self.issued:
            code = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self.issued[code] = Voucher(buyer, cents)
        return f"{code[:4]}-{code[4:8]}-{code[8:]}"
