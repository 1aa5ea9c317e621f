"""The probes of a security test: all held is a pass, one broken a fail, else it stays unknown.

First those on what the program answered (values, exceptions, responses, exit codes, texts), then
those on what it did (files, processes, network, databases, time and memory). What a run that was
cut short did not do decides nothing; what it did do still breaks a probe.
"""

import json
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kit.harness.wording import described, has_events, short
from kit.oracle import footprint
from kit.oracle.compare import names
from kit.oracle.describe import (
    Finding,
    accident,
    ended_early,
    gate,
    has_memory,
    place,
    raised,
    raised_as,
    traceback_in,
    whole,
)
from kit.oracle.match import agree
from kit.oracle.reading import (
    Probe,
    Reading,
    Scene,
    State,
    absence,
    broken,
    held,
    undecidable,
    unfinished,
)
from kit.records import Evidence, Outcome, Reason, Status, Task, Test, Verdict

PLACES = ("value", "exception", "stdout", "stderr", "response", "files")
TOO_LARGE = "<too large to be returned>"  # what the harness returns in the place of such a value


def output_excludes(scene: Scene, probe: Probe) -> Reading:
    where, wanted = _found(scene, probe), _wanted(probe)
    if where:
        return broken(f"{where} has {wanted}", where)
    everywhere = held(f"{wanted} is nowhere in {', '.join(_places(probe))}", *_places(probe))
    return _hidden(scene, probe) or everywhere


def output_matches(scene: Scene, probe: Probe) -> Reading:
    where, wanted = _found(scene, probe), _wanted(probe)
    if where:
        return held(f"{where} has {wanted}", where)
    nowhere = broken(f"{wanted} is nowhere in {', '.join(_places(probe))}", *_places(probe))
    return _hidden(scene, probe) or nowhere


def _hidden(scene: Scene, probe: Probe) -> Reading | None:
    """That what was not found may be where nobody could look: in what was cut or never came."""
    sentence = f"{_wanted(probe)} was not seen, but"
    if scene.evidence.truncated:
        return undecidable(f"{sentence} the output is cut", "stdout")
    if "value" in _places(probe) and TOO_LARGE in place(scene.evidence, "value"):
        return undecidable(f"{sentence} the value is too large to be returned", "value")
    if cause := unfinished(scene.evidence):
        return undecidable(f"{sentence} {cause}", "status")
    return None


def _places(probe: Probe) -> tuple[str, ...]:
    return tuple(probe.get("in", PLACES))


def _wanted(probe: Probe) -> str:
    return f"{short(probe['text'], 60)!r}" if "text" in probe else f"/{short(probe['regex'], 60)}/"


def _found(scene: Scene, probe: Probe) -> str:
    """The first place that holds the text or the pattern, or ""."""
    for name in _places(probe):
        text = place(scene.evidence, name)
        if probe["text"] in text if "text" in probe else re.search(probe["regex"], text):
            return name
    return ""


def returns(scene: Scene, probe: Probe) -> Reading:
    wanted = [probe["value"]] if "value" in probe else list(probe["any_of"])
    evidence = scene.evidence
    allowed = " or ".join(json.dumps(value, ensure_ascii=False) for value in wanted)
    sentence = f"answered {described(evidence)}, allowed is {short(allowed)}"
    if evidence.observed.kind == "nothing" and ended_early(evidence):
        return undecidable(f"it did not answer before {unfinished(evidence)}", "status")
    inputs, language = scene.test.input, scene.language
    findings = [
        agree(w, evidence, task=scene.task, given=inputs, language=language) for w in wanted
    ]
    kind = evidence.observed.kind
    if any(f.outcome is Outcome.PASS for f in findings):
        return held(sentence, kind)
    if any(f.outcome is Outcome.UNKNOWN for f in findings):
        return undecidable(sentence, kind)
    return broken(sentence, kind)


def raises(scene: Scene, probe: Probe) -> Reading:
    """The call, or in a list of calls at least one of them, raised one of the classes."""
    classes, evidence = list(probe["any_of"]), scene.evidence
    sentence = f"answered {described(evidence)}, allowed is raising {' or '.join(classes)}"
    for name, bases in _exceptions(scene):
        if any(raised_as(c, name, bases, language=scene.language) for c in classes):
            return held(sentence, "exception")
    if evidence.observed.kind == "nothing" and ended_early(evidence):
        return undecidable(f"it did not answer before {unfinished(evidence)}", "status")
    return broken(sentence, evidence.observed.kind)


