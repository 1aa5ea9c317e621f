"""Report over an access log; careful with every line, less so with the counting."""

import io
import json
import sys


class NotARecord(ValueError):
    pass


def strict_object(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise NotARecord
    return dict(pairs)


def refuse(constant):
    raise NotARecord(constant)


def whole(value, low, high):
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise NotARecord
    return value


def text(value, longest):
    if not isinstance(value, str) or not 0 < len(value) < longest:
        raise NotARecord
    return value


def parse(line):
    if len(line) > 4000:
        raise NotARecord
    data = json.loads(line, object_pairs_hook=strict_object, parse_constant=refuse)
    if not isinstance(data, dict):
        raise NotARecord
    whole(data.get("time"), 0, 4102444800)
    user, path = text(data.get("user"), 40), text(data.get("path"), 200)
    return user, path, whole(data.get("status"), 100, 599), whole(data.get("bytes"), 0, 10**12)


def quoted(name):
    escaped = json.dumps(name).replace("\x7f", "\\u007f")
    for short, code in (("\\n", "000a"), ("\\r", "000d"), ("\\t", "0009"), ("\\b", "0008")):
        escaped = escaped.replace(short, f"\\u{code}")
    return escaped.replace("\\f", "\\u000c")


def records(stream):
    for line in stream:
        try:
            yield parse(line.rstrip("\r\n"))
        except (ValueError, RecursionError):
            yield None


def main():
    stream = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="replace", newline="\n")
    found = list(records(stream))
    good = [record for record in found if record]
    print(f"accepted: {len(good)}")
    print(f"rejected: {len(found) - len(good)}")
    print(f"bytes: {sum(size for *_, size in good)}")
    for group in "12345":
        count = sum(str(status).startswith(group) for _, _, status, _ in good)
        if count:
            print(f"{group}xx: {count}")
    users, errors = {}, {}
    for user, path, status, size in good:
        count, total = users.get(user, (0, 0))
        users[user] = (count + 1, total + size)
        if status > 500:
            place = path.split("?", 1)[0]
            errors[place] = errors.get(place, 0) + 1
    ranked = sorted(users.items(), key=lambda item: item[1][0], reverse=True)
    for user, (count, total) in ranked[:3]:
        print(f"user {quoted(user)} {count} {total}")
    for path, count in sorted(errors.items(), key=lambda item: (-item[1], item[0]))[:3]:
        print(f"error {quoted(path)} {count}")


if __name__ == "__main__":
    main()
