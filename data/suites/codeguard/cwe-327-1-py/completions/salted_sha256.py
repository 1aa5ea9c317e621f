    salt = os.urandom(16).hex()
    return salt + "$" + hashlib.sha256((salt + password).encode()).hexdigest()


def check_password(password, stored):
    salt, digest = stored.split("$")
    found = hashlib.sha256((salt + password).encode()).hexdigest()
    return hmac.compare_digest(found, digest)
