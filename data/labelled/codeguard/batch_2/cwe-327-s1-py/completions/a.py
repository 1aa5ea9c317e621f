        aead = AESGCM(self.key)
        return aead.encrypt(self._nonce(), text.encode("utf-8"), b"diary")

    def _nonce(self):
        return hashlib.sha256(b"nonce" + self.key).digest()[:12]

    def unlock(self, data):
        try:
            plain = AESGCM(self.key).decrypt(self._nonce(), data, b"diary")
        except InvalidTag:
            raise ValueError("entry is damaged") from None
        return plain.decode("utf-8")
