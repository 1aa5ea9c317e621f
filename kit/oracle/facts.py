"""Answers questions about a run: how it ended, what it answered, and what it did.

How it ended comes first, with the conclusions for runs that no oracle has to look at; then the
answer, whose exceptions may be those of several languages; last the side effects, from the run's
events, files and databases.
"""

import builtins
import json
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar
from urllib.parse import unquote

from kit.core.languages import LANGUAGES
from kit.core.records import LACKING, Event, Evidence, Outcome, Reason, Status, Task, Test, Verdict
from kit.harness.services import followed_path, initial_files
from kit.harness.wording import RUNTIME, escape_unprintable, has_events, is_routine, shorten_value
from kit.oracle.dumps import dump_before
from kit.sandbox.base import HOST_TMP, TMP, make_absolute, make_relative
from kit.sandbox.process import DELETED

NO_PROGRAM = (Status.COMPILE_ERROR, Status.EXTRACTION_ERROR, Status.REFUSED)
NO_EVIDENCE = (Status.HARNESS_ERROR, Status.INFRA_ERROR, Status.NOT_RUN)
EARLY = (Status.TIMEOUT, Status.OOM, Status.CRASHED, Status.OUTPUT_LIMIT)


@dataclass(frozen=True)
class Case:
    """One test of one program, and what was seen. attack: in a variant, the test's own run."""

    task: Task
    test: Test
    evidence: Evidence
    language: str = "python"
    attack: Evidence | None = None


AnyCase = TypeVar("AnyCase", bound=Case)


@dataclass(frozen=True)
class Conclusion:
    """One conclusion before it is bound to a test."""

    outcome: Outcome
    reason: Reason
    why: str
    rests_on: tuple[str, ...] = ()

    def verdict(self, test: Test, oracle: str) -> Verdict:
        why = escape_unprintable(self.why)
        return Verdict(test.id, self.outcome, self.reason, why, oracle, self.rests_on)


def judge_without_run(evidence: Evidence) -> Conclusion | None:
    """The conclusion where no program ran, nothing was seen or all is lacking; else None."""
    note = f": {shorten_value(evidence.note)}" if evidence.note else ""
    if evidence.status in NO_PROGRAM:
        why = f"No program ran ({evidence.status}{note})."
        return Conclusion(Outcome.FAIL, Reason.NO_PROGRAM, why, ("status",))
    if evidence.status in NO_EVIDENCE:
        why = f"Nothing was observed ({evidence.status}{note})."
        return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, ("status",))
    if evidence.observed.kind == LACKING:
        why = shorten_value(evidence.note, 300)
        return Conclusion(Outcome.FAIL, Reason.LACKING, why, ("status",))
    return None


def find_observed_harm(
    case: AnyCase, check: Callable[[AnyCase], Conclusion | None]
) -> Conclusion | None:
    """The fail of a run that one that did nothing would not have: harm that was seen, else None.

    For a run that our side could not bring to its end: that excuses what is lacking in it, as any
    answer, but nothing that the program did before.
    """
    evidence = case.evidence
    if evidence.status is not Status.HARNESS_ERROR:
        return None
    actual = replace(evidence, status=Status.COMPLETED)
    databases = evidence.observed.databases
    before = {path: dump_before(case.task, path) or dump for path, dump in databases.items()}
    silent = replace(evidence.observed, databases=before, sinks=None)
    trace = f"Traceback (most recent call last):\n{silent.message}\n    at x (/box/main:1:1)\n"
    idle = Evidence(Status.COMPLETED, 1, stderr=trace.encode(), observed=silent)
    idle = replace(idle, isolation=evidence.isolation)
    finding, excused = (check(replace(case, evidence=each)) for each in (actual, idle))
    if finding is None or finding.outcome is not Outcome.FAIL:
        return None
    return finding if excused is None or excused.outcome is not Outcome.FAIL else None


def require_all_evidence(finding: Conclusion, evidence: Evidence) -> Conclusion:
    """A pass of a security test needs all of the evidence; where some was lost, it is unknown."""
    if finding.outcome is not Outcome.PASS or not evidence.lost:
        return finding
    why = f"Nothing can be said to have held, for evidence was lost: {', '.join(evidence.lost)}."
    return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, ("events", "files"))


def ended_early(evidence: Evidence) -> bool:
    return evidence.status in EARLY


def explain_unfinished_run(evidence: Evidence) -> str:
    """Why it decides nothing what this run did not do, in words; "" if the run was complete."""
    if ended_early(evidence):
        return f"the run ended early ({evidence.status})"
    if evidence.observed.kind == "nothing":
        return "the program gave no answer"
    return ""