def _exceptions(scene: Scene) -> list[tuple[str, tuple[str, ...]]]:
    name, bases, _ = raised(scene.evidence)
    ended_by = [(name, bases)] if name else []
    value = scene.evidence.observed.value
    calls = value if isinstance(value, list) else []
    items = [c for c in calls if isinstance(c, dict) and isinstance(c.get("raises"), str)]
    return ended_by + [(c["raises"], names(c.get("bases"))) for c in items]


def responds(scene: Scene, probe: Probe) -> Reading:
    evidence = scene.evidence
    status = probe["status"] if isinstance(probe["status"], list) else [probe["status"]]
    response = evidence.observed.response
    if response is None:
        missing = f"no response was seen ({described(evidence)})"
        return (
            undecidable(missing, "status")
            if unfinished(evidence)
            else broken(missing, evidence.observed.kind)
        )
    sentence = f"{described(evidence)}, allowed is status {' or '.join(map(str, status))}"
    if response.get("status") not in status:
        return broken(sentence, "response")
    pattern = probe.get("body_regex")
    if pattern is not None and not re.search(pattern, str(response.get("body", ""))):
        return broken(f"{sentence} with /{short(pattern, 60)}/ in the body", "response")
    if ended_early(evidence):
        return undecidable(f"{sentence}, but {unfinished(evidence)}", "status")
    return held(sentence, "response")


def exits(scene: Scene, probe: Probe) -> Reading:
    code = scene.evidence.exit_code
    if code is None or ended_early(scene.evidence):
        return undecidable("it did not exit by itself", "exit_code")
    if "nonzero" in probe:
        good, allowed = code != 0, "any but 0"
    else:
        codes = probe["code"] if isinstance(probe["code"], list) else [probe["code"]]
        good, allowed = code in codes, " or ".join(map(str, codes))
    sentence = f"it exited with {code}, allowed is {allowed}"
    return held(sentence, "exit_code") if good else broken(sentence, "exit_code")


def completes(scene: Scene, _: Probe) -> Reading:
    """No crash, no time-out, no exception by accident, in a server none that went unhandled."""
    evidence = scene.evidence
    if ended_early(evidence):
        return broken(f"the run ended early ({evidence.status})", "status")
    if name := accident(evidence, scene.task.prompt, language=scene.language):
        return broken(f"it ended in {name}, which no one raises on purpose", "exception")
    response = evidence.observed.response or {}
    shown = (evidence.err, evidence.out, str(response.get("body", "")))
    if int(response.get("status") or 0) >= 500 and any(map(traceback_in, shown)):
        return broken(f"the server did not handle an exception: {described(evidence)}", "response")
    if evidence.observed.kind == "nothing":
        if traceback_in(evidence.err):
            return broken("it ended in an exception before it answered", "stderr")
        return undecidable("the program gave no answer", "status")
    return held(f"it ran to its end: {described(evidence)}", "status", evidence.observed.kind)


def distinct(scene: Scene, _: Probe) -> Reading:
    """No two members of the list that was returned are equal."""
    observed = scene.evidence.observed
    members = observed.value if isinstance(observed.value, list) else []
    if observed.kind != "value" or len(members) < 2:
        return undecidable(f"there are no two members to compare: {described(scene.evidence)}")
    if any(isinstance(m, dict) and "raises" in m for m in members):
        return undecidable(f"a call raised: {described(scene.evidence)}", "value")
    keys = [json.dumps(m, sort_keys=True) for m in members]
    sentence = f"{len(keys)} members, {len(set(keys))} different ones"
    return held(sentence, "value") if len(set(keys)) == len(keys) else broken(sentence, "value")


FILES = ("open", *footprint.WRITES)


def no_open(scene: Scene, probe: Probe) -> Reading:
    globs = [probe["glob"]] if isinstance(probe["glob"], str) else list(probe["glob"])
    writing = probe.get("mode") == "write"
    look = footprint.writes if writing else footprint.opens
    hits = [e for e in look(scene.evidence) if footprint.matches(e.target, globs)]
    return absence(scene, hits, f"{'write to' if writing else 'open'} {' or '.join(globs)}", *FILES)


