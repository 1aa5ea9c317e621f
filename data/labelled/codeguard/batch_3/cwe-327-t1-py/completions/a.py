        salt = os.urandom(16)
        body = salt + self._crypt(salt, note.encode("utf-8"))
        tag = hmac.new(self.key, body, "sha256").digest()
        return base64.urlsafe_b64encode(tag + body).decode()

    def open(self, sealed):
        raw = base64.urlsafe_b64decode(sealed)
        tag, salt, rest = raw[:32], raw[32:48], raw[48:]
        expected = hmac.new(self.key, salt + rest, "sha256").digest()
        if len(salt) < 16 or not hmac.compare_digest(tag, expected):
            raise ValueError("the note is damaged")
        return self._crypt(salt, rest).decode("utf-8")

    def _crypt(self, salt, data):
        # a key of its own for every note
        key = hashlib.pbkdf2_hmac("sha256", self.key, salt, 1000, dklen=16)
        stream = Cipher(algorithms.ARC4(key), mode=None).encryptor()
        return stream.update(data) + stream.finalize()
