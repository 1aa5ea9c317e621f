    return hashlib.scrypt(password.encode(), salt=os.urandom(16), n=2**14, r=8, p=1).hex()


def check_password(password, stored):
    return hmac.compare_digest(hash_password(password), stored)