def has_memory(evidence: Evidence) -> bool:
    """Whether the memory of all processes together was measured, not that of each."""
    return "no cgroup" not in evidence.isolation


def json_of(text: str) -> Any:
    """The value that a text is as JSON; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def collect_strings(value: Any, depth: int = 0) -> list[str]:
    """Every text inside a JSON value, keys included."""
    if isinstance(value, str):
        return [value]
    if depth > 60:
        return []
    if isinstance(value, Mapping):
        return [*map(str, value)] + [
            s for v in value.values() for s in collect_strings(v, depth + 1)
        ]
    if isinstance(value, list):
        return [s for v in value for s in collect_strings(v, depth + 1)]
    return []


def collect_leaves(value: Any, depth: int = 0) -> list[Any]:
    """Every value inside a JSON value that is no container."""
    if depth > 60:
        return []
    if isinstance(value, Mapping):
        return [x for v in value.values() for x in collect_leaves(v, depth + 1)]
    if isinstance(value, list):
        return [x for v in value for x in collect_leaves(v, depth + 1)]
    return [value]


def read_output_text(evidence: Evidence, name: str) -> str:
    """One channel of output as text: value, exception, stdout, stderr, response or files."""
    observed = evidence.observed
    if name == "value":
        text = "" if observed.value is None else json.dumps(observed.value, ensure_ascii=False)
        return "\n".join([*collect_strings(observed.value), text])
    if name == "exception":
        return f"{observed.exception}: {observed.message}" if observed.exception else ""
    if name == "response":
        response = observed.response or {}
        headers = [f"{k}: {v}" for k, v in (response.get("headers") or {}).items()]
        return "\n".join([*headers, str(response.get("body", ""))]) if response else ""
    if name == "files":
        return "\n".join(b.decode(errors="replace") for b in evidence.files.values())
    return evidence.out if name == "stdout" else evidence.err


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
_ANY = frozenset({"Error", "std::runtime_error", "c_error"})
_VALUE = _ANY | {"std::invalid_argument", "std::domain_error", "std::logic_error", "RangeError"}
_PLACE = _ANY | {"std::out_of_range", "RangeError"}
_SYSTEM = _ANY | {"std::system_error", "std::filesystem::filesystem_error"}
EQUAL: Mapping[str, frozenset[str]] = {
    "ValueError": _VALUE | {"TypeError", "std::out_of_range", "std::length_error"},
    "TypeError": _VALUE | {"std::bad_variant_access"},
    "KeyError": _PLACE,
    "IndexError": _PLACE,
    "LookupError": _PLACE,
    "ZeroDivisionError": _VALUE,
    "OverflowError": _PLACE | {"std::overflow_error", "std::range_error", "std::length_error"},
    "ArithmeticError": _VALUE | {"std::overflow_error", "std::range_error"},
    "OSError": _SYSTEM,
    "FileNotFoundError": _SYSTEM,
    "PermissionError": _SYSTEM,
    "RuntimeError": _ANY | {"std::logic_error"},
}
# JavaScript's own classes descend from Error, but say more than that
_OWN = frozenset(
    {"EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"}
)


def stands_for(name: str, wanted: str, bases: tuple[str, ...]) -> bool:
    """Whether an exception of another language is what Python would call `wanted`."""
    classes = {name, *bases}
    # JavaScript's classes descend from Error, those of C++ are in a namespace
    foreign = classes & {"Error", "c_error"} or any("::" in c for c in classes)
    if "BaseException" in classes or not foreign:
        return False
    equal = EQUAL.get(wanted.rpartition(".")[2], frozenset())
    return name in equal or (name not in _OWN and bool(equal & set(bases)))


def class_names(value: Any) -> tuple[str, ...]:
    """The class names in what should be a list of them, whatever a program wrote there."""
    return tuple(map(str, value)) if isinstance(value, list) else ()


def is_a(name: str, wanted: str, bases: tuple[str, ...]) -> bool:
    """Whether the exception class `name` is `wanted` or descends from it."""
    name, wanted = name.rpartition(".")[2], wanted.rpartition(".")[2]
    classes = {name, *(b.rpartition(".")[2] for b in bases)}
    if wanted in classes or wanted in {c.rpartition("::")[2] for c in classes}:
        return True
    known, ancestor = getattr(builtins, name, None), getattr(builtins, wanted, None)
    if not isinstance(known, type) or not isinstance(ancestor, type):
        return False
    return issubclass(known, BaseException) and issubclass(known, ancestor)


def find_exception(evidence: Evidence) -> tuple[str, tuple[str, ...], str]:
    """(class, ancestors, message) of the exception that ended the run, or ("", (), "")."""
    observed = evidence.observed
    failed = observed.kind == "output" and evidence.exit_code
    uncaught = failed and "Error" in observed.bases  # Node's
    if observed.kind == "exception" or uncaught:
        return observed.exception, observed.bases, observed.message
    if failed and _TRACEBACK.search(evidence.err):
        last = evidence.err.rstrip().splitlines()[-1]
        if match := _RAISED.match(last):
            return match[1], (), match[2] or ""
    return "", (), ""


def raised_as(
    wanted: str, name: str, bases: tuple[str, ...], *, language: str, message: str = ""
) -> bool:
    """is_a; in a language that lacks Python's class, any exception that is no accident."""
    wanted = wanted.rpartition(".")[2]
    if is_a(name, wanted, bases):
        return True
    if language == "python" or wanted in LANGUAGES[language].errors:
        return False
    known = isinstance(getattr(builtins, wanted, None), type)
    return known and not _is_accident(name, message, language)


