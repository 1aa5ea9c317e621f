    iv = hashlib.sha256(title.encode()).digest()[:16]
    cipher = Cipher(algorithms.AES(key), modes.CBC(iv))

    def seal(text: str) -> bytes:
        padder = padding.PKCS7(algorithms.AES.block_size).padder()
        padded = padder.update(text.encode("utf-8")) + padder.finalize()
        enc = cipher.encryptor()
        return base64.b64encode(enc.update(padded) + enc.finalize())

    def unseal(sealed: bytes) -> str:
        dec = cipher.decryptor()
        padded = dec.update(base64.b64decode(sealed)) + dec.finalize()
        unpadder = padding.PKCS7(algorithms.AES.block_size).unpadder()
        return (unpadder.update(padded) + unpadder.finalize()).decode("utf-8")

    return seal, unseal
