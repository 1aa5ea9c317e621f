import hashlib


class _Hasher:
    algorithm = "sha256"

    @classmethod
    def digest(cls, *parts):
        state = hashlib.new(cls.algorithm)
        for part in parts:
            state.update(part.encode("utf-8"))
        return state.hexdigest()


def get_password_hash(password, salt):
    if any(not isinstance(v, str) for v in (password, salt)):
        return "Error: Invalid input"
    if password == "":
        return "Error: Invalid input"
    return _Hasher.digest(password, salt)
