"""Reports of AddressSanitizer and UndefinedBehaviorSanitizer: parsed, classed, told apart.

Two alerts are the same if their kind and their normalised frames are: addresses, lines and columns
are dropped, for an edit moves them.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

CLASSES = ("segv", "spatial", "temporal", "undefined", "leak")
FRAMES = 3  # how many of the project's frames tell two alerts apart
ADDRESS = re.compile(r"^==\d+==\s*ERROR: (?:Address|Undefined\w*)Sanitizer:? (?P<what>.*)$")
LEAK = re.compile(r"^(?:Direct|Indirect) leak of \d+ byte\(s\) in \d+ object\(s\)")
RUNTIME = re.compile(r"^(?P<path>[^\s:][^:\n]*):\d+:\d+: runtime error: (?P<what>.*)$")
FRAME = re.compile(r"^\s+#(?P<n>\d+) 0x[0-9a-f]+ (?:in (?P<name>\S+) ?)?(?P<place>\S*)")
OURS = re.compile(r"^(?:__interceptor|__asan|__ubsan|__sanitizer|__lsan|___interceptor|_start$"
                  r"|__libc_start|malloc$|calloc$|realloc$|free$)|libsanitizer")  # fmt: skip
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


def parse(log: bytes | str) -> list[Alert]:
    """Every report of a log in its order, repeated ones too. Bytes that are no text do no harm."""
    read = lines(log)
    return [_alert(*found, read) for found in _starts(read)]


def lines(log: bytes | str) -> list[str]:
    """The lines of a log, whatever its bytes."""
    text = log.decode("utf-8", "replace") if isinstance(log, bytes) else log
    return text.replace("\0", "").splitlines()


def unique(alerts: Iterable[Alert], *, baseline: Iterable[str] = ()) -> dict[str, Alert]:
    """key -> the first such alert, without those whose keys the baseline raised already."""
    known = set(baseline)
    out: dict[str, Alert] = {}
    for alert in alerts:
        if alert.key not in known:
            out.setdefault(alert.key, alert)
    return out


def _starts(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """(line number, kind, path if the report names one)."""
    for n, line in enumerate(lines):
        if found := ADDRESS.match(line):
            yield n, _address_kind(found["what"]), ""
        elif found := RUNTIME.match(line):
            yield n, _runtime_kind(found["what"]), found["path"]
        elif LEAK.match(line):
            yield n, "leak", ""


def _address_kind(what: str) -> str:
    if what.startswith("attempting free on"):
        return "bad-free"
    return re.split(r"[\s:]", what.removeprefix("attempting "))[0]


def _runtime_kind(what: str) -> str:
    """The message without its numbers, quoted types and addresses."""
    return re.sub(r"\s+", " ", re.sub(r"'[^']*'|0x[0-9a-f]+|-?\d[\d.e+-]*", "_", what)).strip()


def group_of(kind: str) -> str:
    """The class of a kind, in the paper's terms (section 3.4), leaks apart."""
    if kind == "leak":
        return "leak"
    if kind in ("SEGV", "BUS", "stack-overflow"):
        return "segv"
    if TEMPORAL.search(kind):
        return "temporal"
    if SPATIAL.search(kind) and "integer overflow" not in kind:
        return "spatial"
    return "undefined"


def _alert(start: int, kind: str, path: str, lines: list[str]) -> Alert:
    frames: list[str] = []
    last = -1
    for line in lines[start + 1 :]:
        found = FRAME.match(line)
        if found is None:
            if last >= 0 or _other(line):
                break
            continue
        if int(found["n"]) <= last:
            break
        last = int(found["n"])
        name, place = found["name"] or "", found["place"]
        if name and not OURS.search(name) and "libsanitizer" not in place and "/mnt/" in place:
            frames.append(f"{name} {_file(place)}")
    shown = tuple(frames) or ((_file(path),) if path else ())
    return Alert(kind, group_of(kind), shown)


def _other(line: str) -> bool:
    return bool(ADDRESS.match(line) or RUNTIME.match(line) or LEAK.match(line))


def _file(place: str) -> str:
    """The path below the tree, without line and column."""
    return re.sub(r"(?::\d+)+$", "", place).rpartition("/mnt/")[2]
