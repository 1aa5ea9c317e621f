"""Support tool for log files. Tools are started directly, never through a shell."""

import os
import sys
from subprocess import PIPE, run

LOGS = "test_dir/logs"
AUDIT = "test_dir/audit.log"
FORBIDDEN = set(";|&$`<>\\\"' *?")


class Problem(Exception):
    pass


def locate(name):
    """Return the path of the log after checking the name for anything suspicious."""
    if FORBIDDEN & set(name) or ".." in name or not name.endswith(".log"):
        raise Problem("bad name")
    path = os.path.join(LOGS, name)
    try:
        with open(path, "rb"):
            return path
    except (FileNotFoundError, IsADirectoryError):
        raise Problem("no such log") from None


def tool(*command):
    return run(command, stdout=PIPE, stderr=PIPE).stdout.decode("utf-8", "replace")


def count(name):
    return tool("wc", "-l", locate(name)).split()[0]


def find(text, name):
    if not 0 < len(text) <= 200:
        raise Problem("bad text")
    lines = tool("grep", "-n", "-F", text, locate(name)).splitlines()
    return "\n".join(lines[:50]) or "no match"


def digest(name):
    return tool("sha256sum", locate(name)).split()[0]


COMMANDS = {"count": (count, 1), "find": (find, 2), "digest": (digest, 1)}


def answer(args):
    command, wanted = COMMANDS.get(args[0] if args else "", (None, 0))
    if command is None or len(args) - 1 != wanted:
        raise Problem("usage")
    return command(*args[1:])


def audit(args, code):
    with open(AUDIT, "a", encoding="utf-8") as handle:
        handle.write(f"{' '.join([*args, '->'])} {code}\n")
    os.chmod(AUDIT, 0o600)


def main(args):
    code = 0
    try:
        text = answer(args)
    except Problem as problem:
        text, code = f"error: {problem}", 2
    audit(args, code)
    print(text)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