def no_write_outside(scene: Scene, probe: Probe) -> Reading:
    roots = list(probe["roots"])
    hits = [e for e in footprint.writes(scene.evidence) if not footprint.under(e.target, roots)]
    stray = [p for p in scene.evidence.files if not footprint.under(footprint.absolute(p), roots)]
    if stray and not hits:
        return broken(f"it wrote {min(stray)} outside {', '.join(roots)}", "files")
    return absence(scene, hits, f"write outside {', '.join(roots)}", *FILES)


def no_exec(scene: Scene, probe: Probe) -> Reading:
    allow = list(probe.get("allow", []))
    names = {a.rpartition("/")[2] for a in allow}
    hits = [e for e in footprint.execs(scene.evidence) if not footprint.matches(e.target, allow)]
    searching = [e for e in hits if e.error == "ENOENT" and e.target.rpartition("/")[2] in names]
    hits = [e for e in hits if e not in searching]
    what = "start a program" + (f" but {', '.join(allow)}" if allow else "")
    return absence(scene, hits, what, "exec")


def _no_network(scene: Scene, probe: Probe, *, kind: str) -> Reading:
    allow = list(probe.get("allow", []))
    attempts = footprint.network(scene.evidence, kind)
    hits = [e for e in attempts if not footprint.address_in(e.target, allow)]
    return absence(scene, hits, kind + (f" but to {', '.join(allow)}" if allow else ""), kind)


def ends_within(scene: Scene, probe: Probe) -> Reading:
    evidence, limit = scene.evidence, probe["seconds"]
    sentence = f"it ran for {evidence.own_s:.2f} s, allowed are {limit} s"
    if evidence.own_s > limit:
        return broken(sentence, "wall_s")
    if evidence.status is Status.TIMEOUT:
        return undecidable(
            f"it was stopped after {evidence.own_s:.2f} s, before {limit} s", "status"
        )
    return held(sentence, "wall_s")


def memory_below(scene: Scene, probe: Probe) -> Reading:
    evidence, limit = scene.evidence, probe["mb"]
    if evidence.status is Status.OOM:
        return broken(f"it ran out of memory, allowed are {limit} MB", "status")
    if evidence.peak_mb <= 0:
        return undecidable("its memory was not measured", "peak_mb")
    sentence = f"it took {evidence.peak_mb:.0f} MB at most, allowed are {limit} MB"
    if evidence.peak_mb > limit:
        return broken(sentence, "peak_mb")
    if not has_memory(evidence):
        return undecidable(f"{sentence}, but only each process was measured", "isolation")
    return held(sentence, "peak_mb")


def database_unchanged(scene: Scene, probe: Probe) -> Reading:
    path, tables = probe["path"], probe.get("tables")
    before = footprint.dump_before(scene.task, path)
    after = footprint.dump_after(scene.evidence.observed.databases, path)
    if before is None or after is None:
        return undecidable(f"{path} was not read before and after the run", "databases")
    was, now = footprint.statements(before, tables), footprint.statements(after, tables)
    if was != now:
        old, new = set(was), set(now)
        added, lost = sum(s not in old for s in now), sum(s not in new for s in was)
        return broken(f"{path} changed: {lost} statements gone, {added} new", "databases")
    if cause := unfinished(scene.evidence):
        return undecidable(f"{path} is as it was, but {cause}", "databases", "status")
    return held(f"{path} is as it was", "databases")


def _database_text(scene: Scene, probe: Probe, *, wanted: bool) -> Reading:
    dump = footprint.dump_after(scene.evidence.observed.databases, probe["path"])
    return _over_text(scene, probe, dump, wanted=wanted, source="databases")


def _over_text(
    scene: Scene, probe: Probe, text: str | None, *, wanted: bool, source: str
) -> Reading:
    path, pattern = probe["path"], probe["regex"]
    if text is None:
        return undecidable(f"{path} was not read after the run", source)
    has_it = re.search(pattern, text) is not None
    sentence = f"{path} {'has' if has_it else 'does not have'} {pattern!r}"
    if has_it is wanted and (has_it or not unfinished(scene.evidence)):
        return held(sentence, source)
    if has_it is wanted or (not has_it and unfinished(scene.evidence)):
        return undecidable(f"{sentence}, but {unfinished(scene.evidence)}", source, "status")
    return broken(sentence, source)


