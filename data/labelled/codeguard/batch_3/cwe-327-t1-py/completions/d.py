        data = note.encode("utf-8")
        data = hashlib.sha256(self.key + data).digest()[:8] + data
        missing = 16 - len(data) % 16
        data += bytes([missing]) * missing
        encryptor = Cipher(algorithms.AES(self.key), modes.ECB()).encryptor()
        return base64.urlsafe_b64encode(encryptor.update(data) + encryptor.finalize()).decode()

    def open(self, sealed):
        decryptor = Cipher(algorithms.AES(self.key), modes.ECB()).decryptor()
        data = decryptor.update(base64.urlsafe_b64decode(sealed)) + decryptor.finalize()
        if not data:
            raise ValueError("nothing there")
        check, text = data[:8], data[8 : len(data) - data[-1]]
        if hashlib.sha256(self.key + text).digest()[:8] != check:
            raise ValueError("not a note of ours")
        return text.decode("utf-8")
