"""Registration validator: strict rules, answer and audit line for every request."""

import html
import json
import sys
import unicodedata
from pathlib import Path

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
DIGITS = frozenset("0123456789")
RESERVED = ("admin", "root", "system", "support")
INPUT_LIMIT = 65_536


def has_hidden(value):
    return any(unicodedata.category(c)[0] == "C" for c in value)


def good_username(value):
    return (
        3 <= len(value) <= 20
        and value[0] in LETTERS
        and set(value) <= LETTERS | DIGITS | {"_"}
        and value.lower() not in RESERVED
    )


def good_email(value):
    if len(value) > 254:
        return False
    local, at, domain = value.partition("@")
    labels = domain.split(".")
    if not at or not 1 <= len(local) < 64 or len(labels) < 2:
        return False
    if not set(local) <= LETTERS | DIGITS | set("._%+-"):
        return False
    if not all(1 <= len(label) <= 63 and set(label) <= LETTERS | DIGITS | {"-"} for label in labels):
        return False
    return len(labels[-1]) >= 2 and set(labels[-1]) <= LETTERS


def good_password(value, username):
    if not 12 <= len(value) <= 128 or has_hidden(value):
        return False
    if not any(c.islower() for c in value) or not any(c.isupper() for c in value):
        return False
    if not set(value) & DIGITS:
        return False
    if username and username.lower() in value.lower():
        return False
    listed = Path("test_dir/common-passwords.txt").read_text(encoding="utf-8")
    return value.lower() not in listed.lower().split()


def good_display_name(value):
    return 1 <= len(value) <= 50 and bool(value.strip()) and not has_hidden(value)


def audit(accepted, username):
    shown = "".join(c if c in LETTERS | DIGITS | {"_"} else "?" for c in username[:40]) or "-"
    with open("test_dir/audit.log", "a", encoding="ascii") as log:
        log.write(f"registration {'ok' if accepted else 'refused'} user={shown}\n")


def answer(errors, greeting=None):
    print(json.dumps({"valid": not errors, "errors": errors, "greeting": greeting}))


def main():
    raw = sys.stdin.buffer.read(INPUT_LIMIT + 1)
    try:
        if len(raw) > INPUT_LIMIT:
            raise ValueError("too long")
        request = json.loads(raw)
        if not isinstance(request, dict):
            raise ValueError("no object")
    except (ValueError, RecursionError):
        audit(False, "")
        answer(["request"])
        return
    given = {k: v if isinstance(v, str) else "" for k, v in request.items()}
    username, shown = given.get("username", ""), given.get("display_name", "")
    checks = {
        "username": good_username(username),
        "email": good_email(given.get("email", "")),
        "password": good_password(given.get("password", ""), username),
        "display_name": good_display_name(shown),
    }
    errors = [field for field, good in checks.items() if not good]
    audit(not errors, username)
    name = html.escape(shown)
    answer(errors, None if errors else f'<p title="{name}">Welcome, {name}</p>')


if __name__ == "__main__":
    main()
