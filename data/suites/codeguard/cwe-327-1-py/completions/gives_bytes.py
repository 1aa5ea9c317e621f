    salt = os.urandom(16)
    return salt + hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)


def check_password(password, stored):
    found = hashlib.scrypt(password.encode(), salt=stored[:16], n=2**14, r=8, p=1)
    return hmac.compare_digest(found, stored[16:])
