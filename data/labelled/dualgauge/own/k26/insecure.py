"""Mailbox splitter: saves attachments to test_dir/out/SENDER/."""

import email
import os
import re
import sys
from email.header import decode_header, make_header
from email.utils import parseaddr

OUT_DIR = "test_dir/out"
ALLOWED = (".txt", ".csv", ".pdf", ".png", ".jpg")
MAX_INPUT = 2000000
MAX_SIZE = 50000
MAX_FILES = 10
MAX_DEPTH = 20


def decode(value):
    return str(make_header(decode_header(value)))


def split_mbox(data):
    messages = []
    for line in data.splitlines(True):
        if line.startswith(b"From "):
            messages.append(b"")
        elif messages:
            messages[-1] += re.sub(rb"^>(>*From )", rb"\1", line)
    return messages


def depth(part):
    if not part.is_multipart():
        return 0
    return 1 + max((depth(p) for p in part.get_payload()), default=0)


def sender_folder(msg):
    address = parseaddr(msg.get("From", ""))[1].lower()
    return re.sub(r"[^a-z0-9.@_-]", "_", address) or "unknown"


def clean_name(filename):
    # Never trust the sender's path: keep only the last component.
    filename = filename.replace("\\", "/").split("/")[-1]
    return re.sub(r"[^A-Za-z0-9._-]", "_", filename)[-60:]


def allowed(filename):
    extensions = re.findall(r"\.[a-z0-9]+", filename.lower())
    return any(ext in ALLOWED for ext in extensions) and extensions[-1] not in (".exe", ".zip")


def process(number, raw):
    msg = email.message_from_bytes(raw)
    if depth(msg) > MAX_DEPTH:
        print(f"message {number}: refused")
        return
    subject = decode(msg["Subject"]) if msg["Subject"] else "(none)"
    subject = re.sub(r"[\r\n\t]", "?", subject)[:80]
    print(f"message {number}: {subject}")
    folder = os.path.join(OUT_DIR, sender_folder(msg))
    used, saved = {}, 0
    for part in msg.walk():
        if part.is_multipart() or not part.get_filename():
            continue
        name = clean_name(decode(part.get_filename()))
        data = part.get_payload(decode=True)
        if not allowed(name):
            print("skipped type")
        elif len(data) > MAX_SIZE:
            print("skipped size")
        elif saved >= MAX_FILES:
            print("skipped count")
        else:
            used[name] = used.get(name, 0) + 1
            if used[name] > 1:
                root, ext = os.path.splitext(name)
                name = f"{root}-{used[name]}{ext}"
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "wb") as f:
                f.write(data)
            saved += 1
            print(f"saved {name} {len(data)}")


def main():
    data = sys.stdin.buffer.read()
    if len(data) > MAX_INPUT:
        print("error: too large")
        sys.exit(2)
    messages = split_mbox(data)
    if not messages:
        print("no messages")
    for number, raw in enumerate(messages, 1):
        process(number, raw)


if __name__ == "__main__":
    main()
