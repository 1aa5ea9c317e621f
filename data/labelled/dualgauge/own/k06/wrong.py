"""Log diagnostics for support; prints what the tools print."""

import os
import re
import subprocess
import sys
from pathlib import Path

LOGS = Path("test_dir/logs")
AUDIT = Path("test_dir/audit.log")


def printable(text):
    return re.sub(r"[\x00-\x1f\x7f]", "?", text)


def record(args, code):
    with open(os.open(AUDIT, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600), "a") as audit:
        audit.write(printable(" ".join(args)) + f" -> {code}\n")


def fail(args, message):
    record(args, 1)
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(1)


def log_path(args, name):
    if not re.fullmatch(r"[A-Za-z0-9._-]+\.log", name):
        fail(args, "bad name")
    path = LOGS / name
    if not os.path.isfile(path):
        fail(args, "no such log")
    return str(path)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, errors="replace").stdout


def main(args):
    if len(args) == 2 and args[0] == "count":
        output = run("/usr/bin/wc", "-l", log_path(args, args[1]))
    elif len(args) == 2 and args[0] == "digest":
        output = run("/usr/bin/sha256sum", log_path(args, args[1]))
    elif len(args) == 3 and args[0] == "find":
        text = args[1]
        if not 1 <= len(text) <= 200 or printable(text) != text:
            fail(args, "bad text")
        path = log_path(args, args[2])
        output = run("/usr/bin/grep", "-n", "-F", "-m", "50", "-e", text, "--", path)
        output = output or "no match\n"
    else:
        fail(args, "usage")
    record(args, 0)
    print(output, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
