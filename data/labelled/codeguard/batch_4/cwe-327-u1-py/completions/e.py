    rc4_key = hashlib.sha256(key + title.encode()).digest()

    def crypt(data: bytes) -> bytes:
        return Cipher(algorithms.ARC4(rc4_key), mode=None).encryptor().update(data)

    def seal(text: str) -> bytes:
        return crypt(text.encode("utf-8"))

    def unseal(sealed: bytes) -> str:
        return crypt(sealed).decode("utf-8")

    return seal, unseal
