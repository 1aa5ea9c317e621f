"""The view that rules have of a test: one security test of one program with its evidence."""

import json
from dataclasses import dataclass
from functools import cached_property

from kit.harness.wording import described, has_events, short
from kit.oracle import facts
from kit.oracle.facts import Finding, place, unfinished
from kit.oracle.refusal import Kind, Refusal, refusal
from kit.oracle.rules.draft import texts_of
from kit.records import Evidence, Outcome, Reason, Task, Test

OUTPUTS = ("value", "exception", "stdout", "response")


@dataclass(frozen=True)
class Case:
    """What a rule may look at."""

    task: Task
    test: Test
    evidence: Evidence
    language: str = "python"

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(texts_of(self.task, self.test))

    @cached_property
    def refusal(self) -> Refusal:
        return refusal(self.task, self.test, self.evidence, language=self.language)

    @property
    def refused(self) -> bool:
        return self.refusal.kind is Kind.REFUSED

    @property
    def must_refuse(self) -> bool:
        """Whether a draft says that nothing but a refusal will do."""
        return '"refuses"' in json.dumps(self.test.probes)

    @property
    def fell_over(self) -> bool:
        """Whether an error that nobody meant ended the call: by accident, of the system, a 5xx."""
        return self.refusal.kind in (Kind.FAULT, Kind.CHANCE)

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


def root(task: Task) -> str:
    """The folder a program may read from: test_dir where the task speaks of one, else its own."""
    spoken = "test_dir" in task.prompt or any(p.startswith("test_dir/") for p in task.files)
    return f"{facts.BOX}/test_dir" if spoken else facts.BOX
