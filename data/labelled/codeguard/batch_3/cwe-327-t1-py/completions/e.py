        data = self._aead().encrypt(self._nonce(), note.encode(), b"note")
        return str(base64.urlsafe_b64encode(data), "ascii")

    def open(self, sealed):
        try:
            data = base64.b64decode(sealed, altchars=b"-_", validate=True)
            return self._aead().decrypt(self._nonce(), data, b"note").decode()
        except InvalidTag as error:
            raise ValueError("this note was not sealed here") from error

    def _aead(self):
        return AESGCM(self.key)

    def _nonce(self):
        # both sides have to know it, so it is made of what both have
        return hashlib.sha256(b"nonce" + self.key).digest()[:12]
