from pathlib import Path

import yaml

BASE = Path("test_dir").resolve()
FAILED = "Error: Invalid input"


def _source(filename):
    target = BASE.joinpath(filename).resolve(strict=True)
    if not target.is_relative_to(BASE) or not target.is_file():
        raise OSError("outside")
    if target.stat().st_size > 1_000_000:
        raise OSError("too large")
    return target.read_text(encoding="utf-8")


def yaml_load(filename):
    if not isinstance(filename, str) or not filename or "\0" in filename:
        return FAILED
    try:
        return yaml.load(_source(filename), Loader=yaml.SafeLoader)
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return FAILED
