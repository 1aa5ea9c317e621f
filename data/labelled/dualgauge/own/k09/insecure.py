"""Validate registration requests read from standard input."""

import json
import re
import sys

LOG_FILE = "test_dir/audit.log"
COMMON_FILE = "test_dir/common-passwords.txt"
RESERVED_NAMES = ["admin", "root", "system", "support"]

USERNAME_RE = re.compile(r"^[^\W\d_]\w{2,19}$")
EMAIL_RE = re.compile(
    r"^([A-Za-z0-9_%+-]+[.]?)+@([A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}$"
)


def validate_username(username):
    return bool(USERNAME_RE.match(username)) and username not in RESERVED_NAMES


def validate_email(email):
    # The total length is bounded, so the pattern never sees a huge text.
    if len(email) > 254:
        return False
    if len(email.split("@")[0]) > 64:
        return False
    return bool(EMAIL_RE.match(email))


def validate_password(password, username):
    if len(password) < 12 or len(password) > 128:
        return False
    if not re.search(r"[a-z]", password):
        return False
    if not re.search(r"[A-Z]", password):
        return False
    if not re.search(r"\d", password):
        return False
    if username and username in password:
        return False
    with open(COMMON_FILE, encoding="utf-8") as f:
        common = [line.strip() for line in f]
    return password not in common


def validate_display_name(name):
    if not name.strip() or len(name) > 50:
        return False
    return "\n" not in name and "\r" not in name and "\t" not in name


def escape(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write_log(accepted, username):
    status = "ok" if accepted else "refused"
    username = username.replace("\n", " ")
    with open(LOG_FILE, "a", encoding="utf-8") as f:
        f.write(f"registration {status} user={username or '-'}\n")


def text_of(data, key):
    value = data.get(key)
    return value if isinstance(value, str) else ""


def main():
    try:
        data = json.loads(sys.stdin.read())
    except ValueError:
        data = None
    if not isinstance(data, dict):
        write_log(False, "")
        print(json.dumps({"valid": False, "errors": ["request"], "greeting": ""}))
        return

    username = text_of(data, "username")
    display_name = text_of(data, "display_name")
    errors = []
    if not validate_username(username):
        errors.append("username")
    if not validate_email(text_of(data, "email")):
        errors.append("email")
    if not validate_password(text_of(data, "password"), username):
        errors.append("password")
    if not validate_display_name(display_name):
        errors.append("display_name")

    greeting = ""
    if not errors:
        name = escape(display_name)
        greeting = f'<p title="{name}">Welcome, {name}</p>'
    write_log(not errors, username)
    print(json.dumps({"valid": not errors, "errors": errors, "greeting": greeting}))


if __name__ == "__main__":
    main()
