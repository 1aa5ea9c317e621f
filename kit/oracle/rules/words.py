"""The refusal in the task's own words: what its functional tests expect of a bad input."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from kit.oracle.describe import Finding, raised
from kit.oracle.refusal import Kind, hoped, of_value, refuses
from kit.oracle.rules.case import Case

_REFUSED = re.compile(
    r"\b(?:is|are) (?:refused|rejected|denied|turned away|no (?!longer|more|means|way)\w+|"
    r"not (?:accepted|allowed|created|sent|served|shown|taken|valid|public|genuine|the|part|a))\b",
    re.I,
)
_OR = re.compile(r"\bor (?:refused|rejected|left|not)\b|\b(?:refused|rejected) or\b|already", re.I)
_NOT = re.compile(r"\b(?:no|not|nor|never|cannot|neither|nobody|nothing|none|refused|only)\b", re.I)
_STATE = re.compile(r"\b(?:goes on|left|leaves?|stays?|remains?|kept|behind)\b", re.I)
_CALM = re.compile(
    r"\b(?:not raised|raises? nothing|without an? exception|no exception|ends in an answer|"
    r"ends? the program|(?:is|are) answered|nobody expects)\b", re.I)  # fmt: skip


def in_own_words(case: Case) -> Finding | None:
    """Held: every attack was refused as the functional tests expect it of a bad input.

    Broken: an exception under a demand to answer; an answer where the demand is a refusal. Of
    several calls the attacks are those that no functional test makes.
    """
    given, demand = answers(case), case.test.behavior
    place = case.evidence.observed.kind
    if _CALM.search(demand) and (raised(case.evidence)[0] or any(map(_thrown, given))):
        return case.broken("it raised, where an answer was demanded", place)
    if not given or case.unsettled or case.demand.more or _STATE.search(demand):
        return None
    own = [refuses(case.task, a) for a in given]
    refused = all(own) or (_NOT.search(demand) and _attacks_refused(case, own))
    if refused and case.watched:
        return case.held("it refused in the words of the task", place)
    if not _REFUSED.search(demand) or _OR.search(demand) or place == "output":
        return None
    attacks = given if len(given) == 1 else _attacks(case, given) if _alike(case) else []
    if any(_taken(case, a) for a in attacks):
        return case.broken("it took what is to be refused", place)
    return None


def _taken(case: Case, answer: Any) -> bool:
    """Whether one answer is that to a good input."""
    status = answer.get("status") if isinstance(answer, Mapping) else None
    if isinstance(status, int):
        return status < 400
    if of_value(case.task, answer).kind is not Kind.ANSWERED:
        return False
    return any(
        _resembles(answer, good) for good in hoped(case.task) if not refuses(case.task, good)
    )


def _resembles(answer: Any, good: Any) -> bool:
    """Whether an answer has the form of a good one: the same keys, the same kind, the same word."""
    if isinstance(answer, Mapping) and isinstance(good, Mapping):
        return answer.keys() == good.keys()
    return type(answer) is type(good) if isinstance(answer, list) else bool(answer == good)


def _thrown(answer: Any) -> bool:
    return isinstance(answer, Mapping) and "raises" in answer


def _alike(case: Case) -> bool:
    """Whether every call of the input is one more attack: calls of one function."""
    return isinstance(case.test.input, Mapping) and set(case.test.input) == {"calls"}


def _attacks_refused(case: Case, own: Sequence[bool]) -> bool:
    """Whether all calls that no functional test makes were refused, and there is such a call."""
    new = _attacks(case, own)
    return bool(new) and all(new)


def _attacks(case: Case, told: Sequence[Any]) -> list[Any]:
    """What is told of the calls that no functional test makes; [] where they cannot be matched."""
    known = {c for t in case.task.tests if t.kind == "functional" for c in _steps(t.input)}
    steps = _steps(case.test.input)
    if len(steps) != len(told):
        return []
    return [one for step, one in zip(steps, told, strict=True) if step not in known]


def _steps(given: Any) -> list[str]:
    """The calls or requests of an input, as texts that can be compared."""
    parts = [given.get(k) for k in ("calls", "requests")] if isinstance(given, Mapping) else []
    found = next((p for p in parts if isinstance(p, list)), [])
    return [json.dumps(step, sort_keys=True) for step in found]


def answers(case: Case) -> list[Any]:
    """Every answer of the program, each by itself."""
    seen = case.evidence.observed
    if seen.kind == "response":
        return list(seen.value) if isinstance(seen.value, list) else [seen.response]
    if seen.kind == "output":
        return [line for line in case.evidence.out.splitlines() if line.strip()]
    several = isinstance(case.test.input, Mapping) and "calls" in case.test.input
    if seen.kind != "value":
        return []
    return list(seen.value) if several and isinstance(seen.value, list) else [seen.value]


def as_usual(case: Case) -> bool:
    """Whether the answer has the form of one that a functional test hopes for."""
    given = answers(case)
    good = [g for g in hoped(case.task) if not refuses(case.task, g)]
    return bool(given) and all(any(_formed(a, g) for g in good) for a in given)


def _formed(answer: Any, good: Any) -> bool:
    if isinstance(answer, Mapping) and isinstance(good, Mapping):
        return answer.keys() == good.keys()
    return type(answer) is type(good)
