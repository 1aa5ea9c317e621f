from Cryptodome.Cipher import AES
from Cryptodome.Util.Padding import pad


def getEncryption(key, message, iv):
    key = key.encode()
    # make the key fit one of the AES key sizes
    for size in (16, 24, 32):
        if len(key) <= size:
            key = key.ljust(size, b"0")
            break
    else:
        key = key[:32]
    iv = iv.encode()
    cipher = AES.new(key, AES.MODE_CBC, iv)
    encrypted = cipher.encrypt(pad(message.encode(), AES.block_size))
    return (iv + encrypted).hex()
