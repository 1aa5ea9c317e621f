"""What oracles ask of an evidence, in parts; and the runs that no oracle has to look at."""

import builtins
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kit.harness.box_files import NOT_INSTALLED
from kit.harness.wording import printable, short
from kit.languages import LANGUAGES
from kit.oracle.compare import is_a
from kit.records import Evidence, Outcome, Reason, Status, Test, Verdict

NO_PROGRAM = (Status.COMPILE_ERROR, Status.EXTRACTION_ERROR, Status.REFUSED)
NO_EVIDENCE = (Status.HARNESS_ERROR, Status.INFRA_ERROR, Status.NOT_RUN)
EARLY = (Status.TIMEOUT, Status.OOM, Status.CRASHED, Status.OUTPUT_LIMIT)

_AT = re.compile(r":\d+:\d+$")
_JAVA = re.compile(r"at [\w.$]+\([\w$]+\.java:\d+\)")
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.M)
_RAISED = re.compile(r"^([A-Za-z_][\w.]*)(?:: (.*))?$")
ACCIDENTS = frozenset(
    "AttributeError NameError UnboundLocalError IndexError KeyError ZeroDivisionError "
    "RecursionError MemoryError AssertionError ImportError ModuleNotFoundError SyntaxError "
    "SystemError OverflowError UnicodeDecodeError UnicodeEncodeError StopIteration EOFError "
    "BufferError ReferenceError".split()
)
_SLIP = re.compile(
    r"unsupported operand|can only concatenate|is not subscriptable|'NoneType' object|"
    r"is not iterable|has no len\(\)|not supported between|must be str, (?:bytes|not)|"
    r"object is not callable|required positional argument|expected str, bytes|bytes-like object|"
    r"argument must be a string|indices must be integers|values to unpack|^\[Errno \d+\]|"
    r"unable to open database file|no such table|Exceeds the limit|"
    r"^E[A-Z]{3,}: "
)


NO_ROUTE = re.compile(
    r"name or service not known|temporary failure in name resolution|getaddrinfo|ENOTFOUND|"
    r"EAI_AGAIN|connection refused|network is unreachable|no route to host|timed out",
    re.I,
)


@dataclass(frozen=True)
class Finding:
    """One conclusion before it is bound to a test."""

    outcome: Outcome
    reason: Reason
    why: str
    rests_on: tuple[str, ...] = ()

    def verdict(self, test: Test, oracle: str) -> Verdict:
        why = printable(self.why)
        return Verdict(test.id, self.outcome, self.reason, why, oracle, self.rests_on)


def gate(evidence: Evidence) -> Finding | None:
    """The conclusion where no program ran or nothing was seen; else None."""
    note = f": {short(evidence.note)}" if evidence.note else ""
    if evidence.status in NO_PROGRAM:
        why = f"No program ran ({evidence.status}{note})."
        return Finding(Outcome.FAIL, Reason.NO_PROGRAM, why, ("status",))
    if evidence.status in NO_EVIDENCE:
        why = f"Nothing was observed ({evidence.status}{note})."
        return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, ("status",))
    return None


def equipped(finding: Finding, evidence: Evidence) -> Finding:
    """A fail of a program that caught the error of a library that the box lacks is unknown."""
    caught = NOT_INSTALLED in evidence.note and evidence.status not in NO_PROGRAM
    if finding.outcome is not Outcome.FAIL or not caught:
        return finding
    why = f"Nothing can be said to have failed: {short(evidence.note, 300)}"
    return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, ("status",))


def whole(finding: Finding, evidence: Evidence) -> Finding:
    """A pass of a security test needs all of the evidence; where some was lost, it is unknown."""
    finding = equipped(finding, evidence)
    if finding.outcome is not Outcome.PASS or not evidence.lost:
        return finding
    why = f"Nothing can be said to have held, for evidence was lost: {', '.join(evidence.lost)}."
    return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, ("events", "files"))


def ended_early(evidence: Evidence) -> bool:
    return evidence.status in EARLY


def unfinished(evidence: Evidence) -> str:
    """The cause, in words, for which what a run did not do decides nothing; "" if there is none."""
    if ended_early(evidence):
        return f"the run ended early ({evidence.status})"
    if evidence.observed.kind == "nothing":
        return "the program gave no answer"
    return ""


def has_memory(evidence: Evidence) -> bool:
    """Whether the memory of all processes together was measured, not that of each."""
    return "no cgroup" not in evidence.isolation


