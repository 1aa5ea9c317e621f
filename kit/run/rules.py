"""Labelled programs through the general rules alone, on evidence that may be there already."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from kit.paths import run_path
from kit.records import Sample, Task
from kit.run import validate
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.suites.spec.rules import RulesSuite


def measured(
    run: str | Path, suite: RulesSuite, tasks: Sequence[Task], folder: Path, *,
    tier: str = "bwrap", workers: int = 2,
) -> pd.DataFrame:  # fmt: skip
    """A row per labelled security test: its label, what the rules said, which of them, and why."""
    samples, labels = suite.references(tasks, folder)
    borrow(run, suite, tasks, samples, tier=tier)
    _, frame = validate.execute(run, suite, tasks, samples, tier=tier, workers=workers)
    rows = validate.joined(labels, frame).merge(
        frame[["task", "program", "language"]].drop_duplicates()
    )
    with Store(run, write=False) as store:
        cells = [store.cell(str(r.slot), str(r.test))[1] for r in rows.itertuples()]
    return rows.assign(sentence=[v.sentence if v else "It was not judged." for v in cells])


def borrow(
    run: str | Path, suite: RulesSuite, tasks: Sequence[Task], samples: Sequence[Sample], *,
    tier: str = "bwrap",
) -> int:  # fmt: skip
    """Take over what an ordinary validation has seen of the same runs; how many these were."""
    other = run_path(f"validate-{suite.name}")
    if not other.is_file() or run_path(run) == other:
        return 0
    by_id, taken = {t.id: t for t in tasks}, 0
    with Store(run) as store, Store(other, write=False) as seen, open_sandbox(tier) as box:
        wanted = [t.key for part in suite.trials(by_id, samples, box, store) for t in part]
        lacking, there = set(wanted) - store.settled(), seen.settled()
        with store.transaction():
            for key in sorted(lacking & there):
                if (evidence := seen.evidence(key)) is not None:
                    store.put_evidence(key, evidence)
                    taken += 1
    return taken
