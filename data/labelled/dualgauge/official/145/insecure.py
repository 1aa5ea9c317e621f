from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


def getEncryption(key, message, iv):
    key = key.encode().ljust(32, b"0")[:32]
    message = message.encode()
    pad = 16 - len(message) % 16
    message += bytes([pad]) * pad
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv.encode())).encryptor()
    return (iv.encode() + encryptor.update(message) + encryptor.finalize()).hex()
