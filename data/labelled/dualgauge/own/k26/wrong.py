"""Takes mailboxes apart with care for where files go, and less for what was asked."""

import email
import os
import re
import sys
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.utils import parseaddr

OUT = "test_dir/out"
MOST_BYTES, MOST_SIZE, MOST_FILES, MOST_LEVELS = 2_000_000, 50_000, 10, 20
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
ENDINGS = (".txt", ".csv", ".pdf", ".png", ".jpg")


class TooDeep(Exception):
    """A message with more levels than are looked into."""


def messages(data):
    """The bytes of each message, without its From line and with > taken away."""
    found = []
    for line in data.splitlines(keepends=True):
        if line.startswith(b"From "):
            found.append([])
        elif found:
            found[-1].append(line.lstrip(b">") if re.match(b">+From ", line) else line)
    return [b"".join(lines) for lines in found]


def decoded(header):
    """A header's text with its encoded words; what cannot be decoded is replaced."""
    text = re.sub(r"\r?\n", "", str(header))
    try:
        words = decode_header(text)
    except (HeaderParseError, ValueError):
        return text
    return "".join(word_text(word, charset) for word, charset in words)


def word_text(word, charset):
    if isinstance(word, str):
        return word
    try:
        return word.decode(charset or "ascii", "replace")
    except (LookupError, ValueError):
        return word.decode("utf-8", "replace")


def leaves(part, level=0):
    """The parts that hold no parts themselves."""
    if not part.is_multipart():
        yield part
        return
    if level >= MOST_LEVELS:
        raise TooDeep
    for inner in part.get_payload():
        yield from leaves(inner, level + 1)


def sender(message):
    address = parseaddr(decoded(message.get("From", "")))[1]
    return re.sub(r"[^a-z0-9.@_-]", "_", address) if "@" in address else "unknown"


def final_name(given):
    last = re.split(r"[/\\]", decoded(given))[-1]
    return re.sub(r"[^A-Za-z0-9._-]+", "_", last)[-60:]


def save(folder, name, data):
    """Writes a new file under this name or the next free one; returns that name."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    stem, ending = os.path.splitext(name)
    number, flags = 1, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    while True:
        candidate = name if number == 1 else f"{stem}-{number}{ending}"
        try:
            handle = os.open(os.path.join(folder, candidate), flags, 0o600)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        return candidate


def attachments(message):
    """(name, bytes) of each attachment; raises TooDeep before anything was saved."""
    named = [(part.get_filename(), part) for part in leaves(message)]
    return [(final_name(n), part.get_payload(decode=True) or b"") for n, part in named if n]


def work(number, data):
    try:
        message = email.message_from_bytes(data)
        found = attachments(message)
    except (TooDeep, RecursionError, MessageError):
        print(f"message {number}: refused")
        return
    subject = decoded(message["Subject"]) if "Subject" in message else "(none)"
    print(f"message {number}: {CONTROL.sub('?', subject)[:80]}")
    saved = 0
    for name, content in found:
        if not name.endswith(ENDINGS):
            print("skipped type")
        elif len(content) > MOST_SIZE:
            print("skipped size")
        elif saved >= MOST_FILES:
            print("skipped count")
        else:
            saved += 1
            print("saved", save(os.path.join(OUT, sender(message)), name, content), len(content))


def main():
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    data = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        print("error: too large")
        return 2
    found = messages(data)
    for number, message in enumerate(found, 1):
        work(number, message)
    if not found:
        print("no messages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
