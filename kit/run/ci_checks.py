"""Converts a run to checks for CI: each test is passed, failed, undecided or not run."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.measures import POLICY
from kit.records import Outcome, Status
from kit.run.export import visible
from kit.store import Store

PASSED, FAILED, UNDECIDED, NOT_RUN = "passed", "failed", "undecided", "not run"
EXIT = {FAILED: 1, NOT_RUN: 3}  # 2 is a usage error


@dataclass(frozen=True)
class Check:
    """One test of one program. state: passed, failed, undecided, or not run: our own failure, a
    library that is missing, or a program that nobody knows how to call.

    program: unlike every other of its task. file: of the program, relative to the current folder
    where it is below it; line: of a file of many programs, or of a finding in it; 0 for none.
    key: the same for the same test of the same file in every run, wherever the folder lies.
    """

    suite: str
    task: str
    program: str
    test: str
    kind: str
    cwe: str
    state: str
    sentence: str
    file: str
    line: int
    seconds: float
    key: tuple[str, ...]


def checks(store: Store, places: Mapping[str, tuple[Path, int]], folder: Path) -> list[Check]:
    """Every test of every program of a run. places: slot -> file and line; folder: of the files."""
    findings: dict[str, list[Any]] = {}
    for finding in store.findings().itertuples():
        for slot in finding.slots:
            findings.setdefault(slot, []).append(finding)
    out = []
    for row in store.frame().itertuples():
        path, line = places[row.slot]
        evidence, verdict = store.cell(row.slot, row.test)
        sample = store.sample(row.slot)
        sentences = (verdict.sentence if verdict else "", evidence.note if evidence else "",
                sample.note if sample else "")  # fmt: skip
        # the line of the deciding finding; 0 for a probe, and for a file of the project
        named = (int(f.line) for f in findings.get(row.slot, ())
                 if sentences[0].startswith(f"{f.rule} ({f.cwe}), line {f.line}:"))  # fmt: skip
        at = line or next(named, 0)
        rule = POLICY[Status(row.status), Outcome(row.outcome)]
        state = {True: PASSED, False: FAILED, None: UNDECIDED}[rule.value]
        if not rule.counted or row.status == Status.HARNESS_ERROR:  # nothing of it was run
            state = NOT_RUN
        name = f"{row.model}.{row.sample}" if line else path.name
        home = folder if folder.is_dir() else folder.parent
        inside = (path.relative_to(home).as_posix(), str(line or ""))
        out.append(Check(
            row.suite, row.task, name, row.test, row.kind, row.cwe or "",
            state, visible(next(filter(None, sentences), f"It {row.status}.")),
            uri(path), at, float(evidence.wall_s if evidence else 0.0),
            (row.suite, *inside, row.test),
        ))  # fmt: skip
    return out


def uri(path: Path) -> str:
    """The URI of a file: relative if it is below the current folder, else file://."""
    whole, here = path.resolve(), Path.cwd()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else whole.as_uri()


def exit_code(found: Iterable[Check]) -> int:
    """1 if a test failed; else 3 if a test could not be executed; else 0."""
    states = {check.state for check in found}
    return next((code for state, code in EXIT.items() if state in states), 0)


def text(found: Sequence[Check]) -> str:
    """One line with the number of tests in each state."""
    states = Counter(check.state for check in found)
    every = (PASSED, FAILED, UNDECIDED, NOT_RUN)
    return f"{len(found)} tests: " + ", ".join(f"{states[state]} {state}" for state in every)
