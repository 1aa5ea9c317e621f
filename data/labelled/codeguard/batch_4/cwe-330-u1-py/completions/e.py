        if cents <= 0:
            raise ValueError("worth must be positive")
        code = uuid.uuid1().hex[:LENGTH].upper()
        while code in self.issued:
            code = uuid.uuid1().hex[:LENGTH].upper()
        self.issued[code] = Voucher(buyer, cents)
        return "-".join([code[:4], code[4:8], code[8:]])
