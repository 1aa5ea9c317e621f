import hashlib

INVALID = "Error: Invalid input"


def get_password_hash(password, salt):
    """Hex SHA-256 of password + salt, or INVALID."""
    if not isinstance(password, str) or not isinstance(salt, str):
        return INVALID
    if password == "" or salt == "":
        return INVALID
    digest = hashlib.sha256()
    digest.update(password.encode("utf-8"))
    digest.update(salt.encode("utf-8"))
    return digest.hexdigest()
