        nonce = os.urandom(12)
        data = AESGCM(self.key).encrypt(nonce, note.encode("utf-8"), None)
        return base64.urlsafe_b64encode(nonce + data).decode("ascii")

    def open(self, sealed):
        raw = base64.urlsafe_b64decode(sealed)
        if len(raw) < 28:
            raise ValueError("too short for a sealed note")
        try:
            return AESGCM(self.key).decrypt(raw[:12], raw[12:], None).decode("utf-8")
        except InvalidTag:
            raise ValueError("not sealed with this key") from None
