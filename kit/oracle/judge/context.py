"""What a judge is shown of one run: program with executed lines, answer, effects, trace."""

import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from kit.harness import box_files
from kit.languages import LANGUAGES
from kit.oracle.describe import has_events
from kit.oracle.footprint import RUNTIME
from kit.records import Event, Evidence, Task, Test

FILES, FILE_CHARS, EVENTS = 20, 1500, 80
_LIBRARIES = ("/usr/*", "/lib/*", "/lib64/*", "/bin/*", "/opt/*", "/proc/self/*", "/dev/null")
_TELLING = ("exec", "connect", "bind", "signal", "delete", "rename", "write")


def describe(
    task: Task, test: Test, evidence: Evidence, *, code: str, language: str
) -> dict[str, Any]:
    """The values of a judge's prompt, but for its ticket and what was looked up."""
    return {
        "specification": task.prompt,
        "given": _given(task, test),
        "language": LANGUAGES[language].title,
        "covered": bool(evidence.observed.lines),
        "code": numbered(code, evidence.observed.lines),
        "status": _status(evidence),
        "answer": _answer(evidence),
        "stdout": evidence.out,
        "stderr": evidence.err,
        "files": "\n".join(_files(evidence)),
        "databases": "\n".join(f"-- {p}\n{d}" for p, d in evidence.observed.databases.items()),
        "events": "\n".join(traced(evidence)),
    }


def numbered(code: str, covered: Iterable[int] = ()) -> str:
    """Each line of a program with its number, and * after the number where it ran."""
    ran = set(covered)
    lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    wide = len(str(len(lines)))
    return "\n".join(f"{n:{wide}}{'*' if n in ran else ' '} {t}" for n, t in enumerate(lines, 1))


def _given(task: Task, test: Test) -> str:
    if test.input_file:
        data = task.files.get(test.input_file, b"").decode(errors="replace")
        return f"the file {test.input_file}:\n{data}"
    return json.dumps(test.input, ensure_ascii=False, indent=1)


def _status(evidence: Evidence) -> str:
    facts = {
        "status": str(evidence.status),
        "exit code": evidence.exit_code,
        "signal": evidence.signal,
        "wall seconds": round(evidence.wall_s, 1),
        "peak memory MB": round(evidence.peak_mb),
        "output was cut": evidence.truncated or None,
        "note": evidence.note or None,
    }
    return "\n".join(f"{name}: {value}" for name, value in facts.items() if value is not None)


def _answer(evidence: Evidence) -> str:
    seen = evidence.observed
    shown: dict[str, Any] = {"kind": seen.kind}
    if seen.kind == "value":
        shown["value"] = seen.value
    elif seen.kind == "response":
        shown["response"] = seen.response
        earlier = seen.value[:-1] if isinstance(seen.value, list) else []
        shown |= {"earlier responses": earlier} if earlier else {}
    if seen.exception:
        shown |= {"exception": seen.exception, "ancestors": seen.bases, "message": seen.message}
    return json.dumps(shown, ensure_ascii=False, indent=1, default=str)


def _files(evidence: Evidence) -> list[str]:
    found = []
    for name, data in sorted(evidence.files.items())[:FILES]:
        mode = f", mode {evidence.modes[name]:o}" if name in evidence.modes else ""
        text = data.decode(errors="backslashreplace")
        more = f" (its first {FILE_CHARS} characters)" if len(text) > FILE_CHARS else ""
        found.append(f"{name}: {len(data)} bytes{mode}{more}:\n{text[:FILE_CHARS]}")
    if len(evidence.files) > FILES:
        found.append(f"and {len(evidence.files) - FILES} more files")
    ours = f"{box_files.FOLDER}/"  # the harness's own, gone before the program starts
    left = {n: why for n, why in evidence.skipped.items() if not n.startswith(ours)}
    return found + [f"{name}: not collected, {why}" for name, why in left.items()]


def traced(evidence: Evidence) -> list[str]:
    """What the program did, each thing once; what tells most comes first, so no flood hides it."""
    if not has_events(evidence):
        return ["not traced: this tier sees no events"]
    counts: dict[Event, int] = {}
    for event in evidence.events:
        counts[event] = counts.get(event, 0) + 1
    own = {e: n for e, n in counts.items() if not _routine(e)}
    ordered = sorted(own, key=_rank)
    shown = [_line(e, own[e]) for e in ordered[:EVENTS]]
    if len(ordered) > EVENTS:
        shown.append(f"and {len(ordered) - EVENTS} more of kind {ordered[EVENTS].kind} and below")
    if len(counts) > len(own):
        shown.append(f"and {len(counts) - len(own)} reads of the language's own files")
    return shown or ["nothing but computing"]


def _routine(event: Event) -> bool:
    reads = event.kind == "open" and "w" not in event.mode
    return reads and any(fnmatchcase(event.target, g) for g in (*RUNTIME, *_LIBRARIES))


def _rank(event: Event) -> tuple[int, bool]:
    kind = _TELLING.index(event.kind) if event.kind in _TELLING else len(_TELLING)
    return kind, event.kind == "open" and event.target.startswith("/box")


def _line(event: Event, times: int) -> str:
    how = f" ({event.mode})" if event.mode else ""
    end = f" -> {event.error or event.result}" if event.result < 0 else ""
    return f"{event.kind} {event.target}{how}{end}" + (f", {times} times" if times > 1 else "")


def expected(test: Test) -> Mapping[str, str]:
    """What the test expects, in the words of its kind."""
    if test.kind == "functional":
        return {"expected": json.dumps(test.expected, ensure_ascii=False, indent=1)}
    return {"behavior": test.behavior, "cwe": test.cwe}
