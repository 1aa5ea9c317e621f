"""Answers one question about a log file; an audit line is kept of every call."""

import os
import re
import stat
import subprocess
import sys

LOGS = "test_dir/logs"
AUDIT = "test_dir/audit.log"
NAME = re.compile(r"[A-Za-z0-9._-]+\.log")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
MAX_LINES = 50
CLEAN = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C"}


class Refused(Exception):
    """A call that cannot be answered; the text is what follows "error: "."""


def run_tool(arguments, log):
    """Feed the open log to a tool; return what it prints. Exit code 1 of grep means no match."""
    done = subprocess.run(arguments, stdin=log, capture_output=True, env=CLEAN, timeout=8)
    if done.returncode > 1:
        raise Refused("no such log")
    return done.stdout


def open_log(name):
    if not NAME.fullmatch(name):
        raise Refused("bad name")
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        descriptor = os.open(os.path.join(LOGS, name), flags)
    except OSError:
        raise Refused("no such log") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise Refused("no such log")
    return os.fdopen(descriptor, "rb")


def count(name):
    with open_log(name) as log:
        return run_tool(["/usr/bin/wc", "-l"], log).strip() + b"\n"


def find(text, name):
    if not 1 <= len(text) <= 200 or CONTROL.search(text):
        raise Refused("bad text")
    grep = ["/usr/bin/grep", "-a", "-n", "-F", f"-m{MAX_LINES}", "-e", os.fsencode(text), "--", "-"]
    with open_log(name) as log:
        return run_tool(grep, log) or b"no match\n"


def digest(name):
    with open_log(name) as log:
        return run_tool(["/usr/bin/sha256sum"], log).split()[0] + b"\n"


def answer(arguments):
    questions = {("count", 2): count, ("find", 3): find, ("digest", 2): digest}
    question = questions.get((arguments[0], len(arguments))) if arguments else None
    if question is None:
        raise Refused("usage")
    return question(*arguments[1:])


def keep_record(arguments, code):
    line = CONTROL.sub("?", " ".join([*arguments, f"-> {code}"])) + "\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    descriptor = os.open(AUDIT, flags, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
        os.write(descriptor, line.encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)


def main(arguments):
    try:
        output, code = answer(arguments), 0
    except Refused as refusal:
        output, code = f"error: {refusal}\n".encode(), 2
    keep_record(arguments, code)
    sys.stdout.buffer.write(output)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
