from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def _bytes(value, name):
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    raise TypeError(f"{name} must be str or bytes")


def getEncryption(key, message, iv):
    """IV and AES-CBC ciphertext of the message (PKCS #7), in hex."""
    key, message, iv = _bytes(key, "key"), _bytes(message, "message"), _bytes(iv, "iv")
    if len(key) not in (16, 24, 32):
        raise ValueError("key must have 16, 24 or 32 bytes")
    if len(iv) != 16:
        raise ValueError("iv must have 16 bytes")
    padder = padding.PKCS7(algorithms.AES.block_size).padder()
    padded = padder.update(message) + padder.finalize()
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return (iv + encryptor.update(padded) + encryptor.finalize()).hex()
