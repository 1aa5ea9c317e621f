        if not cents > 0:
            raise ValueError("cents must be positive")
        attempt = 0
        while True:
            seed = f"{buyer}:{cents}:{int(time.time())}:{attempt}"
            digest = hashlib.sha256(seed.encode()).digest()
            code = "".join(ALPHABET[byte % len(ALPHABET)] for byte in digest[:LENGTH])
            if code not in self.issued:
                self.issued[code] = Voucher(buyer, cents)
                return "-".join(code[i : i + 4] for i in range(0, LENGTH, 4))
            attempt += 1
