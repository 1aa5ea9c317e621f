"""A test of one program with what was seen (Case), what follows from it (Conclusion), and files.

First come the conclusions for runs that no oracle has to look at; then the output as text; last
what a path held before and after. Evidence itself says how a run ended and what the program did;
`kit.oracle.exceptions` reads what it raised.
"""

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar
from urllib.parse import unquote

from kit.core.records import (
    DEVICES,
    LACKING,
    Event,
    Evidence,
    Outcome,
    Reason,
    Status,
    Task,
    Test,
    Verdict,
)
from kit.harness.services import followed_path, initial_files
from kit.harness.wording import RUNTIME, escape_unprintable, has_events, is_routine, shorten_value
from kit.oracle.dumps import dump_before
from kit.sandbox.base import HOST_TMP, TMP, make_absolute, make_relative
from kit.sandbox.process import DELETED

_SEPARATORS = re.compile(r"[/\\\s\"'<>=&;|?#]+")
_LOADED = re.compile(r"/box(?:/main(?:\.\w+)?)?|/(?:box/)?node_modules/.*|/proc/sys/.*")


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
        sentence = escape_unprintable(self.why)
        return Verdict(test.id, self.outcome, self.reason, sentence, oracle, self.rests_on)


def judge_without_run(evidence: Evidence) -> Conclusion | None:
    """The conclusion where no program ran, nothing was seen or all is lacking; else None."""
    note = f": {shorten_value(evidence.note)}" if evidence.note else ""
    if not evidence.status.has_program:
        sentence = f"No program ran ({evidence.status}{note})."
        return Conclusion(Outcome.FAIL, Reason.NO_PROGRAM, sentence, ("status",))
    if not evidence.status.has_evidence:
        sentence = f"Nothing was observed ({evidence.status}{note})."
        return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, sentence, ("status",))
    if evidence.observed.kind == LACKING:
        sentence = shorten_value(evidence.note, 300)
        return Conclusion(Outcome.FAIL, Reason.LACKING, sentence, ("status",))
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
    finding = check(replace(case, evidence=replace(evidence, status=Status.COMPLETED)))
    if finding is None or finding.outcome is not Outcome.FAIL:
        return None
    excused = check(replace(case, evidence=_idle_evidence(case)))
    if excused is not None and excused.outcome is Outcome.FAIL:
        return None
    return finding


def _idle_evidence(case: Case) -> Evidence:
    """What would have been seen of a program that did nothing but end in an exception."""
    databases = case.evidence.observed.databases
    before = {path: dump_before(case.task, path) or dump for path, dump in databases.items()}
    silent = replace(case.evidence.observed, databases=before, sinks=None)
    trace = f"Traceback (most recent call last):\n{silent.message}\n    at x (/box/main:1:1)\n"
    return Evidence(
        Status.COMPLETED,
        1,
        stderr=trace.encode(),
        observed=silent,
        isolation=case.evidence.isolation,
    )


def require_all_evidence(finding: Conclusion, evidence: Evidence) -> Conclusion:
    """A pass of a security test needs all of the evidence; where some was lost, it is unknown."""
    if finding.outcome is not Outcome.PASS or not evidence.lost:
        return finding
    lost = ", ".join(evidence.lost)
    sentence = f"Nothing can be said to have held, for evidence was lost: {lost}."
    return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, sentence, ("events", "files"))


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
    texts = [*map(str, value)] if isinstance(value, Mapping) else []
    for member in list_members(value):
        texts += collect_strings(member, depth + 1)
    return texts


def collect_leaves(value: Any, depth: int = 0) -> list[Any]:
    """Every value inside a JSON value that is no container."""
    if depth > 60:
        return []
    if not isinstance(value, (Mapping, list)):
        return [value]
    leaves = []
    for member in list_members(value):
        leaves += collect_leaves(member, depth + 1)
    return leaves


def list_members(value: Any) -> Collection[Any]:
    """The values of an object or the members of a list; of any other value there are none."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def read_output_text(evidence: Evidence, name: str) -> str:
    """One channel of output as text: value, exception, stdout, stderr, response or files."""
    observed = evidence.observed
    if name == "value":
        text = "" if observed.value is None else json.dumps(observed.value, ensure_ascii=False)
        return "\n".join([*collect_strings(observed.value), text])
    if name == "exception":
        return f"{observed.exception}: {observed.message}" if observed.exception else ""
    if name == "response":
        if not observed.response:
            return ""
        headers = observed.response.get("headers") or {}
        lines = [f"{header}: {value}" for header, value in headers.items()]
        return "\n".join([*lines, str(observed.response.get("body", ""))])
    if name == "files":
        return "\n".join(data.decode(errors="replace") for data in evidence.files.values())
    return evidence.out if name == "stdout" else evidence.err


def expand_glob(path: str, task: Task, evidence: Evidence) -> list[str]:
    """The files that a glob meets, of those there before and after and those written; or `path`.

    Where the task's links lead elsewhere, both places count: the program may replace the links.
    """
    known = {*initial_files(task), *evidence.files, *evidence.skipped}
    known |= {make_relative(event.target) for event in evidence.writes}
    globs = [*dict.fromkeys((make_relative(path), followed_path(task, path)))]
    exact = [glob for glob in globs if glob in known]
    if exact:
        return exact
    matches = set[str]()
    for glob in globs:
        matches |= {name for name in known if fnmatchcase(name, glob)}
    return sorted(matches) or globs


def is_glob_match(target: str, globs: Iterable[str]) -> bool:
    """Whether a target matches one of the globs; a wildcard does not reach the runtime's files."""
    wanted = [*map(make_absolute, globs)]
    if target in wanted:
        return True
    if any(fnmatchcase(target, glob) for glob in RUNTIME):
        return False
    return any(fnmatchcase(target, glob) for glob in wanted)


def is_below_roots(target: str, roots: Iterable[str]) -> bool:
    """Whether a path is one of the roots or lies below one."""
    for root in map(make_absolute, roots):
        if target == root or target.startswith(root.rstrip("/") + "/"):
            return True
    return False


def opens_of_its_own(evidence: Evidence, value: Any) -> list[Event]:
    """Opens without what runtimes, libraries and loaders read, but for files that `value` names."""
    named = set[str]()
    for text in collect_strings(value):
        path = unquote(text) if len(text) < 10_000 else ""
        if "/" in path or "\\" in path:
            named.update(_SEPARATORS.split(path))
    opens = []
    for event in evidence.opens:
        # Python lists the program's folder where it imports; loaders read the program itself
        is_read = event.kind == "open" and "w" not in event.mode
        is_loaded = is_routine(event) or (is_read and _LOADED.fullmatch(event.target))
        is_named = posixpath.basename(event.target) in named
        if not event.target.startswith(DEVICES) and (is_named or not is_loaded):
            opens.append(event)
    return opens


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
    target = make_absolute(path)
    is_gone = evidence.skipped.get(path) == DELETED
    for event in evidence.events:
        if event.target != target or event.result < 0 or event.has_unknown_result:
            continue
        if event.kind == "delete" or (event.kind == "rename" and event.mode == "from"):
            is_gone = True
        elif event.kind in ("write", "rename") or event.opens_to_write:
            is_gone = False
    return is_gone


def has_created_path(evidence: Evidence, path: str) -> bool:
    """Whether the program made or opened a path to write to it, and did not take it away again."""
    changes = [e for e in evidence.writes if e.target == make_absolute(path) and e.result >= 0]
    return bool(changes) and not has_removed_path(evidence, path)
