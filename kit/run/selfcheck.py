"""The runs in which a suite lets models answer, to see whether it finds what it must."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kit.paths import run_path
from kit.records import Task
from kit.run.job import Job
from kit.suite import Go, Suite


def runs_below(run: str | Path, suite: Suite, *, tier: str = "bwrap", workers: int = 2) -> Go:
    """What Suite.selfcheck calls: each run is a folder of its own below the folder of `run`."""
    home = run_path(run).parent

    def go(name: str, tasks: Sequence[Task], model: str, settings: Any) -> Path:
        job = Job(suite.configured(settings), tasks, model, settings)
        job.go(str(home / name), tier=tier, workers=workers)
        return home / name

    return go