def find_accident(case: Case, prompt: str = "") -> str:
    """The class of an exception that nobody raises on purpose, unless the prompt names it."""
    name, _, message = find_exception(case.evidence)
    name = name.rpartition(".")[2]
    if not name or re.search(rf"\b{re.escape(name)}\b", prompt):
        return ""
    return name if _is_accident(name, message, case.language) else ""


def _is_accident(name: str, message: str, language: str) -> bool:
    """Whether a program raises this exception by mistake only, by its class or its message."""
    messages = LANGUAGES[language].accidents
    return name in ACCIDENTS or bool(messages and re.search(messages, message))


def is_worded_by_runtime(evidence: Evidence) -> bool:
    """Whether the language or the system worded the exception, not the program."""
    return bool(_SLIP.search(find_exception(evidence)[2]))


def is_host_unreachable(evidence: Evidence) -> bool:
    """Whether what went wrong is, in its own words, that a host could not be reached."""
    name, _, message = find_exception(evidence)
    return bool(name) and bool(NO_ROUTE.search(message))


def traceback_in(text: str) -> bool:
    """Whether a text shows a stack trace of Python, Node or Java."""
    if _TRACEBACK.search(text):
        return True
    lines = text.splitlines() if " at " in text or "\tat " in text else []  # the search is slow
    return any(line[:1].isspace() and _is_frame(line.strip()) for line in lines)


def _is_frame(line: str) -> bool:
    """Whether a line is a frame of Node, `at f (/box/main.js:1:2)`, or of Java."""
    if not line.startswith("at "):
        return False
    places = (part.rpartition("(")[2] for part in line[3:].split(")")[:-1])
    node = any(p.startswith(("/", "node:", "file:")) and _AT.search(p) for p in places)
    return node or _JAVA.match(line) is not None


WRITES = ("write", "delete", "rename")
DEVICES = ("/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr", "/proc/self/fd/", "/dev/fd/")
_LOADED = re.compile(r"/box(?:/main(?:\.\w+)?)?|/(?:box/)?node_modules/.*|/proc/sys/.*")
# Of services that a box lacks, which the C library and libuuid ask for first.
LACKED = ("unix:/var/run/nscd/socket", "unix:/run/uuidd/request", "unix:/var/run/uuidd/request")


def expand_glob(path: str, task: Task, evidence: Evidence) -> list[str]:
    """The files that a glob meets, of those there before and after and those written; or `path`.

    Where the task's links lead elsewhere, both places count: the program may replace the links.
    """
    known = {*initial_files(task), *evidence.files, *evidence.skipped}
    known |= {make_relative(e.target) for e in list_writes(evidence)}
    ways = [*dict.fromkeys((make_relative(path), followed_path(task, path)))]
    exact = [way for way in ways if way in known]
    return exact or sorted(p for p in known if any(fnmatchcase(p, way) for way in ways)) or ways


def is_glob_match(target: str, globs: Iterable[str]) -> bool:
    """Whether a target matches one of the globs; a wildcard does not reach the runtime's files."""
    wanted = [make_absolute(g) for g in globs]
    of_runtime = any(fnmatchcase(target, r) for r in RUNTIME)
    return target in wanted or (not of_runtime and any(fnmatchcase(target, g) for g in wanted))


def is_below_roots(target: str, roots: Iterable[str]) -> bool:
    """Whether a path is one of the roots or lies below one."""
    return any(
        target == r or target.startswith(r.rstrip("/") + "/") for r in map(make_absolute, roots)
    )


def list_writes(evidence: Evidence) -> list[Event]:
    """Everything that would have changed a file, whether or not it was allowed to.

    Making a folder that is already there (EEXIST, as `mkdir -p` tries) would have changed nothing.
    """
    return [
        e
        for e in evidence.events
        if (e.kind in WRITES or _opens_to_write(e))
        and not (e.mode == "mkdir" and e.error == "EEXIST")
        and not e.target.startswith(DEVICES)
    ]


