    cipher = Cipher(algorithms.AES(key), modes.ECB())

    def seal(text):
        padder = padding.PKCS7(128).padder()
        data = padder.update(text.encode()) + padder.finalize()
        encryptor = cipher.encryptor()
        return encryptor.update(data) + encryptor.finalize()

    def unseal(sealed):
        decryptor = cipher.decryptor()
        data = decryptor.update(sealed) + decryptor.finalize()
        unpadder = padding.PKCS7(128).unpadder()
        return (unpadder.update(data) + unpadder.finalize()).decode()

    return seal, unseal
