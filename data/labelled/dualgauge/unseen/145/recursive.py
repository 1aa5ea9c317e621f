from Cryptodome.Cipher import AES

SIZE = AES.block_size


def _xor(left, right):
    return bytes(a ^ b for a, b in zip(left, right))


def _chain(ecb, blocks, previous):
    """The blocks in CBC mode, one after the other."""
    if not blocks:
        return b""
    encrypted = ecb.encrypt(_xor(blocks[0], previous))
    return encrypted + _chain(ecb, blocks[1:], encrypted)


def getEncryption(key, message, iv):
    key, data, iv = key.encode(), message.encode(), iv.encode()
    if len(key) not in AES.key_size or len(iv) != SIZE:
        raise ValueError("bad key or IV")
    missing = SIZE - len(data) % SIZE
    data += bytes([missing]) * missing
    blocks = [data[i : i + SIZE] for i in range(0, len(data), SIZE)]
    return (iv + _chain(AES.new(key, AES.MODE_ECB), blocks, iv)).hex()
