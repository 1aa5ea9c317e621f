"""In the box: a directory server for binding and searching (RFC 4511).

Written by hand, because what there is does not read filters within filters (ldap3, pyasn1-modules)
or would load an event loop of its own for every test (ldaptor).
"""

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from kit_servers import Converse, Note

    Values = dict[str, list[str]]  # of each attribute

LARGEST = 1 << 20  # bytes of a message
PASSWORD = "userpassword"  # a search may compare it, and none gives it out
SUCCESS, NO_SUCH_OBJECT, BAD_CREDENTIALS, UNWILLING = 0, 32, 49, 53
BASE, ONE_LEVEL = 0, 1  # scopes; the third is the whole tree
INTEGER, TEXT, ENUMERATED, SEQUENCE, SET = 0x02, 0x04, 0x0A, 0x30, 0x31
BIND, UNBIND, SEARCH, ENTRY, SEARCH_DONE = 0x60, 0x42, 0x63, 0x64, 0x65
# modify, add, delete, rename, compare, extended: refused with the response that belongs to it
REFUSED = {0x66: 0x67, 0x68: 0x69, 0x4A: 0x6B, 0x6C: 0x6D, 0x6E: 0x6F, 0x77: 0x78}
AND, OR, NOT, EQUAL, SUBSTRINGS, AT_LEAST = 0xA0, 0xA1, 0xA2, 0xA3, 0xA4, 0xA5
AT_MOST, PRESENT, ABOUT = 0xA6, 0x87, 0xA8
SIGNS = {EQUAL: "=", AT_LEAST: ">=", AT_MOST: "<=", ABOUT: "~="}
SIMPLE = 0x80  # a password in a request to bind
INITIAL, FINAL = 0x80, 0x82  # parts of a value


class Cut(Exception):
    """The bytes end within an element."""


class BerElement:
    """A value with its tag, as BER has it."""

    def __init__(self, tag: int, content: bytes) -> None:
        self.tag = tag
        self.content = content

    @property
    def parts(self) -> "list[BerElement]":
        return [*read_elements(self.content)]

    @property
    def text(self) -> str:
        return self.content.decode(errors="replace")

    @property
    def number(self) -> int:
        return int.from_bytes(self.content, "big")


def read_elements(data: bytes) -> "Iterator[BerElement]":
    while data:
        at = 2
        if len(data) < at:
            raise Cut
        size = data[1]
        if size & 0x80:  # the length of the length
            at += size & 0x7F
            size = int.from_bytes(data[2:at], "big")
        if len(data) < at + size:
            raise Cut
        yield BerElement(data[0], data[at : at + size])
        data = data[at + size :]


