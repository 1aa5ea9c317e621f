"""The probes of a security test: all held is a pass, one broken a fail, else it stays unknown.

What a run that was cut short did not do decides nothing; what it did do still breaks a probe.
"""

from collections.abc import Callable, Mapping, Sequence

from kit.oracle.describe import Finding, gate, whole
from kit.oracle.probes import answer, effect
from kit.oracle.reading import Probe, Reading, Scene, State
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict

SIMPLE: Mapping[str, Callable[[Scene, Probe], Reading]] = {
    f.__name__: f
    for f in (
        *(effect.no_open, effect.no_write_outside, effect.no_exec, effect.no_connect),
        *(effect.no_bind, effect.ends_within, effect.memory_below, effect.database_unchanged),
        *(effect.database_excludes, effect.database_matches, effect.file_unchanged),
        *(effect.file_absent, effect.file_matches, effect.file_excludes, effect.file_mode),
        *(answer.output_excludes, answer.output_matches, answer.returns, answer.raises),
        *(answer.responds, answer.exits, answer.completes, answer.distinct),
    )
}
_OPPOSITE = {State.HELD: State.BROKEN, State.BROKEN: State.HELD}


def probed(task: Task, test: Test, evidence: Evidence, *, language: str = "python") -> Verdict:
    """The verdict of a test's explicit probes."""
    if (found := gate(evidence)) is not None:
        return found.verdict(test, "probes")
    readings = [read(Scene(task, test, evidence, language), p) for p in test.probes]
    joint = every(readings)
    outcome, reason = {
        State.HELD: (Outcome.PASS, Reason.PROBE_HELD),
        State.BROKEN: (Outcome.FAIL, Reason.PROBE_BROKEN),
        State.UNDECIDABLE: (Outcome.UNKNOWN, Reason.NO_EVIDENCE),
    }[joint.state]
    why = joint.sentence[:1].upper() + joint.sentence[1:] + "."
    finding = Finding(outcome, reason, why, joint.rests_on)
    return whole(finding, evidence).verdict(test, "probes")


def read(scene: Scene, probe: Probe) -> Reading:
    """One probe, nested ones included."""
    name = probe["probe"]
    if name == "not":
        inner = read(scene, probe["of"])
        state = _OPPOSITE.get(inner.state, inner.state)
        return Reading(state, f"unwanted: {inner.sentence}", inner.rests_on)
    if name == "all":
        return every([read(scene, p) for p in probe["of"]])
    if name == "any":
        return some([read(scene, p) for p in probe["of"]])
    return SIMPLE[name](scene, probe)


def every(readings: Sequence[Reading]) -> Reading:
    """Broken if one is, else undecidable if one is, else held; the readings that decide speak."""
    return _joined(readings, (State.BROKEN, State.UNDECIDABLE, State.HELD))


def some(readings: Sequence[Reading]) -> Reading:
    """Held if one is, else undecidable if one is, else broken."""
    return _joined(readings, (State.HELD, State.UNDECIDABLE, State.BROKEN))


def _joined(readings: Sequence[Reading], order: tuple[State, ...]) -> Reading:
    state = next(s for s in order if any(r.state is s for r in readings))
    telling = [r for r in readings if r.state is state]
    rests_on = tuple(dict.fromkeys(place for r in telling for place in r.rests_on))
    return Reading(state, "; ".join(r.sentence for r in telling), rests_on)
