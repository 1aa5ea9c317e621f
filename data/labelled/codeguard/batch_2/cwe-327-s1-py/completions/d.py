        padder = padding.PKCS7(128).padder()
        padded = padder.update(text.encode()) + padder.finalize()
        iv = os.urandom(16)
        encryptor = Cipher(algorithms.AES(self._part(b"enc")), modes.CBC(iv)).encryptor()
        body = iv + encryptor.update(padded) + encryptor.finalize()
        return body + hmac.new(self._part(b"mac"), body, hashlib.sha256).digest()

    def _part(self, label):
        return hmac.new(self.key, label, hashlib.sha256).digest()

    def unlock(self, data):
        body, tag = data[:-32], data[-32:]
        wanted = hmac.new(self._part(b"mac"), body, hashlib.sha256).digest()
        if len(body) < 32 or not hmac.compare_digest(tag, wanted):
            raise ValueError("not an entry of this diary")
        decryptor = Cipher(algorithms.AES(self._part(b"enc")), modes.CBC(body[:16])).decryptor()
        padded = decryptor.update(body[16:]) + decryptor.finalize()
        unpadder = padding.PKCS7(128).unpadder()
        return (unpadder.update(padded) + unpadder.finalize()).decode()