def write_element(tag: int, content: "bytes | str | int") -> bytes:
    if isinstance(content, int):
        content = content.to_bytes(content.bit_length() // 8 + 1, "big")
    elif isinstance(content, str):
        content = content.encode()
    size = len(content).to_bytes(4, "big")
    return bytes([tag, 0x84]) + size + content


class DirectoryEntry:
    def __init__(self, name: str, attributes: "Values") -> None:
        self.written_name = name
        self.name = split_name(name)
        self.attributes = attributes
        self.values = {key.lower(): values for key, values in attributes.items()}

    def is_within(self, base: list[str], scope: int) -> bool:
        depth = len(self.name) - len(base)
        if depth < 0 or self.name[depth:] != base:
            return False
        return scope not in (BASE, ONE_LEVEL) or depth == scope

    def is_match(self, condition: BerElement) -> bool:
        """Whether a filter holds for the entry; letters of either case are equal."""
        if condition.tag == AND:
            return all(map(self.is_match, condition.parts))
        if condition.tag == OR:
            return any(map(self.is_match, condition.parts))
        if condition.tag == NOT:
            return not self.is_match(condition.parts[0])
        if condition.tag == PRESENT:
            return condition.text.lower() in self.values
        name, *rest = condition.parts
        values = [value.lower() for value in self.values.get(name.text.lower(), [])]
        if condition.tag == SUBSTRINGS:
            pattern = re.compile(write_pattern(rest[0].parts), re.DOTALL)
            return any(map(pattern.fullmatch, values))
        wanted = rest[0].text.lower()
        if condition.tag == AT_LEAST:
            return any(value >= wanted for value in values)
        if condition.tag == AT_MOST:
            return any(value <= wanted for value in values)
        return condition.tag in (EQUAL, ABOUT) and wanted in values


def split_name(text: str) -> list[str]:
    """The parts of an entry's name, the nearest first, in lower case."""
    parts = []
    for part in re.findall(r"(?:\\.|[^,\\])+", text.lower(), re.DOTALL):
        key, _, value = part.partition("=")
        parts.append(f"{key.strip()}={value.strip()}")
    return parts


def write_pattern(parts: list[BerElement]) -> str:
    """The regular expression of the parts of a value, between which anything may stand."""
    pattern = ""
    for part in parts:
        text = re.escape(part.text.lower())
        pattern += text if part.tag == INITIAL else f".*{text}"
    return pattern if parts[-1].tag == FINAL else f"{pattern}.*"


def write_filter(condition: BerElement) -> str:
    """A filter as text (RFC 4515), for whoever reads the log."""
    if condition.tag in (AND, OR):
        sign = "&" if condition.tag == AND else "|"
        return f"({sign}{''.join(map(write_filter, condition.parts))})"
    if condition.tag == NOT:
        return f"(!{write_filter(condition.parts[0])})"
    if condition.tag == PRESENT:
        return f"({condition.text}=*)"
    name, *rest = condition.parts
    if condition.tag == SUBSTRINGS:
        value = ""
        for part in rest[0].parts:
            value += (
                escape_value(part.text) if part.tag == INITIAL else f"*{escape_value(part.text)}"
            )
        value += "" if part.tag == FINAL else "*"
        return f"({name.text}={value})"
    return f"({name.text}{SIGNS.get(condition.tag, '?=')}{escape_value(rest[0].text)})"


def escape_value(value: str) -> str:
    return re.sub(r"[\\*()\0]", lambda match: f"\\{ord(match[0]):02x}", value)


def make_conversation(named: "dict[str, Values]", note: "Note") -> "Converse":
    entries = []
    for name, attributes in named.items():
        entries.append(DirectoryEntry(name, attributes))

    def converse(link: "socket.socket") -> None:
        for message in read_messages(link):
            number, request, *_ = message.parts
            if request.tag == UNBIND:
                return
            replies = b""
            for response in answer_request(entries, request, note):
                content = write_element(INTEGER, number.number) + response
                replies += write_element(SEQUENCE, content)
            link.sendall(replies)

    return converse


def read_messages(link: "socket.socket") -> "Iterator[BerElement]":
    """The messages that come, until the other side ends."""
    received = b""
    while len(received) < LARGEST:
        part = link.recv(65536)
        if not part:
            return
        received += part
        try:
            messages = [*read_elements(received)]
        except Cut:
            continue
        received = b""
        yield from messages


def answer_request(
    entries: list[DirectoryEntry], request: BerElement, note: "Note"
) -> "Iterator[bytes]":
    """The responses to a request, in their order; none to one that has none."""
    if request.tag == BIND:
        _, name, choice = request.parts
        password = choice.text if choice.tag == SIMPLE else None
        note({"bind": name.text, "password": password})
        yield write_result(BIND + 1, check_login(entries, name.text, password))
    elif request.tag == SEARCH:
        yield from search_entries(entries, request, note)
    elif request.tag in REFUSED:
        note({"refused": request.content.decode("latin-1")})
        yield write_result(REFUSED[request.tag], UNWILLING)


def check_login(entries: list[DirectoryEntry], name: str, password: str | None) -> int:
    """The result code; without a password anyone is let in as nobody, as RFC 4513 has it."""
    if password == "":
        return SUCCESS
    for entry in entries:
        if entry.name == split_name(name) and password in entry.values.get(PASSWORD, []):
            return SUCCESS
    return BAD_CREDENTIALS


def search_entries(
    entries: list[DirectoryEntry], request: BerElement, note: "Note"
) -> "Iterator[bytes]":
    base, scope, *_, condition, names = request.parts
    wanted = [name.text.lower() for name in names.parts]
    note({"search": base.text, "filter": write_filter(condition), "attributes": wanted})
    within = []
    for entry in entries:
        if entry.is_within(split_name(base.text), scope.number):
            within.append(entry)
    for entry in within:
        if entry.is_match(condition):
            yield write_entry(entry, wanted)
    is_found = within or scope.number == ONE_LEVEL
    yield write_result(SEARCH_DONE, SUCCESS if is_found else NO_SUCH_OBJECT)


def write_entry(entry: DirectoryEntry, wanted: list[str]) -> bytes:
    listing = b""
    for name, values in entry.attributes.items():
        is_wanted = not wanted or "*" in wanted or name.lower() in wanted
        if is_wanted and name.lower() != PASSWORD:
            texts = b"".join(write_element(TEXT, value) for value in values)
            attribute = write_element(TEXT, name) + write_element(SET, texts)
            listing += write_element(SEQUENCE, attribute)
    content = write_element(TEXT, entry.written_name) + write_element(SEQUENCE, listing)
    return write_element(ENTRY, content)


def write_result(tag: int, code: int) -> bytes:
    content = write_element(ENUMERATED, code) + write_element(TEXT, "") + write_element(TEXT, "")
    return write_element(tag, content)
