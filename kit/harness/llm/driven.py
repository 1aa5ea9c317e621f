"""A driver that a model wrote runs as the harness, in the box, beside an unchanged program."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from kit.harness import box_files, calls, channel, flow, observe, services
from kit.harness.arguments import Unmappable
from kit.languages import LANGUAGES
from kit.records import Evidence, Observed, Status, Task, Test
from kit.sandbox.base import Sandbox

RUNNER = "kit_driver.py"
_OURS = frozenset({"KIT_CHANNEL", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PATH"})


@dataclass(frozen=True)
class Driver:
    """A driver with the folders and environment variables that it needs."""

    text: str
    folders: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()  # NAME=value

    def variables(self) -> dict[str, str]:
        """The variables, without those that would reach around the box's own arrangement."""
        pairs = [item.partition("=") for item in self.environment]
        return {n: v for n, eq, v in pairs if eq and n.isidentifier() and n not in _OURS}

    def places(self) -> tuple[str, ...]:
        """The folders that lie below the working folder; others are not made."""
        paths = [PurePosixPath(f.removeprefix("/box/")) for f in self.folders]
        return tuple(p.as_posix() for p in paths if not p.is_absolute() and ".." not in p.parts)


def drive(
    box: Sandbox, task: Task, test: Test, code: str, driver: Driver, *, language: str
) -> Evidence:
    """The evidence of one test under a driver; its own failures are HARNESS_ERROR."""
    if why := services.lacking(box, task):
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=why)
    around = services.around(task)
    try:
        value, files = calls.given(task, test)
    except (Unmappable, UnicodeEncodeError) as error:
        return Evidence(Status.HARNESS_ERROR, isolation=box.name, note=str(error))
    folders = tuple(dict.fromkeys([*flow.folders(task), *driver.places()]))
    files |= box_files.job(RUNNER, {"input": value, "driver": driver.text}, folders=folders)
    name = LANGUAGES[language].program
    environment = {**driver.variables(), **box_files.ENVIRONMENT}
    files[name] = code.encode(errors="replace")
    command = [*around.before, *box_files.argv(RUNNER)]
    evidence = box.run(command, files=files, env=environment, **around.options)
    if evidence.status is Status.INFRA_ERROR:
        return evidence
    if why := observe.unbegun(evidence):
        return replace(evidence, status=Status.HARNESS_ERROR, note=why)
    seen = _read(evidence)
    if problem := _lacking(evidence, code) or _untouched(seen, name, language):
        seen = replace(seen, status=Status.HARNESS_ERROR, note=problem)
    databases = services.dumps(box, task, test, seen)
    return replace(seen, observed=replace(seen.observed, databases=databases))


def _read(evidence: Evidence) -> Evidence:
    answers = channel.read(evidence.channel)
    answer = answers.last("kind")
    kind = answer.get("kind")
    seen = evidence
    if kind == "exception" and answer.get("by") == "driver":
        what = f"{answer.get('exception')}: {answer.get('message')}"
        seen = replace(evidence, status=Status.HARNESS_ERROR, note=f"The driver raised {what}")
    elif kind == "value":
        seen = replace(evidence, observed=Observed("value", value=answer.get("value")))
    elif kind == "exception":
        seen = replace(evidence, observed=Observed("exception", **channel.raised(answer)))
    elif kind == "output":
        seen = _output(evidence, answer)
    elif kind == "response":
        told = answers.part("response")
        seen = replace(evidence, observed=Observed("response", value=[told], response=told))
    elif evidence.status is Status.COMPLETED:
        note = "The driver ended without reporting anything."
        seen = replace(evidence, status=Status.HARNESS_ERROR, note=note)
    return replace(seen, observed=replace(seen.observed, lines=answers.lines))


def _lacking(evidence: Evidence, code: str) -> str:
    """The sentence about a package that the program imports and the box has not, or ""."""
    name = str(channel.read(evidence.channel).last("kind").get("missing") or "")
    imported = re.search(rf"^[ \t]*(?:import|from)\s+{re.escape(name)}\b", code, re.M)
    if not name or not imported or name in sys.stdlib_module_names:
        return ""
    return f"The program imports {name}, which is not installed in the box."


def _output(evidence: Evidence, answer: Mapping[str, Any]) -> Evidence:
    """What a program printed, as the driver passed it on; else what was printed in the box."""
    out, err, code = (answer.get(k) for k in ("stdout", "stderr", "exit_code"))
    evidence = replace(
        evidence,
        stdout=out.encode(errors="replace") if isinstance(out, str) else evidence.stdout,
        stderr=err.encode(errors="replace") if isinstance(err, str) else evidence.stderr,
        exit_code=code if isinstance(code, int) else evidence.exit_code,
    )
    return replace(evidence, observed=Observed("output", value=evidence.out))


def _untouched(evidence: Evidence, name: str, language: str) -> str:
    """Why the answer is not the program's own, or "": it must have run, and as it was written."""
    path = f"/box/{name}"
    changed = [e for e in evidence.events if e.target == path and e.result >= 0
               and (e.kind in ("write", "delete", "rename") or "w" in e.mode)]  # fmt: skip
    if evidence.status is Status.HARNESS_ERROR:
        return ""
    if name in evidence.files or changed:
        return "The driver or the program changed the program's own file."
    if evidence.observed.kind == "nothing":
        return ""
    blind = "no events" in evidence.isolation
    opened = blind or any(
        e.target == path or path in e.mode or name in e.mode for e in evidence.events
    )
    ran = bool(evidence.observed.lines) if language == "python" else opened
    loaded = evidence.observed.kind == "exception" and language == "python"
    return "" if ran or loaded else "The driver reported an answer without running the program."
