"""Says in words what an evidence shows: for a verdict, a judge, a planner, a page, a terminal."""

import json
from collections import Counter
from fnmatch import fnmatchcase
from itertools import filterfalse
from typing import Any

from kit.core.records import Event, Evidence
from kit.harness import box_files

FILES = 20
FILE_CHARS = 1500
EVENTS = 80
# What language runtimes and the C library read on their own; a wildcard does not mean these.
RUNTIME = tuple(
    "/etc/ld.so.* /etc/localtime /etc/timezone /etc/mime.types /etc/*/mime.types /etc/ssl/* "
    "/etc/nsswitch.conf /etc/hosts /etc/resolv.conf /etc/host.conf /etc/gai.conf /etc/services "
    "/etc/protocols /etc/python3* /etc/node* /etc/netsvc.conf /etc/svc.conf /etc/alternatives/* "
    "/etc/java* /proc/self/maps /proc/meminfo /proc/cpuinfo /proc/stat /proc/filesystems "
    "/proc/self/cgroup /dev/urandom /dev/random".split()
)
_ROUTINE = (*RUNTIME, *"/usr/* /lib/* /lib64/* /bin/* /opt/* /proc/self/* /dev/null".split())
_TELLING = ("exec", "connect", "bind", "signal", "delete", "rename", "write")


def escape_unprintable(text: str) -> str:
    """A text that any table or terminal takes: what is not printable is escaped."""
    escaped = ""
    for character in text:
        escaped += character if character.isprintable() else ascii(character)[1:-1]
    return escaped


def shorten_value(value: Any, limit: int = 100) -> str:
    """A value in a sentence: one line, at most `limit` characters."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def summarize_answer(evidence: Evidence, limit: int = 100) -> str:
    """What the program answered, in a few words."""
    observed = evidence.observed
    if observed.kind == "exception":
        if not observed.message:
            return f"exception {observed.exception}"
        return f"exception {observed.exception}: {shorten_value(observed.message, limit)}"
    if observed.kind == "response" and observed.response is not None:
        body = shorten_value(str(observed.response.get("body", "")), limit)
        return f"response {observed.response.get('status')} {body}"
    if observed.kind == "value":
        return f"value {shorten_value(json.dumps(observed.value, ensure_ascii=False), limit)}"
    if observed.kind == "output":
        return f"output {shorten_value(repr(evidence.out), limit)}, exit code {evidence.exit_code}"
    return "no answer"


def format_answer(evidence: Evidence) -> str:
    """What the program answered, in full, as JSON."""
    observed = evidence.observed
    answer: dict[str, Any] = {"kind": observed.kind}
    if observed.kind == "value":
        answer["value"] = observed.value
    elif observed.kind == "response":
        answer["response"] = observed.response
        if isinstance(observed.value, list) and len(observed.value) > 1:
            answer["earlier responses"] = observed.value[:-1]
    if observed.exception:
        answer |= {"exception": observed.exception, "ancestors": observed.bases}
        answer["message"] = observed.message
    return json.dumps(answer, ensure_ascii=False, indent=1, default=str)


def describe_ending(evidence: Evidence) -> str:
    """How the run ended and what it took, a fact a line."""
    facts = {
        "status": str(evidence.status),
        "exit code": evidence.exit_code,
        "signal": evidence.signal,
        "wall seconds": round(evidence.wall_s, 1),
        "peak memory MB": round(evidence.peak_mb),
        "output was cut": evidence.truncated or None,
        "note": evidence.note or None,
    }
    lines = []
    for name, value in facts.items():
        if value is not None:
            lines.append(f"{name}: {value}")
    return "\n".join(lines)


def describe_files(evidence: Evidence) -> list[str]:
    """The files that the run left, with the beginning of each, and those not collected."""
    entries = []
    for name, data in sorted(evidence.files.items())[:FILES]:
        head = f"{escape_unprintable(name)}: {len(data)} bytes"
        if name in evidence.modes:
            head += f", mode {evidence.modes[name]:o}"
        text = data.decode(errors="backslashreplace")
        if len(text) > FILE_CHARS:
            head += f" (its first {FILE_CHARS} characters)"
        entries.append(f"{head}:\n{text[:FILE_CHARS]}")
    if len(evidence.files) > FILES:
        entries.append(f"and {len(evidence.files) - FILES} more files")
    for name, cause in evidence.skipped.items():
        # the harness's own files are gone before the program starts
        if not name.startswith(f"{box_files.FOLDER}/"):
            entries.append(f"{escape_unprintable(name)}: not collected, {cause}")
    return entries


def has_events(evidence: Evidence) -> bool:
    """Whether the tier could have seen what the program did."""
    return "no events" not in evidence.isolation


def describe_events(evidence: Evidence, most: int = EVENTS) -> list[str]:
    """What the program did, each thing once; what tells most comes first, so no flood hides it."""
    if not has_events(evidence):
        return ["not traced: this tier sees no events"]
    times = Counter(evidence.events)
    ordered = sorted(filterfalse(is_routine, times), key=_rank_event)
    lines = [_describe_event(event, times[event]) for event in ordered[:most]]
    if len(ordered) > most:
        lines.append(f"and {len(ordered) - most} more of kind {ordered[most].kind} and below")
    if len(times) > len(ordered):
        lines.append(f"and {len(times) - len(ordered)} reads of the language's own files")
    return lines or ["no file, process or network access"]


def is_routine(event: Event) -> bool:
    """Whether an event is a read of what runtimes and libraries open by themselves."""
    reads = event.kind == "open" and "w" not in event.mode
    return reads and any(fnmatchcase(event.target, glob) for glob in _ROUTINE)


def _rank_event(event: Event) -> tuple[int, bool]:
    kind = _TELLING.index(event.kind) if event.kind in _TELLING else len(_TELLING)
    return kind, event.kind == "open" and event.target.startswith("/box")


def _describe_event(event: Event, times: int) -> str:
    line = f"{event.kind} {event.target}"
    if event.mode:
        line += f" ({event.mode})"
    if event.result < 0 or event.has_unknown_result:
        line += f" -> {event.error or event.result}"
    if times > 1:
        line += f", {times} times"
    return escape_unprintable(line)
