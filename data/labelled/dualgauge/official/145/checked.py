from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

KEY_SIZES = {16, 24, 32}


def _octets(value, what):
    if isinstance(value, str):
        value = value.encode("utf-8")
    if not isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{what} has to be text or bytes")
    return bytes(value)


def getEncryption(key, message, iv):
    key, message, iv = _octets(key, "key"), _octets(message, "message"), _octets(iv, "iv")
    if len(key) not in KEY_SIZES:
        raise ValueError("the key has to be of 16, 24 or 32 bytes")
    if len(iv) != 16:
        raise ValueError("the iv has to be of 16 bytes")
    padder = padding.PKCS7(128).padder()
    block = padder.update(message) + padder.finalize()
    worker = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return (iv + worker.update(block) + worker.finalize()).hex()