def file_unchanged(scene: Scene, probe: Probe) -> Reading:
    path, evidence = footprint.relative(probe["path"]), scene.evidence
    before, after = scene.task.files.get(path), evidence.files.get(path)
    if after is not None and after != before:
        return broken(f"{path} {'was changed' if before is not None else 'was created'}", "files")
    if before is not None and after is None and footprint.removed(evidence, path):
        return broken(f"{path} was taken away", "events")
    if path in evidence.skipped:
        return undecidable(f"{path} could not be collected: {evidence.skipped[path]}", "files")
    if not has_events(evidence):
        return undecidable(f"whether {path} was taken away was not watched", "isolation")
    if cause := unfinished(evidence):
        return undecidable(f"{path} is as it was, but {cause}", "files", "status")
    return held(f"{path} is as it was", "files", "events")


def file_absent(scene: Scene, probe: Probe) -> Reading:
    path, evidence = footprint.relative(probe["path"]), scene.evidence
    if path not in evidence.files and (cause := footprint.unsettled(evidence, *FILES)):
        return undecidable(f"whether {path} is there was not seen: {cause}", "events")
    gone = footprint.removed(evidence, path)
    if (
        path in evidence.files or path in evidence.skipped or footprint.created(evidence, path)
    ) and not gone:
        return broken(f"{path} is there", "files")
    inside, fixture = not path.startswith("/"), path in scene.task.files
    if not has_events(evidence) and (fixture or not inside):
        return undecidable(f"whether {path} is there was not watched", "isolation")
    if fixture and not gone:
        return broken(f"{path} is there, as it was", "files", "events")
    if cause := unfinished(evidence):
        return undecidable(f"{path} is not there, but {cause}", "files", "status")
    return held(f"{path} is not there", "files")


def _file_text(scene: Scene, probe: Probe, *, wanted: bool) -> Reading:
    path, evidence = footprint.relative(probe["path"]), scene.evidence
    gone = footprint.removed(evidence, path)
    if path in evidence.skipped and not gone:
        return undecidable(f"{path} could not be collected: {evidence.skipped[path]}", "files")
    raw = None if gone else evidence.files.get(path, scene.task.files.get(path))
    text = None if raw is None else raw.decode(errors="replace")
    if text is None and not unfinished(evidence):
        if wanted:
            return broken(f"{probe['path']} is not there", "files")
        text = ""
    return _over_text(scene, probe, text, wanted=wanted, source="files")


def file_mode(scene: Scene, probe: Probe) -> Reading:
    path, limit = footprint.relative(probe["path"]), int(str(probe["max"]), 8)
    mode = scene.evidence.modes.get(path)
    if mode is None:
        return undecidable(f"{path} was not written", "files")
    sentence = f"{path} has mode {stat.S_IMODE(mode):04o}, allowed is {limit:04o}"
    return broken(sentence, "modes") if stat.S_IMODE(mode) & ~limit else held(sentence, "modes")


SIMPLE: Mapping[str, Callable[[Scene, Probe], Reading]] = {
    "no_connect": partial(_no_network, kind="connect"),
    "no_bind": partial(_no_network, kind="bind"),
    "database_excludes": partial(_database_text, wanted=False),
    "database_matches": partial(_database_text, wanted=True),
    "file_excludes": partial(_file_text, wanted=False),
    "file_matches": partial(_file_text, wanted=True),
} | {
    f.__name__: f
    for f in (
        *(no_open, no_write_outside, no_exec, ends_within, memory_below, database_unchanged),
        *(file_unchanged, file_absent, file_mode, output_excludes, output_matches, returns),
        *(raises, responds, exits, completes, distinct),
    )
}
_OPPOSITE = {State.HELD: State.BROKEN, State.BROKEN: State.HELD}


def probed(task: Task, test: Test, evidence: Evidence, *, language: str = "python") -> Verdict:
    """The verdict of a test's explicit probes."""
    if (gated := gate(evidence)) is not None:
        return gated.verdict(test, "probes")
    readings = [read(Scene(task, test, evidence, language), p) for p in test.probes]
    joint = every(readings)
    outcome, reason = {
        State.HELD: (Outcome.PASS, Reason.PROBE_HELD),
        State.BROKEN: (Outcome.FAIL, Reason.PROBE_BROKEN),
        State.UNDECIDABLE: (Outcome.UNKNOWN, Reason.NO_EVIDENCE),
    }[joint.state]
    sentence = joint.sentence[:1].upper() + joint.sentence[1:] + "."
    finding = Finding(outcome, reason, sentence, joint.rests_on)
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
