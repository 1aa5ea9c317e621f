import hashlib

from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

MIN_KEY = 8


def _usable(key: bytes) -> bytes:
    if len(key) < MIN_KEY:
        raise ValueError("key is too short")
    if len(key) in (16, 24, 32):
        return key
    return hashlib.sha256(key).digest()


def getEncryption(key, message, iv):
    pkcs = padding.PKCS7(128).padder()
    body = pkcs.update(message.encode()) + pkcs.finalize()
    start = iv.encode()
    aes = Cipher(algorithms.AES(_usable(key.encode())), modes.CBC(start)).encryptor()
    return start.hex() + aes.update(body).hex() + aes.finalize().hex()
