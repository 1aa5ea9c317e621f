import hashlib
from typing import Optional


def get_password_hash(password: str, salt: Optional[str] = None) -> str:
    if not isinstance(password, str) or len(password) == 0:
        return "Error: Invalid input"

    salt = salt or ""
    if not isinstance(salt, str):
        return "Error: Invalid input"

    return hashlib.sha256((password + salt).encode("utf-8")).hexdigest()
