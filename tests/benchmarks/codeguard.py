"""How many completions a second the completion suite judges, and what the time goes to."""

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.records import Evidence, Sample, Trial
from kit.run.pipeline import evaluate
from kit.sandbox import Sandbox, open_sandbox
from kit.store import Store
from kit.systems.codeguard.scan import SAST
from kit.systems.codeguard.suite import CompletionSuite
from tests.benchmarks.throughput import even

COMMENT = {"python": "#", "c": "//"}


class _Timed(CompletionSuite):
    """The suite, with the seconds of each kind of trial."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = {"unit tests": 0.0, "static analysis": 0.0}

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        start = time.perf_counter()
        try:
            return super().execute(trial, box)
        finally:
            kind = "static analysis" if trial.kind == SAST else "unit tests"
            self.seconds[kind] += time.perf_counter() - start


def measure(*, limit: int | None = None) -> dict[str, Any]:
    """Completions a second, executed, scanned and judged by one worker; shares of the seconds.

    limit: labelled completions of each language. Each gets a comment of its own, so that no program
    was compiled before; exploit tests are among the unit tests.
    """
    suite = _Timed()
    tasks = list(suite.load().tasks)
    chosen = [_fresh(s) for s in even(suite.references(tasks)[0], limit)]
    if not chosen:
        raise KitError("No labelled completions to judge. Write completions/labels.json.")
    with tempfile.TemporaryDirectory(prefix="kit-bench-") as home:
        spent = _pass(Path(home), suite, chosen)
    told = {"completions": len(chosen), "seconds": round(spent, 2), "workers": 1}
    told |= {"completions a second": round(len(chosen) / spent, 3)}
    shares = {f"share of {k}": round(s / spent, 3) for k, s in suite.seconds.items()}
    rest = round(1 - sum(suite.seconds.values()) / spent, 3)
    return {**told, **shares, "share of all else": rest, "load": round(os.getloadavg()[0], 2)}


def _fresh(sample: Sample) -> Sample:
    mark = f"{COMMENT[sample.language]} {os.urandom(8).hex()}\n"
    return replace(sample, code=sample.code.rstrip("\n") + "\n" + mark)


def _pass(run: Path, suite: CompletionSuite, samples: Sequence[Sample]) -> float:
    tasks = [t for t in suite.load().tasks if t.id in {s.task for s in samples}]
    with Store(run) as store, open_sandbox("bwrap", suite.limits) as box:
        store.plan(tasks, samples)
        for sample in samples:
            store.put_sample(sample)
        start = time.perf_counter()
        tally = evaluate(store, suite, tasks, box, workers=1)
        if tally.infra:
            raise KitError(f"{tally.infra} tests could not be run: {tally.note}")
        return time.perf_counter() - start
