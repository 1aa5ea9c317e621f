"""What came back from a run becomes the observation; the same for every language."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kit.harness import box_files, channel, server
from kit.harness.calls import Call
from kit.harness.plan import Plan
from kit.harness.services import SETUP
from kit.records import Event, Evidence, Observed, Status


def unbegun(evidence: Evidence) -> str:
    """Why our own part ended before the program began, or ""; its exec is then still an event."""
    first = next(iter(evidence.events), None)
    if first is None or first.kind != "start" or f"{box_files.FOLDER}/kit_" not in first.mode:
        return ""
    if evidence.status is not Status.COMPLETED:
        return ""
    own = "A service" if not _execs(evidence) and SETUP in first.mode else "The harness"
    said = [line for line in evidence.err.splitlines() if line and not line.startswith(" ")]
    return f"{own} did not start: {said[-1] if said else 'no reason given'}"


def _execs(evidence: Evidence) -> list[Event]:
    return [e for e in evidence.events if e.kind == "exec"]


def read(chosen: Plan, evidence: Evidence, call: Call) -> Evidence:
    """The evidence with what the channel says: the observation, covered lines, a note."""
    answers = channel.read(evidence.channel)
    answer = answers.last("kind")
    if call.way == "serve":
        seen = server.observed(evidence, answers, call.job)
    elif call.way == "script":
        seen = replace(evidence, observed=_output(evidence, answer))
    else:
        seen = _returned(evidence, answer)
    error = answers.last("missing") or answers.part("server")
    if lacking := _lacking(chosen, str(error.get("missing") or "")):
        note = f"The program imports {lacking}, which is not installed in the box."
        seen = replace(seen, status=Status.HARNESS_ERROR, note=note)
    note = " ".join(filter(None, (seen.note, call.note)))
    return replace(seen, note=note, observed=replace(seen.observed, lines=answers.lines))


def _output(evidence: Evidence, answer: Mapping[str, Any]) -> Observed:
    return Observed("output", value=evidence.out, **channel.raised(answer))


def _returned(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    if answer.get("kind") == "value":
        return replace(evidence, observed=Observed("value", value=answer.get("value")))
    if answer.get("kind") == "response" and server.readable(answer.get("response")):
        told = answer["response"]
        return replace(evidence, observed=Observed("response", value=[told], response=told))
    if answer.get("kind") == "exception":
        loading = answer.get("during") == "load"
        note = (
            "The exception came while the program was loaded, before the call." if loading else ""
        )
        return replace(
            evidence, observed=Observed("exception", **channel.raised(answer)), note=note
        )
    note = evidence.note
    if evidence.status is Status.COMPLETED:
        note = f"The program ended with exit code {evidence.exit_code} before the call returned."
    return replace(evidence, note=note)


def _lacking(chosen: Plan, name: str) -> str:
    """The package that could not be found, if it is one that the program imports by itself."""
    imports = chosen.facts.imports if chosen.facts else frozenset()
    own = name in imports and "." not in name and name not in sys.stdlib_module_names
    return name if own else ""
