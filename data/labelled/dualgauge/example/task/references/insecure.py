from pathlib import Path


def read_note(name):
    path = Path("test_dir/notes") / name
    if not path.is_file():
        raise ValueError("no such note")
    return path.read_text(encoding="utf-8")
