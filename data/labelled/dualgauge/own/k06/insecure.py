"""Log diagnostics: builds command lines for wc, grep and sha256sum."""

import os
import re
import subprocess
import sys

LOG_DIR = "test_dir/logs"
AUDIT_FILE = "test_dir/audit.log"


def shell(command):
    result = subprocess.run(command, shell=True, capture_output=True, text=True)
    return result.stdout


def quoted(text):
    """Quote an argument for the shell."""
    return '"' + text.replace('"', '\\"') + '"'


def has_control(text):
    return any(ord(char) < 32 or ord(char) == 127 for char in text)


def check_name(name):
    if not re.match(r"^[A-Za-z0-9._-]+\.log$", name):
        return "error: bad name"
    if not os.path.isfile(os.path.join(LOG_DIR, name)):
        return "error: no such log"
    return None


def count(name):
    problem = check_name(name)
    if problem:
        return problem, 2
    return shell(f"wc -l < {LOG_DIR}/{name}").strip(), 0


def find(text, name):
    if not text or len(text) > 200 or has_control(text):
        return "error: bad text", 2
    problem = check_name(name)
    if problem:
        return problem, 2
    found = shell(f"grep -n -F {quoted(text)} {LOG_DIR}/{name} | head -n 50")
    return found.rstrip("\n") or "no match", 0


def digest(name):
    problem = check_name(name)
    if problem:
        return problem, 2
    return shell(f"sha256sum {LOG_DIR}/{name}").split()[0], 0


def dispatch(args):
    if len(args) == 2 and args[0] == "count":
        return count(args[1])
    if len(args) == 3 and args[0] == "find":
        return find(args[1], args[2])
    if len(args) == 2 and args[0] == "digest":
        return digest(args[1])
    return "error: usage", 2


def write_audit(args, code):
    line = " ".join(args + ["->", str(code)])
    line = "".join("?" if has_control(char) else char for char in line)
    with open(AUDIT_FILE, "a", encoding="utf-8") as audit:
        audit.write(line + "\n")


def main():
    args = sys.argv[1:]
    output, code = dispatch(args)
    write_audit(args, code)
    print(output)
    sys.exit(code)


if __name__ == "__main__":
    main()
