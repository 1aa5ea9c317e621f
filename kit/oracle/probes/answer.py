"""Probes on what the program answered: values, exceptions, responses, exit codes, texts."""

import json
import re
from typing import Any

from kit.oracle.compare import names
from kit.oracle.describe import (
    accident,
    described,
    ended_early,
    place,
    raised,
    raised_as,
    short,
    traceback_in,
)
from kit.oracle.match import agree
from kit.oracle.reading import Probe, Reading, Scene, broken, held, undecidable, unfinished
from kit.records import Outcome

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
    told = f"{_wanted(probe)} was not seen, but"
    if scene.evidence.truncated:
        return undecidable(f"{told} the output is cut", "stdout")
    if "value" in _places(probe) and TOO_LARGE in place(scene.evidence, "value"):
        return undecidable(f"{told} the value is too large to be returned", "value")
    if why := unfinished(scene.evidence):
        return undecidable(f"{told} {why}", "status")
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
    seen = scene.evidence
    told = f"answered {described(seen)}, allowed is {short(' or '.join(map(_json, wanted)))}"
    if seen.observed.kind == "nothing" and ended_early(seen):
        return undecidable(f"it did not answer before {unfinished(seen)}", "status")
    given, language = scene.test.input, scene.language
    found = [agree(w, seen, task=scene.task, given=given, language=language) for w in wanted]
    kind = seen.observed.kind
    if any(f.outcome is Outcome.PASS for f in found):
        return held(told, kind)
    if any(f.outcome is Outcome.UNKNOWN for f in found):
        return undecidable(told, kind)
    return broken(told, kind)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def raises(scene: Scene, probe: Probe) -> Reading:
    """The call, or in a list of calls at least one of them, raised one of the classes."""
    classes, seen = list(probe["any_of"]), scene.evidence
    told = f"answered {described(seen)}, allowed is raising {' or '.join(classes)}"
    for name, bases in _exceptions(scene):
        if any(raised_as(c, name, bases, language=scene.language) for c in classes):
            return held(told, "exception")
    if seen.observed.kind == "nothing" and ended_early(seen):
        return undecidable(f"it did not answer before {unfinished(seen)}", "status")
    return broken(told, seen.observed.kind)


def _exceptions(scene: Scene) -> list[tuple[str, tuple[str, ...]]]:
    name, bases, _ = raised(scene.evidence)
    found = [(name, bases)] if name else []
    value = scene.evidence.observed.value
    calls = value if isinstance(value, list) else []
    items = [c for c in calls if isinstance(c, dict) and isinstance(c.get("raises"), str)]
    return found + [(c["raises"], names(c.get("bases"))) for c in items]


def responds(scene: Scene, probe: Probe) -> Reading:
    seen = scene.evidence
    status = probe["status"] if isinstance(probe["status"], list) else [probe["status"]]
    response = seen.observed.response
    if response is None:
        why = f"no response was seen ({described(seen)})"
        return undecidable(why, "status") if unfinished(seen) else broken(why, seen.observed.kind)
    told = f"{described(seen)}, allowed is status {' or '.join(map(str, status))}"
    if response.get("status") not in status:
        return broken(told, "response")
    pattern = probe.get("body_regex")
    if pattern is not None and not re.search(pattern, str(response.get("body", ""))):
        return broken(f"{told} with /{short(pattern, 60)}/ in the body", "response")
    if ended_early(seen):
        return undecidable(f"{told}, but {unfinished(seen)}", "status")
    return held(told, "response")


def exits(scene: Scene, probe: Probe) -> Reading:
    code = scene.evidence.exit_code
    if code is None or ended_early(scene.evidence):
        return undecidable("it did not exit by itself", "exit_code")
    if "nonzero" in probe:
        good, allowed = code != 0, "any but 0"
    else:
        codes = probe["code"] if isinstance(probe["code"], list) else [probe["code"]]
        good, allowed = code in codes, " or ".join(map(str, codes))
    told = f"it exited with {code}, allowed is {allowed}"
    return held(told, "exit_code") if good else broken(told, "exit_code")


def completes(scene: Scene, _: Probe) -> Reading:
    """No crash, no time-out, no exception by accident, in a server none that went unhandled."""
    seen = scene.evidence
    if ended_early(seen):
        return broken(f"the run ended early ({seen.status})", "status")
    if name := accident(seen, scene.task.prompt, language=scene.language):
        return broken(f"it ended in {name}, which no one raises on purpose", "exception")
    response = seen.observed.response or {}
    shown = (seen.err, seen.out, str(response.get("body", "")))
    if int(response.get("status") or 0) >= 500 and any(map(traceback_in, shown)):
        return broken(f"the server did not handle an exception: {described(seen)}", "response")
    if seen.observed.kind == "nothing":
        if traceback_in(seen.err):
            return broken("it ended in an exception before it answered", "stderr")
        return undecidable("the program gave no answer", "status")
    return held(f"it ran to its end: {described(seen)}", "status", seen.observed.kind)


def distinct(scene: Scene, _: Probe) -> Reading:
    """No two members of the list that was returned are equal."""
    seen = scene.evidence.observed
    members = seen.value if isinstance(seen.value, list) else []
    if seen.kind != "value" or len(members) < 2:
        return undecidable(f"there are no two members to compare: {described(scene.evidence)}")
    if any(isinstance(m, dict) and "raises" in m for m in members):
        return undecidable(f"a call raised: {described(scene.evidence)}", "value")
    keys = [json.dumps(m, sort_keys=True) for m in members]
    told = f"{len(keys)} members, {len(set(keys))} different ones"
    return held(told, "value") if len(set(keys)) == len(keys) else broken(told, "value")
