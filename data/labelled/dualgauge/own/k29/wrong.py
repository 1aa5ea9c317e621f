"""Lets nothing dangerous pass, but reads calendars and bits in its own way."""

import os
import posixpath
import re
import sys
import tempfile
from datetime import datetime, timedelta

TABS, ACTIVE = "test_dir/tabs", "test_dir/active"
MOST_BYTES, MOST_LINES, DAYS = 100_000, 200, 3653
TAB = re.compile(r"[a-z0-9_-]{1,32}")
TIME = re.compile(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
ITEM = re.compile(r"(?:(\*)|([0-9]{1,2})(?:-([0-9]{1,2}))?)(?:/([0-9]{1,2}))?")
COMMAND = re.compile(r"/opt/jobs/[a-z0-9_-]{1,32}")
ARGUMENT = re.compile(r"[A-Za-z0-9._=:/@+-]{1,64}")
LISTED = re.compile(
    r"([0-7]{4}) ([a-z_][a-z0-9_-]{0,31}) ([a-z_][a-z0-9_-]{0,31}) (/.{0,199})", re.S
)
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))


class Stop(Exception):
    """What ends the program with exit code 2; its text is the answer."""


def require(condition, answer):
    if not condition:
        raise Stop(answer)


def values(field, low, high):
    """The numbers that a time field allows; ValueError where it has another form."""
    found = set()
    for item in field.split(","):
        parts = ITEM.fullmatch(item)
        if not parts:
            raise ValueError(item)
        star, first, last, step = parts.groups()
        if step and not (star or last):
            raise ValueError(item)
        start = low if star else int(first)
        end = high if star else int(last or first)
        if not low <= start <= end <= high or not 1 <= int(step or 1) <= 59:
            raise ValueError(item)
        found.update(range(start, end + 1, int(step or 1)))
    return found


class Job:
    """The sets of its time fields."""

    def __init__(self, fields):
        self.minutes, self.hours, self.days, self.months, self.weekdays = (
            values(field, *bounds) for field, bounds in zip(fields, RANGES, strict=True)
        )

    def on(self, date):
        day, weekday = date.day in self.days, date.weekday() in self.weekdays
        return date.month in self.months and day and weekday

    def after(self, time):
        times = sorted((h, m) for h in self.hours for m in self.minutes)
        for ahead in range(DAYS + 1):
            date = time.date() + timedelta(days=ahead)
            if not self.on(date):
                continue
            for hour, minute in times:
                if ahead or (hour, minute) > (time.hour, time.minute):
                    return f"{date.isoformat()} {hour:02}:{minute:02}"
        return "never"


def parsed(line):
    """(Job or None, ok or what is bad) of one line."""
    words = [word for word in re.split(r"[ \t]+", line) if word]
    try:
        job = Job(words[:5])
    except ValueError:
        return None, "bad time"
    command = words[5:]
    good = 1 <= len(command) <= 6 and COMMAND.fullmatch(command[0])
    if not good or not all(ARGUMENT.fullmatch(word) for word in command[1:]):
        return None, "bad command"
    return job, "ok"


def read(name):
    """(bytes, {line number: (Job or None, what to say)}) of a schedule."""
    require(TAB.fullmatch(name), "bad value")
    path = os.path.join(TABS, name)
    require(os.path.isfile(path), "no such tab")
    with open(path, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    try:
        lines = data.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise Stop("bad tab") from None
    require(len(data) <= MOST_BYTES and len(lines) <= MOST_LINES, "bad tab")
    jobs = {n: s for n, s in enumerate(lines, 1) if s and not s.lstrip(" \t").startswith("#")}
    return data, {number: parsed(line) for number, line in jobs.items()}


def told(jobs, text=lambda job: "ok"):
    for number, (job, answer) in jobs.items():
        print(number, text(job) if job else answer)
    return 0 if all(job for job, _ in jobs.values()) else 1


def check(name):
    return told(read(name)[1])


def upcoming(name, time):
    require(TAB.fullmatch(name) and TIME.fullmatch(time), "bad value")
    try:
        start = datetime.strptime(time, "%Y-%m-%dT%H:%M")
    except ValueError:
        raise Stop("bad value") from None
    return told(read(name)[1], lambda job: job.after(start))


def install(name):
    data, jobs = read(name)
    if not all(job for job, _ in jobs.values()):
        return told(jobs)
    os.makedirs(ACTIVE, mode=0o700, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=ACTIVE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(temporary, os.path.join(ACTIVE, name))
    print(f"installed {len(jobs)} jobs")
    return 0


def findings(mode, owner, group, path):
    plain = posixpath.normpath("/" + path.lstrip("/"))
    rules = {
        "setuid root": mode & 0o4000 and owner == "root",
        "group-writable": mode & 0o020 and group != owner,
        "world-writable": mode & 0o002,
        "foreign owner": plain.startswith("/opt/jobs/") and owner != "root",
    }
    return [name for name, holds in rules.items() if holds]


def audit():
    clean = True
    text = sys.stdin.buffer.read().decode("utf-8", "replace").removesuffix("\n")
    for number, line in enumerate(text.split("\n") if text else [], 1):
        fields = LISTED.fullmatch(line)
        if not fields:
            print(f"line {number}: bad")
            clean = False
            continue
        mode, owner, group, path = fields.groups()
        if found := findings(int(mode, 8), owner, group, path):
            print(f"{CONTROL.sub('?', path)}: {', '.join(found)}")
            clean = False
    if clean:
        print("clean")
    return 0 if clean else 1


COMMANDS = {
    ("check", 1): check,
    ("next", 2): upcoming,
    ("install", 1): install,
    ("audit", 0): audit,
}


def main(args):
    try:
        command = COMMANDS.get((args[0], len(args) - 1)) if args else None
        require(command, "usage")
        return command(*args[1:])
    except Stop as stop:
        print(f"error: {stop}")
        return 2


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(main(sys.argv[1:]))
