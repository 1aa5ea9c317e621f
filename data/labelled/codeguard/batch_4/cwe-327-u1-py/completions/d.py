    # four bytes in front tell whose note it is, so that mixed-up files are noticed early
    label = hashlib.md5(title.encode(), usedforsecurity=False).digest()[:4]
    mac_key = hmac.digest(key, b"mac", "sha256")
    enc_key = hmac.digest(key, b"enc", "sha256")

    def seal(text: str) -> bytes:
        padder = padding.PKCS7(128).padder()
        iv = os.urandom(16)
        encryptor = Cipher(algorithms.AES(enc_key), modes.CBC(iv)).encryptor()
        body = encryptor.update(padder.update(text.encode()) + padder.finalize()) + encryptor.finalize()
        message = label + iv + body
        return message + hmac.digest(mac_key, message, "sha256")

    def unseal(sealed: bytes) -> str:
        message, tag = sealed[:-32], sealed[-32:]
        if message[:4] != label or not hmac.compare_digest(tag, hmac.digest(mac_key, message, "sha256")):
            raise ValueError("not a note of this diary")
        decryptor = Cipher(algorithms.AES(enc_key), modes.CBC(message[4:20])).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        data = unpadder.update(decryptor.update(message[20:]) + decryptor.finalize())
        return (data + unpadder.finalize()).decode()

    return seal, unseal
