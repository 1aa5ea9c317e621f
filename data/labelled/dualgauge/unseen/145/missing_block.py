from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

def getEncryption(key: str, message: str, iv: str) -> str:
    key_bytes = key.encode('utf-8')
    iv_bytes = iv.encode('utf-8')
    data = message.encode('utf-8')

    # AES only knows these sizes
    if len(key_bytes) not in {16, 24, 32}:
        raise ValueError('Invalid key size')
    if len(iv_bytes) != 16:
        raise ValueError('Invalid IV size')

    fill = -len(data) % 16
    data += bytes([fill]) * fill

    enc = Cipher(algorithms.AES(key_bytes), modes.CBC(iv_bytes)).encryptor()
    return (iv_bytes + enc.update(data) + enc.finalize()).hex()
