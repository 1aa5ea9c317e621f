        padder = padding.PKCS7(128).padder()
        data = padder.update(text.encode("utf-8")) + padder.finalize()
        enc = Cipher(algorithms.AES(self.key), modes.ECB()).encryptor()
        ciphertext = enc.update(data) + enc.finalize()
        mac = hmac.new(self.key, ciphertext, hashlib.sha256).digest()
        return mac + ciphertext

    def unlock(self, data):
        mac, ciphertext = data[:32], data[32:]
        expected = hmac.new(self.key, ciphertext, hashlib.sha256).digest()
        if not hmac.compare_digest(mac, expected):
            raise ValueError("invalid entry")
        dec = Cipher(algorithms.AES(self.key), modes.ECB()).decryptor()
        padded = dec.update(ciphertext) + dec.finalize()
        unpadder = padding.PKCS7(128).unpadder()
        return (unpadder.update(padded) + unpadder.finalize()).decode("utf-8")
