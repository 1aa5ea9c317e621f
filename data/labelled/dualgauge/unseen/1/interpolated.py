import hashlib


def get_password_hash(password, salt):
    combined = f"{password}{salt}"
    return hashlib.sha256(combined.encode("utf-8")).hexdigest()
