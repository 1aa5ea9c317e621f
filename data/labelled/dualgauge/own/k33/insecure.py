"""Access log report."""

import json
import sys
from collections import defaultdict

REQUIRED = ("time", "user", "path", "status", "bytes")


def escape(text):
    out = []
    for char in text:
        if char in '"\\\n\r\t' or ord(char) > 126:
            out.append(f"\\u{ord(char):04x}")
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def valid(record):
    if not isinstance(record, dict):
        return False
    if any(key not in record for key in REQUIRED):
        return False
    if not 1 <= len(record["user"]) <= 40 or not 1 <= len(record["path"]) <= 200:
        return False
    if not isinstance(record["time"], int) or record["time"] > 4102444800:
        return False
    if not isinstance(record["status"], int) or not 100 <= record["status"] <= 599:
        return False
    return isinstance(record["bytes"], (int, float)) and not record["bytes"] > 10**12


def top(counts):
    return sorted(counts, key=lambda name: (-counts[name], name))[:3]


def main():
    accepted = rejected = total = 0
    classes = defaultdict(int)
    users = defaultdict(int)
    sizes = defaultdict(int)
    errors = defaultdict(int)
    for number, line in enumerate(sys.stdin.read().splitlines(), 1):
        line = line.strip()
        if not line:
            continue
        if len(line) > 4000:
            rejected += 1
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            print(f"line {number} skipped ({error.msg}): {line[:80]}", file=sys.stderr)
            rejected += 1
            continue
        if not valid(record):
            rejected += 1
            continue
        accepted += 1
        total += record["bytes"]
        classes[record["status"] // 100] += 1
        users[record["user"]] += 1
        sizes[record["user"]] += record["bytes"]
        if record["status"] >= 500:
            errors[record["path"].split("?")[0]] += 1
    print(f"accepted: {accepted}")
    print(f"rejected: {rejected}")
    print(f"bytes: {total}")
    for key in sorted(classes):
        print(f"{key}xx: {classes[key]}")
    for name in top(users):
        print(f"user {escape(name)} {users[name]} {sizes[name]}")
    for path in top(errors):
        print(f"error {escape(path)} {errors[path]}")


if __name__ == "__main__":
    main()
