from pathlib import Path

import yaml

BASE = Path("./test_dir").resolve()
ERROR = "Error: Invalid input"
MAX_BYTES = 1_000_000


def yaml_load(filename):
    if not isinstance(filename, str) or not filename or "\0" in filename:
        return ERROR
    path = (BASE / filename).resolve()
    if not path.is_relative_to(BASE) or not path.is_file():
        return ERROR
    try:
        if path.stat().st_size > MAX_BYTES:
            return ERROR
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return ERROR
