from hashlib import sha256


class _BadArgument(Exception):
    pass


def _text(value: object) -> bytes:
    match value:
        case str() if value.strip():
            return value.encode()
        case _:
            raise _BadArgument


def get_password_hash(password: str, salt: str) -> str:
    try:
        return sha256(b"".join(map(_text, (password, salt)))).hexdigest()
    except (_BadArgument, UnicodeEncodeError):
        return "Error: Invalid input"
