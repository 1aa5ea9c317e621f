"""A careful job runner that answers on its own terms: exit code 1, results with a heading."""

import json
import os
import string
import subprocess
import sys
from pathlib import Path

WORD = frozenset(string.ascii_letters + string.digits + "_.-")
FLAGS = {"sort": ("-r", "-n", "-u"), "uniq": ("-c", "-d"), "wc": ("-l", "-w", "-c"), "head": ()}
FIELDS = frozenset(("command", "options", "file", "env", "output", "base"))


def stop(reason):
    print(f"error: {reason}")
    sys.exit(1)


def word(value):
    known = isinstance(value, str) and 0 < len(value) <= 64 and set(value) <= WORD
    return known and value[0] not in ".-"


def lines(option):
    number = option.removeprefix("-n")
    return option.startswith("-n") and number.isascii() and number.isdigit() and len(number) < 5


def load(name):
    if not word(name) or not name.endswith(".json"):
        stop("bad config")
    try:
        jobs = json.loads(Path("test_dir/jobs", name).read_text(encoding="utf-8"))["jobs"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        stop("bad config")
    return jobs if isinstance(jobs, dict) else stop("bad config")


def collect(jobs, name):
    found = {}
    for _ in range(len(jobs) + 1):
        part = jobs.get(name) if isinstance(name, str) else None
        if not isinstance(part, dict) or not set(part) <= FIELDS:
            stop("bad job")
        found = {**part, **found}
        name = part.get("base")
        if name is None:
            return found
    return stop("bad job")


def good(job):
    command, options, env = job.get("command"), job.get("options", []), job.get("env", {})
    if not isinstance(command, str) or command not in FLAGS or not isinstance(options, list):
        return False
    for option in options:
        known = isinstance(option, str) and option in FLAGS[command]
        if not known and not (command == "head" and isinstance(option, str) and lines(option)):
            return False
    if env not in ({}, {"LC_ALL": "C"}, {"LC_ALL": "C.UTF-8"}):
        return False
    return word(job.get("file")) and word(job.get("output", "none"))


def main():
    if len(sys.argv) != 3:
        stop("usage")
    jobs = load(sys.argv[1])
    if sys.argv[2] not in jobs:
        stop("no such job")
    job = collect(jobs, sys.argv[2])
    source = Path("test_dir/data", str(job.get("file")).replace("\0", "?"))
    if not good(job) or not source.is_file():
        stop("bad job")
    tool = ["/usr/bin/" + job["command"], *job.get("options", []), str(source)]
    env = job.get("env") or {"LC_ALL": "C"}
    done = subprocess.run(tool, env=env, capture_output=True)
    if done.returncode:
        stop("failed")
    if "output" in job:
        Path("test_dir/out").mkdir(exist_ok=True)
        target = os.open(f"test_dir/out/{job['output']}", os.O_WRONLY | os.O_CREAT, 0o600)
        with os.fdopen(target, "wb") as out:
            out.truncate()
            out.write(done.stdout)
        print(f"written: test_dir/out/{job['output']}")
        return
    print(f"== {sys.argv[2]} ==", flush=True)
    sys.stdout.buffer.write(done.stdout)


if __name__ == "__main__":
    main()
