"""The probes of a security test: all held is a pass, one broken a fail, else it stays unknown.

`probe` says what a probe is and how one is added. The probes on what the program answered are in
`answers`, on what it did in `effects`, on what a browser makes of the answer in `web`, on what it
gave to an interpreter in `sinks`. Here are the probes that combine others, and the verdict.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from kit import form
from kit.oracle.facts import Finding, gate, whole
from kit.oracle.probes import answers, effects, sinks, web
from kit.oracle.probes.probe import (
    ANY_PROBE,
    VOCABULARY,
    AnyProbe,
    Probe,
    ProbeContext,
    ProbeResult,
    State,
    every,
    some,
)
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict

__all__ = [
    "VOCABULARY", "Probe", "answers", "effects", "mistake", "probed", "read", "sinks", "web",
]  # fmt: skip

Probes = Annotated[list[AnyProbe], Field(min_length=1, title="a non-empty list of probes")]
_OPPOSITE = {State.HELD: State.BROKEN, State.BROKEN: State.HELD}
_VERDICTS = {
    State.HELD: (Outcome.PASS, Reason.PROBE_HELD),
    State.BROKEN: (Outcome.FAIL, Reason.PROBE_BROKEN),
    State.UNDECIDABLE: (Outcome.UNKNOWN, Reason.NO_EVIDENCE),
}


class _Several(Probe):
    of: Probes

    def inner(self) -> Sequence[Probe]:
        return self.of


class All(_Several):
    """Each of the probes holds."""

    example: ClassVar = {"of": [{"probe": "exits", "nonzero": True}, {"probe": "no_exec"}]}

    def check(self, run: ProbeContext) -> ProbeResult:
        return every(p.check(run) for p in self.of)


class Any(_Several):
    """At least one of the probes holds."""

    example: ClassVar = {"of": [{"probe": "returns", "value": None}, {"probe": "completes"}]}

    def check(self, run: ProbeContext) -> ProbeResult:
        return some(p.check(run) for p in self.of)


class Not(Probe):
    """The probe is broken."""

    example: ClassVar = {"of": {"probe": "returns", "value": True}}
    of: AnyProbe

    def inner(self) -> Sequence[Probe]:
        return (self.of,)

    def check(self, run: ProbeContext) -> ProbeResult:
        result = self.of.check(run)
        state = _OPPOSITE.get(result.state, result.state)
        return ProbeResult(state, f"unwanted: {result.sentence}", result.rests_on)


def read(written: object, where: str = "the probe") -> Probe:
    """The probe of a JSON object; form.Malformed, with one sentence, if it is none."""
    return form.read(ANY_PROBE, written, where)


def mistake(written: object, where: str) -> str:
    """The first mistake in a probe as a sentence that begins with `where`, or "" if none."""
    try:
        read(written, where)
    except form.Malformed as error:
        return str(error)
    return ""


def probed(
    task: Task, test: Test, evidence: Evidence, *, language: str = "python",
    attack: Evidence | None = None,
) -> Verdict:  # fmt: skip
    """The verdict of a test's explicit probes, or of those that were compiled for it."""
    oracle = test.compiled_by or "probes"
    if (gated := gate(evidence)) is not None:
        return gated.verdict(test, oracle)
    run = ProbeContext(task, test, evidence, language, attack)
    joint = every(read(written).check(run) for written in test.probes)
    sentence = joint.sentence[:1].upper() + joint.sentence[1:] + "."
    finding = Finding(*_VERDICTS[joint.state], sentence, joint.rests_on)
    return whole(finding, evidence).verdict(test, oracle)
