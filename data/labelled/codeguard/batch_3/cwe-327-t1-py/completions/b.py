        vector = os.urandom(16)
        padder = padding.PKCS7(128).padder()
        plain = padder.update(note.encode()) + padder.finalize()
        encryptor = self._cipher(vector).encryptor()
        body = self._label() + vector + encryptor.update(plain) + encryptor.finalize()
        return base64.urlsafe_b64encode(body + self._seal(body)).decode()

    def open(self, sealed):
        raw = base64.urlsafe_b64decode(sealed.encode())
        body, mark = raw[:-32], raw[-32:]
        if not hmac.compare_digest(mark, self._seal(body)):
            raise ValueError("changed, or of another key")
        decryptor = self._cipher(body[4:20]).decryptor()
        plain = decryptor.update(body[20:]) + decryptor.finalize()
        unpadder = padding.PKCS7(128).unpadder()
        return (unpadder.update(plain) + unpadder.finalize()).decode()

    def _derived(self, purpose):
        return hmac.new(self.key, purpose, hashlib.sha256).digest()

    def _cipher(self, vector):
        return Cipher(algorithms.AES(self._derived(b"encrypt")), modes.CBC(vector))

    def _seal(self, body):
        return hmac.new(self._derived(b"authenticate"), body, hashlib.sha256).digest()

    def _label(self):
        """Four bytes that tell the administrator which key a note is of; nothing depends on them."""
        return hashlib.md5(self._derived(b"label"), usedforsecurity=False).digest()[:4]
