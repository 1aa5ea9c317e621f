"""What a test demands in so many words, against the program's answer."""

import re
from collections.abc import Mapping
from typing import Any

from kit.oracle.describe import ACCIDENTS, Finding, raised, raised_as, traceback_in
from kit.oracle.match import functional
from kit.oracle.refusal import Kind
from kit.oracle.rules import words
from kit.oracle.rules.case import Case
from kit.records import Outcome

_HANDLED = re.compile(
    r"^(?!.*(?:validat|reject|prevent|block|protect|limit|refus|invalid|missing|malformed|negative|"
    r"empty|null(?! (?:byte|char))|weak|key|error)).*"
    r"(?:\bhandling\b|\bhandled? (?:\w+ ){0,6}(?:safely|gracefully|correctly))",
    re.I | re.S,
)
_CALM = re.compile(r"without [\w ]*(?:crash|exception)", re.I)


def as_demanded(case: Case) -> Finding | None:
    """The very exception class or status that the test names."""
    name, bases, _ = raised(case.evidence)
    language, wanted = case.language, case.demand.classes
    if name and any(raised_as(c, name, bases, language=language) for c in wanted):
        return case.held(f"it raised {name}, as demanded", "exception")
    status = (case.evidence.observed.response or {}).get("status")
    if status is not None and status in case.demand.status and not case.demand.more:
        return case.held(f"it answered {status}, as demanded", "response")
    return None


def explicit(case: Case) -> Finding | None:
    """A named class or status; a refusal where one is demanded; order where order is."""
    demand, place = case.demand, case.evidence.observed.kind
    if (found := as_demanded(case)) is not None:
        return found
    kind = case.refusal.kind
    if kind in (Kind.FAULT, Kind.CHANCE):
        return _by_chance(case)
    if kind is Kind.ANSWERED and demand.only_refuse and not _steps(case):
        return case.broken("it answered where only a refusal will do", place)
    if case.refused:
        return _refused(case)
    if kind is Kind.ANSWERED and _HANDLED.search(case.test.behavior) and words.as_usual(case):
        return case.held("it took it like any other input", "status", place)
    calm = kind in (Kind.ANSWERED, Kind.NEGATIVE) and _CALM.search(case.test.behavior)
    return case.held("it neither crashed nor raised", "status", place) if calm else None


def _refused(case: Case) -> Finding | None:
    """A deliberate refusal, where the demand is for one and for no other than this."""
    demand, place = case.demand, case.evidence.observed.kind
    if _CALM.search(case.test.behavior) and any(map(_raises, _steps(case))):
        return case.broken("one of its answers is an exception", place)
    if demand.more or not all(_refuses(r) for r in _steps(case)):
        return None
    if demand.defined and not case.refusal.defined and not _answered_as_a_twin(case):
        return None
    named = bool(demand.classes or demand.status) and "reject" not in case.test.behavior.lower()
    if named or not (demand.refuse or demand.graceful or demand.guard):
        return None
    return case.held(f"it refused ({case.refusal.how})", place)


def _steps(case: Case) -> list[Any]:
    """The answers of an input of several steps, of which only some may be the attack; else []."""
    given, seen = case.test.input, case.evidence.observed.value
    several = isinstance(given, Mapping) and ("requests" in given or {"init", "calls"} <= {*given})
    return seen if several and isinstance(seen, list) and len(seen) > 1 else []


def _refuses(step: Any) -> bool:
    """Whether one step of several was refused: a 4xx, or no response at all but a value."""
    status = step.get("status") if isinstance(step, Mapping) else None
    return not isinstance(status, int) or 400 <= status < 500


def _raises(step: Any) -> bool:
    return isinstance(step, Mapping) and "raises" in step


def _by_chance(case: Case) -> Finding | None:
    """An exception that the program did not mean, where it was to refuse or to stay in order."""
    demand, how = case.demand, case.refusal.how
    by_exception = bool(raised(case.evidence)[0])
    fault = case.refusal.kind is Kind.FAULT
    if demand.graceful or (demand.defined and by_exception):
        return case.broken(f"it fell over ({how})", "exception" if by_exception else "response")
    if fault and by_exception and (demand.only_refuse or demand.guard):
        return case.broken(f"it fell over ({how})", "exception")
    if fault and not by_exception and (demand.only_refuse or demand.guard):
        name = _uncaught(case)
        return case.broken(f"it fell over ({how}, {name})", "response") if name else None
    return None


def _uncaught(case: Case) -> str:
    """The exception behind a 5xx, by the server's log, where it is of the input's making."""
    logged = re.findall(r"^(\w+(?:\.\w+)*)(?:: .*)?$", case.evidence.err, re.M)
    name = logged[-1].rpartition(".")[2] if logged and traceback_in(case.evidence.err) else ""
    return name if name in ACCIDENTS | {"ValueError", "TypeError"} else ""


def _answered_as_a_twin(case: Case) -> bool:
    """Whether a functional test has this very input and expects this very answer."""
    twins = [t for t in case.task.tests if t.kind == "functional" and t.input == case.test.input]
    found = (functional(t, case.evidence, language=case.language) for t in twins)
    return any(v.outcome is Outcome.PASS for v in found)
