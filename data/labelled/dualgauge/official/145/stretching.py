import binascii

from Crypto.Cipher import AES

BLOCK = AES.block_size


def fit(text, size):
    return (text + "\0" * size)[:size].encode()


def getEncryption(key, message, iv):
    missing = BLOCK - len(message) % BLOCK
    padded = message + chr(missing) * missing
    box = AES.new(fit(key, 32 if len(key) > 24 else 24 if len(key) > 16 else 16), AES.MODE_CBC, fit(iv, BLOCK))
    return binascii.hexlify(fit(iv, BLOCK) + box.encrypt(padded.encode("utf-8"))).decode()
