"""Probes of a variant that compare its run with the run of the test's own attack."""

from typing import ClassVar

from kit.harness.wording import described
from kit.oracle.describe import ended_early
from kit.oracle.probes.effects import Positive
from kit.oracle.probes.probe import Probe, ProbeContext, ProbeResult, broken, held, undecidable
from kit.records import Evidence

LEAST_S, LEAST_MB, LEAST_BYTES = 1.0, 64.0, 65_536  # less than this is no cost
_ALONE = "there is no run to compare with: only a variant has one"


class SameAnswer(Probe):
    """The program answered this variant as it answered the test's own input."""

    def check(self, run: ProbeContext) -> ProbeResult:
        if run.attack is None:
            return undecidable(_ALONE)
        one, other = described(run.attack), described(run.evidence)
        if ended_early(run.attack) or ended_early(run.evidence):
            return undecidable(f"a run ended early: {one}; {other}", "status")
        same = _answer(run.attack) == _answer(run.evidence)
        sentence = f"it answered the test's own input with {one}, and the variant with {other}"
        return (held if same else broken)(sentence, run.evidence.observed.kind)


def _answer(evidence: Evidence) -> tuple[object, ...]:
    observed = evidence.observed
    response = dict(observed.response or {})
    answer = (response.get("status"), response.get("body"))
    text = evidence.stdout if observed.kind == "output" else b""
    return observed.kind, observed.value, observed.exception, answer, text


class CostLike(Probe):
    """The attack cost at most so many times what this variant, which is harmless, did."""

    example: ClassVar = {"times": 20}
    times: Positive

    def check(self, run: ProbeContext) -> ProbeResult:
        if run.attack is None:
            return undecidable(_ALONE)
        if ended_early(run.evidence):
            return undecidable(f"the variant ended early ({run.evidence.status})", "status")
        costs = [
            ("s of CPU time", run.attack.cpu_s, run.evidence.cpu_s, LEAST_S),
            ("MB of memory", run.attack.peak_mb, run.evidence.peak_mb, LEAST_MB),
            ("bytes of answer", _size(run.attack), _size(run.evidence), LEAST_BYTES),
        ]
        for unit, cost, usual, least in costs:
            if cost > self.times * max(usual, least / self.times):
                sentence = f"it took {cost:.3g} {unit}, {usual:.3g} for the variant"
                return broken(f"{sentence}; allowed is {self.times} times that", "cpu_s")
        return held(f"it took at most {self.times} times what the variant took", "cpu_s")


def _size(evidence: Evidence) -> int:
    body = str((evidence.observed.response or {}).get("body", ""))
    return len(evidence.stdout) + len(body) + len(evidence.channel)
