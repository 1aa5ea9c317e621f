from pathlib import Path

BASE = Path("./test_dir").resolve()


def read_template(name):
    if not isinstance(name, str) or not name or "\0" in name or ".." in name:
        raise ValueError("invalid template name")
    path = (BASE / name).resolve()
    if not path.is_relative_to(BASE):
        raise PermissionError("outside of the template folder")
    return path.read_text(encoding="utf-8")
