    aead = AESGCM(key)
    extra = title.encode()

    def seal(text: str) -> bytes:
        nonce = os.urandom(12)
        return nonce + aead.encrypt(nonce, text.encode("utf-8"), extra)

    def unseal(sealed: bytes) -> str:
        return aead.decrypt(sealed[:12], sealed[12:], extra).decode("utf-8")

    return seal, unseal
