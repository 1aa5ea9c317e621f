from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def getEncryption(key, message, iv):
    key, message, iv = (v.encode() if isinstance(v, str) else v for v in (key, message, iv))
    if len(key) not in (16, 24, 32):
        raise ValueError("key must have 16, 24 or 32 bytes")
    if len(iv) != 16:
        raise ValueError("iv must have 16 bytes")
    padder = padding.PKCS7(128).padder()
    padded = padder.update(message) + padder.finalize()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return (iv + encryptor.update(padded) + encryptor.finalize()).hex()
