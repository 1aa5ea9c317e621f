"""Parses, classifies and deduplicates reports of AddressSanitizer and UndefinedBehaviorSanitizer.

Two alerts are the same if their kind and their frames are, without addresses, lines and columns,
because an edit moves these.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

LIBFUZZER = "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a"
CLASSES = ("segv", "spatial", "temporal", "undefined", "leak")
FRAMES = 3  # how many of the project's frames tell two alerts apart
ADDRESS = re.compile(r"^==\d+==\s*ERROR: (?:Address|Undefined\w*)Sanitizer:? (?P<what>.*)$")
LEAK = re.compile(r"^(?:Direct|Indirect) leak of \d+ byte\(s\) in \d+ object\(s\)")
RUNTIME = re.compile(r"^(?P<path>[^\s:][^:\n]*):\d+:\d+: runtime error: (?P<what>.*)$")
FRAME = re.compile(r"^\s+#(?P<n>\d+) 0x[0-9a-f]+ (?:in (?P<name>\S+) ?)?(?P<place>\S*)")
INFRASTRUCTURE = re.compile(
    r"^(?:__interceptor|__asan|__ubsan|__sanitizer|__lsan|___interceptor|_start$"
    r"|__libc_start|malloc$|calloc$|realloc$|free$)|libsanitizer"
)
# what a sanitizer says of memory that it did not get itself
STARVED = re.compile(
    r"failed to (?:de)?allocate|out of memory|ReserveShadowMemoryRange failed|Failed to mmap"
    r"|(?i:rss limit)|interleaves with an existing memory|Failed to protect the shadow"
)
SPATIAL = re.compile(r"overflow|underflow|out of bounds|negative-size|poisoned|insufficient space")
TEMPORAL = re.compile(r"use-after|double-free|bad-free|not malloc|alloc-dealloc|after-scope")


@dataclass(frozen=True)
class Alert:
    """One report. frames: "function file" of the project's own frames, innermost first.

    The innermost FRAMES of them tell alerts apart.
    """

    kind: str
    group: str  # one of CLASSES
    frames: tuple[str, ...]

    @property
    def key(self) -> str:
        """What makes two reports one alert."""
        return " | ".join((self.kind, *self.frames[:FRAMES]))


def parse_alerts(log: bytes | str) -> list[Alert]:
    """Every report of a log in its order, repeated ones too."""
    text = split_lines(log)
    return [_parse_alert(*start, text) for start in _find_reports(text)]


def is_report(log: str) -> bool:
    """Whether a sanitizer found an error; neither a warning nor a failure of its own is one."""
    for line in split_lines(log):
        if ("ERROR: " in line or ": runtime error: " in line) and not STARVED.search(line):
            return True
    return False


def split_lines(log: bytes | str) -> list[str]:
    """The lines of a log; bytes that are no text are replaced."""
    text = log.decode("utf-8", "replace") if isinstance(log, bytes) else log
    return text.replace("\0", "").splitlines()


def _find_reports(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """(line number, kind, path if the report names one)."""
    for number, line in enumerate(lines):
        if STARVED.search(line):
            continue
        address = ADDRESS.match(line)
        runtime = RUNTIME.match(line)
        if address and address["what"].startswith("attempting free on"):
            yield number, "bad-free", ""
        elif address:
            kind = re.split(r"[\s:]", address["what"].removeprefix("attempting "))[0]
            yield number, kind, ""
        elif runtime:
            # the kind is the message without its numbers, quoted types and addresses
            kind = re.sub(r"'[^']*'|0x[0-9a-f]+|-?\d[\d.e+-]*", "_", runtime["what"])
            yield number, re.sub(r"\s+", " ", kind).strip(), runtime["path"]
        elif LEAK.match(line):
            yield number, "leak", ""


def group_of(kind: str) -> str:
    """The class of a kind, in the paper's terms (section 3.4); a leak is a class of its own."""
    if kind == "leak":
        return "leak"
    if kind in ("SEGV", "BUS", "stack-overflow"):
        return "segv"
    if TEMPORAL.search(kind):
        return "temporal"
    if SPATIAL.search(kind) and "integer overflow" not in kind:
        return "spatial"
    return "undefined"


def _parse_alert(start: int, kind: str, path: str, lines: list[str]) -> Alert:
    frames: list[str] = []
    last = -1
    for line in lines[start + 1 :]:
        frame = FRAME.match(line)
        if frame is None:
            if last >= 0 or any(head.match(line) for head in (ADDRESS, RUNTIME, LEAK)):
                break
            continue
        if int(frame["n"]) <= last:
            break
        last = int(frame["n"])
        name = frame["name"] or ""
        place = frame["place"]
        is_project = "/mnt/" in place and "libsanitizer" not in place
        if name and is_project and not INFRASTRUCTURE.search(name):
            frames.append(f"{name} {_project_path(place)}")
    if path and not frames:
        frames = [_project_path(path)]
    return Alert(kind, group_of(kind), tuple(frames))


def _project_path(place: str) -> str:
    """The path below the tree, without line and column."""
    return re.sub(r"(?::\d+)+$", "", place).rpartition("/mnt/")[2]
