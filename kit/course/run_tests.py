"""Runs tests of programs in the sandbox, for labs and marks: verdicts, evidence, events."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product
from operator import attrgetter

import pandas as pd

from kit import harness, oracle
from kit.core.errors import KitError
from kit.core.paths import REFERENCES, SUITES
from kit.core.records import Evidence, Outcome, Status, Task, Test, Verdict
from kit.run.pool import run_in_pool
from kit.sandbox import Sandbox
from kit.systems.dualgauge import spec
from kit.systems.dualgauge.suite import Shortened


@cache
def load_shipped_task(name: str) -> Task:
    """A task of the shipped suite, by its id."""
    return spec.load_items(SUITES / "dualgauge").task(name)


def read_labelled_programs(task: str, *names: str) -> dict[str, str]:
    """Labelled Python programs of a shipped task: name -> text; all if no name is given."""
    folder = REFERENCES / task
    chosen = names or sorted(p.stem for p in folder.glob("*.py"))
    return {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in chosen}


def judge_single_test(box: Sandbox, task: Task, test: Test, code: str) -> tuple[Verdict, Evidence]:
    """One test of one program: the oracle's verdict and its evidence.

    Raises KitError if the sandbox failed, because the program is not to blame.
    """
    evidence = harness.run_test(Shortened(box, 5.0), task, test, code)
    if evidence.status is Status.INFRA_ERROR:
        raise KitError(f"The sandbox did not run: {evidence.note}. See what `kit doctor` says.")
    return oracle.judge(task, test, evidence), evidence


def fails_some_test(box: Sandbox, task: Task, tests: Iterable[Test], code: str) -> bool:
    """Whether a program fails one of the tests; those behind the first such test do not run."""
    for test in tests:
        verdict, _ = judge_single_test(box, task, test, code)
        if verdict.outcome is Outcome.FAIL:
            return True
    return False


def list_outcomes(
    box: Sandbox, task: Task, codes: Mapping[str, str], kind: str = ""
) -> pd.DataFrame:
    """One row per program and test, in order: program, test, kind, cwe, outcome, sentence."""
    tests = [test for test in task.tests if kind in ("", test.kind)]
    cells = list(product(codes, tests))

    def judge_cell(number: int) -> tuple[str, ...]:
        name, test = cells[number]
        verdict, _ = judge_single_test(box, task, test, codes[name])
        return name, test.id, test.kind, test.cwe, str(verdict.outcome), verdict.sentence

    numbers = range(len(cells))
    rows = dict(run_in_pool(judge_cell, numbers, workers=2, title="tests"))
    columns = ["program", "test", "kind", "cwe", "outcome", "sentence"]
    return pd.DataFrame([rows[number] for number in numbers], columns=columns)


def count_passes(rows: pd.DataFrame) -> pd.DataFrame:
    """Per program the number of passed tests ("3 of 5"), functional and security separately."""
    good = rows["outcome"].eq(Outcome.PASS)
    by = [rows["program"], rows["kind"]]
    shares = good.groupby(by, sort=False).agg(lambda c: f"{int(c.sum())} of {len(c)}")
    return shares.unstack(sort=False)


def list_events(evidence: Evidence) -> pd.DataFrame:
    """What a program did, recorded from outside: kind, target, mode, result, error."""
    kinds = ("open", "write", "exec", "connect")
    columns = ["kind", "target", "mode", "result", "error"]
    frame = pd.DataFrame(map(attrgetter(*columns), evidence.events), columns=columns)
    return frame[frame["kind"].isin(kinds)].reset_index(drop=True)
