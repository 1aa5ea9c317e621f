from pathlib import Path


def read_note(name):
    root = Path("test_dir/notes").resolve()
    path = (root / name).resolve()
    if root not in path.parents or not path.is_file():
        raise ValueError("no such note")
    return path.read_text(encoding="utf-8")
