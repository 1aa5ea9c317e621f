"""The probes of a security test: all held is a pass, one broken a fail, else it stays unknown.

`probe` says what a probe is and how one is added. The probes on what the program answered are in
`answers`, on what it did in `effects`, on what a browser makes of the answer in `web`, on what it
gave to an interpreter in `sinks`. Here are the probes that combine others, and the verdict.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, ClassVar

from pydantic import Field

from kit.core import form
from kit.core.records import Outcome
from kit.oracle.facts import (
    Case,
    Conclusion,
    find_observed_harm,
    judge_without_run,
    require_all_evidence,
)
from kit.oracle.probes import answers, effects, sinks, web
from kit.oracle.probes.probe import (
    ANY_PROBE,
    VOCABULARY,
    AnyProbe,
    Probe,
    decided_finding,
    require_all,
    require_any,
    undecidable_finding,
)

__all__ = [
    "VOCABULARY",
    "Probe",
    "answers",
    "effects",
    "mistake",
    "probed",
    "read",
    "sinks",
    "web",
]

Probes = Annotated[list[AnyProbe], Field(min_length=1, title="a non-empty list of probes")]


class _Several(Probe):
    of: Probes

    def inner(self) -> Sequence[Probe]:
        return self.of


class All(_Several):
    """Each of the probes holds."""

    example: ClassVar = {"of": [{"probe": "exits", "nonzero": True}, {"probe": "no_exec"}]}

    def check(self, run: Case) -> Conclusion:
        return require_all(p.check(run) for p in self.of)


class Any(_Several):
    """At least one of the probes holds."""

    example: ClassVar = {"of": [{"probe": "returns", "value": None}, {"probe": "completes"}]}

    def check(self, run: Case) -> Conclusion:
        return require_any(p.check(run) for p in self.of)


class Not(Probe):
    """The probe is broken."""

    example: ClassVar = {"of": {"probe": "returns", "value": True}}
    of: AnyProbe

    def inner(self) -> Sequence[Probe]:
        return (self.of,)

    def check(self, run: Case) -> Conclusion:
        finding = self.of.check(run)
        sentence = f"unwanted: {finding.why}"
        if finding.outcome is Outcome.UNKNOWN:
            return undecidable_finding(sentence, *finding.rests_on)
        return decided_finding(finding.outcome is Outcome.FAIL, sentence, *finding.rests_on)


def read(written: object, where: str = "the probe") -> Probe:
    """The probe of a JSON object; form.Malformed, with one sentence, if it is none."""
    return form.validate_data(ANY_PROBE, written, where)


def mistake(written: object, where: str) -> str:
    """The first mistake in a probe as a sentence that begins with `where`, or "" if none."""
    try:
        read(written, where)
    except form.Malformed as error:
        return str(error)
    return ""


def _list_required_probes(probes: Iterable[Probe]) -> Iterator[Probe]:
    """The probes that all have to hold, each by itself."""
    for probe in probes:
        if isinstance(probe, All):
            yield from _list_required_probes(probe.of)
        else:
            yield probe


def judge_by_probes(case: Case) -> Conclusion:
    """What a test's explicit probes, or those that were compiled for it, find together."""
    probes = [read(written) for written in case.test.probes]
    without_run = judge_without_run(case.evidence)
    if without_run is not None:
        for probe in _list_required_probes(probes):
            harm = find_observed_harm(case, probe.check)
            if harm:
                return harm
        return without_run
    joint = require_all(probe.check(case) for probe in probes)
    sentence = joint.why + "."
    if joint.why.partition(" ")[0].isalpha():  # a word, and no path, which stays as it is
        sentence = sentence[0].upper() + sentence[1:]
    return require_all_evidence(replace(joint, why=sentence), case.evidence)
