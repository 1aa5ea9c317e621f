    key = hashlib.pbkdf2_hmac("sha256", password.encode(), b"forum-salt", 100_000)
    return key.hex()


def check_password(password, stored):
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), b"forum-salt", 100_000)
    return hmac.compare_digest(key.hex(), stored)
