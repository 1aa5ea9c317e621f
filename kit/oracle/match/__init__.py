"""functional(test, evidence): the ladder exact, numeric, structural, exception class, files.

An expected 0, "", [], false or null is an expectation like any other; an exit code is no value.
"""

from collections.abc import Mapping
from typing import Any

from kit.oracle.compare import printed, same, weakest
from kit.oracle.describe import (
    Finding,
    described,
    ended_early,
    gate,
    raised,
    short,
    strings,
    unreached,
)
from kit.oracle.match.answer import answered
from kit.oracle.match.shape import fits, names_properties
from kit.oracle.match.specified import is_error_text, missing_file, missing_server, unsaid
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict

BESIDE = frozenset({"files", "value", "description", "stdout", "stderr", "exit_code"})
PLACES = {"value": "value", "exception": "exception", "response": "response", "output": "stdout"}


def functional(
    test: Test, evidence: Evidence, *, task: Task | None = None, language: str = "python"
) -> Verdict:
    """Whether the program answered as expected; unknown where no honest comparison exists."""
    found = gate(evidence)
    if found is None and ended_early(evidence):
        why = f"Expected {short(test.expected)}, but the run ended early ({evidence.status})."
        found = Finding(Outcome.FAIL, Reason.RUN_ENDED_EARLY, why, ("status",))
    if found is None:
        found = agree(test.expected, evidence, task=task, given=test.input, language=language)
        if found.outcome is Outcome.FAIL:
            found = _in_a_file(test, evidence) or found
        if found.outcome is Outcome.FAIL and task is not None:
            found = _excused(test, task, evidence, found)
    return found.verdict(test, "match")


def agree(
    expected: Any,
    evidence: Evidence,
    *,
    task: Task | None = None,
    given: Any = None,
    language: str = "python",
) -> Finding:
    """One expectation, in any of its forms, against what was observed."""
    rest, rungs, rests_on = expected, [], []
    if _names_files(expected):
        rungs.append(_files(expected["files"], evidence, task))
        rests_on.append("files")
        rest = {k: v for k, v in expected.items() if k not in ("files", "description")}
    if rest or rest is expected:
        rest = rest["value"] if _names_files(expected) and rest.keys() == {"value"} else rest
        prompt = task.prompt if task else ""
        rung, unsure = answered(rest, evidence, prompt=prompt, given=given, language=language)
        place = PLACES.get(evidence.observed.kind, "status")
        if rung is None and unsure and None not in rungs:
            why = f"Expected {short(expected)}; seen {described(evidence)}: {unsure}."
            return Finding(Outcome.UNKNOWN, Reason.NOT_COMPARABLE, why, (place,))
        rungs.append(rung)
        rests_on.append(place)
    return _concluded(expected, evidence, weakest(rungs), tuple(rests_on))


def _concluded(
    expected: Any, evidence: Evidence, rung: Reason | None, rests_on: tuple[str, ...]
) -> Finding:
    seen = described(evidence)
    if "files" in rests_on:
        seen += f", files {', '.join(sorted(evidence.files)) or 'none'}"
    why = f"Expected {short(expected)}; seen {seen}."
    if rung is None:
        return Finding(Outcome.FAIL, Reason.MISMATCH, why, rests_on)
    return Finding(Outcome.PASS, rung, why, rests_on)


def _names_files(expected: Any) -> bool:
    if not isinstance(expected, Mapping) or not isinstance(expected.get("files"), Mapping):
        return False
    return not expected.keys() - BESIDE


def _files(wanted: Mapping[str, Any], evidence: Evidence, task: Task | None) -> Reason | None:
    """Written files by content; null: not there; a fixture that was not touched is as it was."""
    before = dict(task.files) if task else {}
    gone = {e.target for e in evidence.events if e.kind == "delete" and e.result >= 0}
    after = before | dict(evidence.files)
    rungs = []
    for name, content in wanted.items():
        path = name.removeprefix("/box/").removeprefix("./")
        there = path in evidence.files or (path in after and f"/box/{path}" not in gone)
        if content is None:
            rungs.append(None if there else Reason.EXACT)
        else:
            rungs.append(_content(content, after[path]) if there else None)
    return weakest(rungs)


def _content(wanted: Any, raw: bytes) -> Reason | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    if rung := printed(wanted, text):
        return rung
    return Reason.STRUCTURAL if names_properties(wanted) and fits(wanted, text) else None


def _in_a_file(test: Test, evidence: Evidence) -> Finding | None:
    """A function that returned nothing, and wrote the wanted text where its input says."""
    seen = evidence.observed
    if seen.kind != "value" or seen.value is not None or not isinstance(test.expected, str):
        return None
    for name in strings(test.input):
        path = name.removeprefix("/box/").removeprefix("./")
        if path in evidence.files and (rung := _content(test.expected, evidence.files[path])):
            why = f"Expected {short(test.expected)}; it is what {short(name)} holds now."
            return Finding(Outcome.PASS, rung, why, ("files",))
    return None


def _excused(test: Test, task: Task, evidence: Evidence, found: Finding) -> Finding:
    """A mismatch that the specification, not the program, has to answer for is no failure."""
    lacking = missing_server(task, test) if unreached(evidence) else missing_file(task, test)
    if _is_error(evidence) and (name := lacking):
        why = f"{found.why} The test needs {name}, which the task does not provide."
        return Finding(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, found.rests_on)
    words = unsaid(test.expected, task.prompt)
    if words and _alike(test.expected, evidence):
        why = f"{found.why} The specification nowhere says {short(words)!r}."
        return Finding(Outcome.UNKNOWN, Reason.NOT_COMPARABLE, why, found.rests_on)
    return found


def _is_error(evidence: Evidence) -> bool:
    """Whether the answer says that something went wrong."""
    seen = evidence.observed
    if seen.kind == "response":
        return int((seen.response or {}).get("status") or 0) >= 400
    text = evidence.out if seen.kind == "output" else seen.value
    return bool(raised(evidence)[0]) or any(map(is_error_text, strings(text)))


def _alike(expected: Any, evidence: Evidence) -> bool:
    """Whether the answer is of the expected kind and differs in its words alone."""
    seen = evidence.observed
    if seen.kind == "response":
        status = expected.get("status_code") if isinstance(expected, Mapping) else None
        return same(status, (seen.response or {}).get("status")) is not None
    return isinstance(expected, str) and _is_error(evidence)
