"""Worker processes for notebooks: a wall-clock limit that kills the whole tree, no orphans."""

import json
import os
import selectors
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Generator, Iterable, Set
from dataclasses import dataclass
from typing import IO, Any

import psutil

# Two notebooks share two cores; a progress bar in a batch is a line per tick.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TQDM_DISABLE": "1",
}


@dataclass(frozen=True)
class Job:
    """One execution of a notebook; paths are absolute, `notes` is the file for kit.notes.

    figures: the folder for plots.save.
    """

    source: str
    output: str
    notes: str
    figures: str
    parameters: dict[str, Any]
    cell_s: float


class Worker:
    """A child process in a session of its own, executing one job at a time."""

    def __init__(self) -> None:
        self.log = tempfile.TemporaryFile()
        self.process = process = subprocess.Popen(
            [sys.executable, "-m", "kit.books.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            start_new_session=True,
            env={**os.environ, **ENVIRONMENT},
        )
        assert process.stdin is not None  # for both are pipes
        assert process.stdout is not None
        self.orders: IO[bytes] = process.stdin
        self.results: IO[bytes] = process.stdout
        self.started = 0.0
        self.dead = False

    def submit(self, job: Job) -> None:
        self.started = time.monotonic()
        self.orders.write(json.dumps(vars(job)).encode() + b"\n")
        self.orders.flush()

    def result(self) -> dict[str, Any]:
        """The result that has arrived; "died" where the process ended instead."""
        if line := self.results.readline():
            result: dict[str, Any] = json.loads(line)
            return result
        self.log.seek(0)
        last = self.log.read().decode(errors="replace").strip().rpartition("\n")[2]
        return self._ended("died", f"The process that ran the notebook ended: {last}")

    def overdue(self, wall_s: float) -> dict[str, Any]:
        return self._ended("timeout", f"The notebook took longer than {wall_s:g} s.")

    def _ended(self, status: str, error: str) -> dict[str, Any]:
        self.kill()
        return {"status": status, "error": error, "seconds": time.monotonic() - self.started}

    def kill(self) -> None:
        """End the process and all that it started: kernels lead sessions of their own."""
        try:
            top = psutil.Process(self.process.pid)
            tree = [top, *top.children(recursive=True)]
        except psutil.NoSuchProcess:
            tree = []
        for process in tree:  # from the top, so that none starts another
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self.dead = True
        self.process.wait()
        psutil.wait_procs(tree[1:], timeout=5)
        for pipe in (self.orders, self.results, self.log):
            pipe.close()


def execute(
    jobs: Iterable[Job], *, workers: int, wall_s: float
) -> Generator[tuple[Job, dict[str, Any]], None, None]:
    """Jobs with their results as they end; closing this, or Ctrl-C, kills what still runs."""
    waiting = deque(jobs)
    busy: dict[Worker, Job] = {}
    idle: list[Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                worker = idle.pop() if idle else Worker()
                busy[worker] = job = waiting.popleft()
                worker.submit(job)
            for worker, result in _ended(busy.keys(), wall_s):
                job = busy.pop(worker)
                if not worker.dead:
                    idle.append(worker)
                yield job, result
    finally:
        for worker in (*busy, *idle):
            worker.kill()


def _ended(busy: Set[Worker], wall_s: float) -> list[tuple[Worker, dict[str, Any]]]:
    """Wait for the next results or the next deadline."""
    with selectors.DefaultSelector() as selector:
        for worker in busy:
            selector.register(worker.results, selectors.EVENT_READ, worker)
        left = min(w.started for w in busy) + wall_s - time.monotonic()
        ready = {key.data for key, _ in selector.select(max(left, 0))}
    late = {w for w in busy - ready if time.monotonic() - w.started >= wall_s}
    return [(w, w.result()) for w in ready] + [(w, w.overdue(wall_s)) for w in late]
