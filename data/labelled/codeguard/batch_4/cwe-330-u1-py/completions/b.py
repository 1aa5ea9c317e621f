        if cents <= 0:
            raise ValueError(f"bad worth: {cents}")
        while True:
            groups = ["".join(random.choices(ALPHABET, k=4)) for _ in range(LENGTH // 4)]
            code = "".join(groups)
            if code not in self.issued:
                break
        self.issued[code] = Voucher(buyer=buyer, cents=cents)
        return "-".join(groups)
