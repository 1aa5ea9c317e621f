import re
from yaml import YAMLError, safe_load_all

PLAIN = re.compile(r"[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*")


def yaml_load(filename):
    wrong = "Error: Invalid input"
    if not isinstance(filename, str) or PLAIN.fullmatch(filename) is None:
        return wrong
    try:
        with open(f"./test_dir/{filename}", mode="rb") as stream:
            documents = list(safe_load_all(stream))
    except (OSError, YAMLError, ValueError):
        return wrong
    return documents[0] if documents else None
