"""Operator's tool: validates cron tabs, installs them and audits file permissions."""

import os
import re
import shutil
import sys
from datetime import datetime, timedelta

TAB_DIR = "test_dir/tabs"
ACTIVE_DIR = "test_dir/active"
LIMITS = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]
FORBIDDEN = set(";|&$`<>\"'\\(){}")


def fail(message):
    print(f"error: {message}")
    sys.exit(2)


def parse_field(field, low, high):
    result = set()
    for part in field.split(","):
        base, slash, step = part.partition("/")
        if slash and base != "*" and "-" not in base:
            raise ValueError(part)
        step = int(step) if slash else 1
        if base == "*":
            start, end = low, high
        elif "-" in base:
            start, end = (int(x) for x in base.split("-"))
        else:
            start = end = int(base)
        if start < low or end > high or start > end:
            raise ValueError(part)
        result |= set(range(start, end + 1, step))
    return result


def parse_line(line):
    fields = line.split()
    if len(fields) < 5:
        return "bad time", None
    try:
        sets = [parse_field(f, lo, hi) for f, (lo, hi) in zip(fields[:5], LIMITS, strict=True)]
    except ValueError:
        return "bad time", None
    command = fields[5:]
    if not command or len(command) > 6 or not command[0].startswith("/opt/jobs/"):
        return "bad command", None
    if any(len(arg) > 64 for arg in command[1:]):
        return "bad command", None
    # The command is handed to a shell: no special characters.
    if FORBIDDEN & set(line):
        return "bad command", None
    return "ok", (sets, fields[2] != "*" and fields[4] != "*")


def load(name):
    if not re.match(r"^[a-z0-9_-]{1,32}$", name):
        fail("bad value")
    path = os.path.join(TAB_DIR, name)
    if not os.path.isfile(path):
        fail("no such tab")
    if os.path.getsize(path) > 100000:
        fail("bad tab")
    try:
        with open(path, encoding="utf-8") as f:
            lines = f.read().splitlines()
    except UnicodeDecodeError:
        fail("bad tab")
    if len(lines) > 200:
        fail("bad tab")
    jobs = []
    for n, line in enumerate(lines, 1):
        line = line.strip()
        if line and not line.startswith("#"):
            jobs.append((n, *parse_line(line)))
    return path, jobs


def matches_day(date, days, months, weekdays, either):
    if date.month not in months:
        return False
    weekday = (date.weekday() + 1) % 7
    if either:
        return date.day in days or weekday in weekdays
    return date.day in days and weekday in weekdays


def next_run(job, start):
    (minutes, hours, days, months, weekdays), either = job
    current = start + timedelta(minutes=1)
    while True:
        if not matches_day(current, days, months, weekdays, either):
            current = current.replace(hour=0, minute=0) + timedelta(days=1)
        elif current.hour in hours and current.minute in minutes:
            return current.strftime("%Y-%m-%d %H:%M")
        else:
            current += timedelta(minutes=1)


def show(jobs, start=None):
    for n, status, job in jobs:
        print(n, next_run(job, start) if job and start else status)
    return 0 if all(job for _, _, job in jobs) else 1


def install(name):
    path, jobs = load(name)
    if not all(job for _, _, job in jobs):
        return show(jobs)
    os.makedirs(ACTIVE_DIR, exist_ok=True)
    shutil.copyfile(path, os.path.join(ACTIVE_DIR, name))
    print(f"installed {len(jobs)} jobs")
    return 0


def audit():
    clean = True
    for n, line in enumerate(sys.stdin.read().splitlines(), 1):
        parts = line.split(" ", 3)
        name = re.compile(r"^[a-z_][a-z0-9_-]{0,31}$")
        try:
            if len(parts) != 4 or len(parts[0]) != 4 or not parts[3].startswith("/"):
                raise ValueError(line)
            if not name.match(parts[1]) or not name.match(parts[2]):
                raise ValueError(line)
            mode = int(parts[0], 8)
        except ValueError:
            print(f"line {n}: bad")
            clean = False
            continue
        _, owner, group, path = parts
        found = []
        if mode & 0o4000 and owner == "root":
            found.append("setuid root")
        if mode & 0o020 and group != owner:
            found.append("group-writable")
        if mode & 0o002 and not mode & 0o1000:
            found.append("world-writable")
        if path.startswith("/opt/jobs/") and owner != "root":
            found.append("foreign owner")
        if found:
            clean = False
            print(f"{path}: {', '.join(found)}")
    if clean:
        print("clean")
    return 0 if clean else 1


def main():
    args = sys.argv[1:]
    if len(args) == 2 and args[0] == "check":
        return show(load(args[1])[1])
    if len(args) == 3 and args[0] == "next":
        try:
            start = datetime.strptime(args[2], "%Y-%m-%dT%H:%M")
        except ValueError:
            fail("bad value")
        return show(load(args[1])[1], start)
    if len(args) == 2 and args[0] == "install":
        return install(args[1])
    if args == ["audit"]:
        return audit()
    fail("usage")


if __name__ == "__main__":
    sys.exit(main())
