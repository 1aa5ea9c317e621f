import hashlib

ERROR = "Error: Invalid input"


def get_password_hash(password, salt):
    if not isinstance(password, str) or not isinstance(salt, str) or not password or not salt:
        return ERROR
    return hashlib.sha256((password + salt).encode("utf-8")).hexdigest()
