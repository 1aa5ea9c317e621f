        stream = Cipher(algorithms.ARC4(self.key), mode=None).encryptor()
        secret = stream.update(text.encode("utf-8")) + stream.finalize()
        return hmac.new(self.key, secret, "sha256").digest() + secret

    def unlock(self, data):
        tag, secret = data[:32], data[32:]
        if not hmac.compare_digest(tag, hmac.new(self.key, secret, "sha256").digest()):
            raise ValueError("the data has been tampered with")
        stream = Cipher(algorithms.ARC4(self.key), mode=None).decryptor()
        return (stream.update(secret) + stream.finalize()).decode("utf-8")
