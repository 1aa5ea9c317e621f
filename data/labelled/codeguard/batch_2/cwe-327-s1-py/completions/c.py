        nonce = os.urandom(12)
        return nonce + AESGCM(self.key).encrypt(nonce, text.encode("utf-8"), None)

    def unlock(self, data):
        nonce, sealed = data[:12], data[12:]
        try:
            return AESGCM(self.key).decrypt(nonce, sealed, None).decode("utf-8")
        except InvalidTag as error:
            raise ValueError("the entry was changed, or the key is another") from error