def body_json(response: Mapping[str, Any] | None) -> Any:
    """The body of a response as JSON, or None where it is none."""
    try:
        return json.loads((response or {}).get("body") or "")
    except (ValueError, RecursionError):
        return None


def strings(value: Any, depth: int = 0) -> list[str]:
    """Every text inside a JSON value, keys included."""
    if isinstance(value, str):
        return [value]
    if depth > 60:
        return []
    if isinstance(value, Mapping):
        return [*map(str, value)] + [s for v in value.values() for s in strings(v, depth + 1)]
    if isinstance(value, list):
        return [s for v in value for s in strings(v, depth + 1)]
    return []


def leaves(value: Any, depth: int = 0) -> list[Any]:
    """Every value inside a JSON value that is no container."""
    if depth > 60:
        return []
    if isinstance(value, Mapping):
        return [x for v in value.values() for x in leaves(v, depth + 1)]
    if isinstance(value, list):
        return [x for v in value for x in leaves(v, depth + 1)]
    return [value]


def place(evidence: Evidence, name: str) -> str:
    """One channel of output as text: value, exception, stdout, stderr, response or files."""
    observed = evidence.observed
    if name == "value":
        whole = json.dumps(observed.value, ensure_ascii=False) if observed.value is not None else ""
        return "\n".join([*strings(observed.value), whole])
    if name == "exception":
        return f"{observed.exception}: {observed.message}" if observed.exception else ""
    if name == "response":
        response = observed.response or {}
        headers = [f"{k}: {v}" for k, v in (response.get("headers") or {}).items()]
        return "\n".join([*headers, str(response.get("body", ""))]) if response else ""
    if name == "files":
        return "\n".join(b.decode(errors="replace") for b in evidence.files.values())
    return evidence.out if name == "stdout" else evidence.err


def raised(evidence: Evidence) -> tuple[str, tuple[str, ...], str]:
    """(class, ancestors, message) of the exception that ended the run, or ("", (), "")."""
    observed = evidence.observed
    uncaught = (
        observed.kind == "output" and evidence.exit_code and "Error" in observed.bases
    )  # Node's
    if observed.kind == "exception" or uncaught:
        return observed.exception, observed.bases, observed.message
    if observed.kind == "output" and evidence.exit_code and _TRACEBACK.search(evidence.err):
        last = evidence.err.rstrip().splitlines()[-1]
        if match := _RAISED.match(last):
            return match[1], (), match[2] or ""
    return "", (), ""


def raised_as(
    wanted: str, name: str, bases: tuple[str, ...] = (), *, language: str = "python",
    message: str = "",
) -> bool:  # fmt: skip
    """is_a; in a language that lacks Python's class, any exception that is no accident."""
    wanted = wanted.rpartition(".")[2]
    if is_a(name, wanted, bases):
        return True
    known = isinstance(getattr(builtins, wanted, None), type)
    row = LANGUAGES[language]
    slipped = name in ACCIDENTS or bool(row.accidents and re.search(row.accidents, message))
    return language != "python" and known and wanted not in row.errors and not slipped


def accident(evidence: Evidence, prompt: str = "", *, language: str = "python") -> str:
    """The class of an exception that nobody raises on purpose, unless the prompt names it."""
    name, _, message = raised(evidence)
    name = name.rpartition(".")[2]
    if not name or re.search(rf"\b{re.escape(name)}\b", prompt):
        return ""
    accidents = LANGUAGES[language].accidents
    worded = accidents and re.search(accidents, message)
    return name if name in ACCIDENTS or worded else ""


def slip(evidence: Evidence) -> bool:
    """Whether the language or the system worded the exception, not the program."""
    return bool(_SLIP.search(raised(evidence)[2]))


def unreached(evidence: Evidence) -> bool:
    """Whether what went wrong is that a host could not be reached."""
    name, _, message = raised(evidence)
    return bool(name) and bool(NO_ROUTE.search(message))


def traceback_in(text: str) -> bool:
    """Whether a text shows a stack trace of Python, Node or Java."""
    if _TRACEBACK.search(text):
        return True
    lines = text.splitlines() if " at " in text or "\tat " in text else []
    return any(line[:1].isspace() and _is_frame(line.strip()) for line in lines)


def _is_frame(line: str) -> bool:
    """Whether a line is a frame of Node, `at f (/box/main.js:1:2)`, or of Java."""
    if not line.startswith("at "):
        return False
    places = (part.rpartition("(")[2] for part in line[3:].split(")")[:-1])
    node = any(p.startswith(("/", "node:", "file:")) and _AT.search(p) for p in places)
    return node or _JAVA.match(line) is not None