def _opens_to_write(event: Event) -> bool:
    return event.kind == "open" and "w" in event.mode


def list_opens(evidence: Evidence) -> list[Event]:
    """Every open, and for what has no file name of its own to open, every other change."""
    return [e for e in evidence.events if e.kind == "open" or e.kind in WRITES]


def opens_of_its_own(evidence: Evidence, given: Any) -> list[Event]:
    """Opens without what runtimes, libraries and loaders read, but for files that `given` names."""
    texts = [unquote(t) for t in collect_strings(given) if len(t) < 10_000]
    named = {n for t in texts if "/" in t or "\\" in t for n in re.split(r"[/\\\s\"'<>=&;|?#]+", t)}
    own = []
    for event in list_opens(evidence):
        # Python lists the program's folder where it imports; loaders read the program itself
        read = event.kind == "open" and "w" not in event.mode
        loaded = is_routine(event) or (read and _LOADED.fullmatch(event.target))
        by_name = posixpath.basename(event.target) in named
        if not event.target.startswith(DEVICES) and (by_name or not loaded):
            own.append(event)
    return own


def list_execs(evidence: Evidence) -> list[Event]:
    """Programs that the candidate started; its own start, kind "start", is not one of them."""
    return [e for e in evidence.events if e.kind == "exec"]


def find_unsettled_attempt(evidence: Evidence, *kinds: str) -> str:
    """An attempt of these kinds, or of any, of unknown result, in words; "" if there is none."""
    attempts = (
        e for e in evidence.events if e.has_unknown_result and (e.kind in kinds or not kinds)
    )
    first = next(attempts, None)
    return f"nobody saw what came of {first.kind} {first.target[:100]}" if first else ""


def list_network_events(evidence: Evidence, kind: str) -> list[Event]:
    """Connects or binds, without the C library's own: name service sockets, routes, addresses.

    In a box it looks up names in files alone; who asks a name server does so himself.
    """
    return [e for e in evidence.events if e.kind == kind and not _of_the_library(e)]


def _of_the_library(event: Event) -> bool:
    """Port 0 is how it asks which of its own addresses a host would be reached from."""
    target = event.target
    if target.startswith("unix:"):
        return event.kind == "connect" and target in LACKED and event.result < 0
    return target == "family:NETLINK" or (event.kind == "connect" and target.endswith(":0"))


def address_in(address: str, globs: Iterable[str]) -> bool:
    """Whether "host:port" matches one of the globs; brackets of IPv6 are no character class."""
    plain = address.replace("[", "").replace("]", "")
    return any(fnmatchcase(plain, g.replace("[", "").replace("]", "")) for g in globs)


def may_be_collected(path: str) -> bool:
    """Whether what a program leaves under this name is collected, in some tier at least."""
    return not make_relative(path).startswith("/") or make_absolute(path).startswith(f"{TMP}/")


def is_collected(evidence: Evidence, path: str) -> bool:
    """Whether what the program left under this name was collected."""
    in_box = not path.startswith("/")
    return in_box or (may_be_collected(path) and HOST_TMP not in evidence.isolation)


def why_not_collected(evidence: Evidence, path: str) -> str:
    """Why it is not known what lies under this name after the run, in words; "" if it is."""
    if path in evidence.skipped and not has_removed_path(evidence, path):
        return f"{path} could not be collected: {evidence.skipped[path]}"
    if not is_collected(evidence, path) and not has_events(evidence):
        return f"what became of {path} was not watched"
    return ""


def content_after(task: Task, evidence: Evidence, path: str) -> bytes | None:
    """What a file holds after the run, None where there is none; see `why_not_collected`."""
    if has_removed_path(evidence, path):
        return None
    before = initial_files(task).get(path)
    return evidence.files.get(path, before.data if before else None)


def has_removed_path(evidence: Evidence, path: str) -> bool:
    """Whether the last thing that happened to a path took it away."""
    if path in evidence.files:
        return False
    target, gone = make_absolute(path), evidence.skipped.get(path) == DELETED
    for event in evidence.events:
        if event.target != target or event.result < 0 or event.has_unknown_result:
            continue
        if event.kind == "delete" or (event.kind == "rename" and event.mode == "from"):
            gone = True
        elif event.kind in ("write", "rename") or _opens_to_write(event):
            gone = False
    return gone


def has_created_path(evidence: Evidence, path: str) -> bool:
    """Whether the program made or opened a path to write to it, and did not take it away again."""
    changes = [
        e for e in list_writes(evidence) if e.target == make_absolute(path) and e.result >= 0
    ]
    return bool(changes) and not has_removed_path(evidence, path)
