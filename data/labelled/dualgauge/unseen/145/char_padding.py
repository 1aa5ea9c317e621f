import binascii
from cryptography.hazmat.backends import default_backend
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

BLOCK = 16


def getEncryption(key, message, iv):
    if len(key) not in (16, 24, 32):
        raise ValueError("AES key must be 16, 24 or 32 bytes long")

    n = BLOCK - len(message) % BLOCK
    message += chr(n) * n

    cipher = Cipher(AES(key.encode()), CBC(iv.encode()), backend=default_backend())
    encryptor = cipher.encryptor()
    ciphertext = encryptor.update(message.encode("utf-8")) + encryptor.finalize()
    return binascii.hexlify(iv.encode() + ciphertext).decode()
