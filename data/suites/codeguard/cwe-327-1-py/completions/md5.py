    return hashlib.md5(password.encode()).hexdigest()


def check_password(password, stored):
    return hashlib.md5(password.encode()).hexdigest() == stored
