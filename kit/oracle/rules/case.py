"""One security test of one program as the rules see it; and what its input carries."""

import json
import posixpath
import re
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

from kit.harness.wording import described, has_events, short
from kit.oracle import side_effects
from kit.oracle.describe import Finding, place, strings, unfinished
from kit.oracle.refusal import Kind, Refusal, refusal
from kit.oracle.rules.demand import Demand, demanded
from kit.records import Evidence, Outcome, Reason, Task, Test

_NAMED = re.compile(r"[\w.-]+\.\w{1,8}")
OUTPUTS = ("value", "exception", "stdout", "response")


@dataclass(frozen=True)
class Case:
    """What a rule may look at. `code` only for what a source text proves by itself."""

    task: Task
    test: Test
    evidence: Evidence
    code: str = ""
    language: str = "python"

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(_texts(self.task, self.test))

    @cached_property
    def demand(self) -> Demand:
        return demanded(self.test.behavior)

    @cached_property
    def refusal(self) -> Refusal:
        return refusal(self.task, self.test, self.evidence, language=self.language)

    @property
    def refused(self) -> bool:
        return self.refusal.kind is Kind.REFUSED

    @property
    def gave_nothing(self) -> bool:
        return self.refusal.kind in (Kind.REFUSED, Kind.NEGATIVE, Kind.CHANCE)

    @property
    def unsettled(self) -> bool:
        """Whether the program came to no answer of its own."""
        return self.refusal.kind in (Kind.FAULT, Kind.SILENT, Kind.UNREACHED)

    @property
    def watched(self) -> bool:
        """Whether it means something that an event was not seen."""
        return has_events(self.evidence) and not unfinished(self.evidence)

    @property
    def payload(self) -> str:
        """All texts of the input, decoded, in one."""
        return "\n".join(self.texts)

    def output(self, *places: str) -> str:
        return "\n".join(place(self.evidence, p) for p in places or OUTPUTS)

    def broken(self, why: str, *rests_on: str) -> Finding:
        return self._found(Outcome.FAIL, Reason.RULE_BROKEN, why, rests_on)

    def held(self, why: str, *rests_on: str) -> Finding:
        return self._found(Outcome.PASS, Reason.RULE_HELD, why, rests_on)

    def unknown(self, why: str, *rests_on: str) -> Finding:
        return self._found(Outcome.UNKNOWN, Reason.NO_RULE, why, rests_on)

    def no_target(self, why: str, *rests_on: str) -> Finding:
        """Undecided: a program without a guard would have done the same, for want of a target."""
        return self._found(Outcome.UNKNOWN, Reason.NO_TARGET, why, rests_on)

    def _found(
        self, outcome: Outcome, reason: Reason, why: str, rests_on: tuple[str, ...]
    ) -> Finding:
        wanted = short(self.test.behavior, 80)
        told = f"Expected: {wanted!r}; seen {described(self.evidence)}: {why}."
        return Finding(outcome, reason, told, rests_on)


def _texts(task: Task, test: Test) -> list[str]:
    """Every text of the input as it is and percent-decoded, and the fixtures that it names."""
    raw = strings(test.input)
    if test.input_file:
        raw.append(task.files.get(test.input_file, b"").decode(errors="replace"))
    found = [*raw, *(d for t in raw if len(t) < 10_000 and (d := unquote(t)) != t)]
    named = [n for t in raw if len(t) < 300 for n in _names(t)]
    contents = {posixpath.basename(p): b for p, b in task.files.items()}
    stems = {posixpath.splitext(n)[0]: n for n in contents if n.endswith((".yaml", ".yml"))}
    for name in dict.fromkeys(named):
        raw_content = contents.get(name) or contents.get(stems.get(name, ""))
        if raw_content and not raw_content.startswith(b"SQLite format 3"):
            found.append(raw_content.decode(errors="replace"))
    return found


def _names(text: str) -> list[str]:
    """Words of a short input that may name a fixture: a file name, or the value of a query."""
    values = re.findall(r"=([\w.-]+)", text)
    return [*_NAMED.findall(text), *values]


def root(task: Task) -> str:
    """The folder a program may read from: test_dir where the task speaks of one, else its own."""
    spoken = "test_dir" in task.prompt or any(p.startswith("test_dir/") for p in task.files)
    return f"{side_effects.BOX}/test_dir" if spoken else side_effects.BOX


def size_of(test: Test) -> int:
    """How large an input is in characters; a number counts as what it counts to."""
    value = test.input
    leaves = [v for v in _numbers(value) if abs(v) < 10**12]
    return max([len(json.dumps(value, default=str)), *map(abs, leaves)])


def _numbers(value: object) -> list[int]:
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [value]
    if isinstance(value, dict):
        return [n for v in value.values() for n in _numbers(v)]
    return [n for v in value for n in _numbers(v)] if isinstance(value, list) else []
