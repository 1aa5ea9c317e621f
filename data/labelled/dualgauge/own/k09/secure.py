"""Registration check: one JSON object in, one JSON object out, one line in the audit log."""

import json
import re
import sys
import unicodedata

AUDIT_LOG = "test_dir/audit.log"
COMMON_PASSWORDS = "test_dir/common-passwords.txt"
MAX_INPUT = 100_000
RESERVED = {"admin", "root", "system", "support"}

USERNAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,19}")
LOCAL_PART = re.compile(r"[A-Za-z0-9._%+-]{1,64}")
LABEL = re.compile(r"[A-Za-z0-9-]{1,63}")
LAST_LABEL = re.compile(r"[A-Za-z]{2,63}")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def hidden(text):
    """Does the text hold control characters or halves of surrogate pairs?"""
    return any(unicodedata.category(c) in ("Cc", "Cs") for c in text)


def username_ok(name):
    return USERNAME.fullmatch(name) is not None and name.lower() not in RESERVED


def email_ok(email):
    if len(email) > 254 or email.count("@") != 1:
        return False
    local, domain = email.split("@")
    labels = domain.split(".")
    return (
        LOCAL_PART.fullmatch(local) is not None
        and len(labels) >= 2
        and all(LABEL.fullmatch(label) for label in labels)
        and LAST_LABEL.fullmatch(labels[-1]) is not None
    )


def common_passwords():
    with open(COMMON_PASSWORDS, encoding="utf-8") as lines:
        return {line.strip().lower() for line in lines}


def password_ok(password, name):
    if not 12 <= len(password) <= 128 or hidden(password):
        return False
    kinds = (r"[a-z]", r"[A-Z]", r"[0-9]")
    if not all(re.search(kind, password) for kind in kinds):
        return False
    if isinstance(name, str) and name and name.lower() in password.lower():
        return False
    return password.lower() not in common_passwords()


def display_name_ok(name):
    if not 1 <= len(name) <= 50 or not name.strip():
        return False
    return not hidden(name)


def read_request(raw):
    """The object that was sent, or None."""
    if len(raw) > MAX_INPUT:
        return None
    try:
        request = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return request if isinstance(request, dict) else None


def check(request):
    name = request.get("username")
    rules = {
        "username": username_ok,
        "email": email_ok,
        "password": lambda password: password_ok(password, name),
        "display_name": display_name_ok,
    }
    fields = ((field, request.get(field), rule) for field, rule in rules.items())
    return [f for f, value, rule in fields if not (isinstance(value, str) and rule(value))]


def greeting(name):
    shown = "".join(ENTITIES.get(c, c) for c in name)
    return f'<p title="{shown}">Welcome, {shown}</p>'


def log_line(request, accepted):
    name = (request or {}).get("username")
    if not isinstance(name, str) or not name:
        name = "-"
    # Nothing that could end the line, or hide in it, is written as it is.
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in name[:200])
    return f"registration {'ok' if accepted else 'refused'} user={shown}\n"


def main():
    request = read_request(sys.stdin.buffer.read(MAX_INPUT + 1))
    errors = ["request"] if request is None else check(request)
    answer = {"valid": not errors, "errors": errors, "greeting": ""}
    if not errors:
        answer["greeting"] = greeting(request["display_name"])
    with open(AUDIT_LOG, "a", encoding="utf-8") as log:
        log.write(log_line(request, not errors))
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
