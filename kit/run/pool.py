"""Runs many calls at once in a thread pool with a progress bar; counts the results of a stage."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tqdm.auto import tqdm

from kit.generation.cost import BudgetReached

EVERY_S = 30.0  # seconds between two progress lines


@dataclass
class Tally:
    """The results of a stage: cached, fresh, infrastructure failures, and work left to do."""

    cached: int = 0
    fresh: int = 0
    infra: int = 0
    left: int = 0
    note: str = ""

    def __str__(self) -> str:
        text = f"{self.cached} stored, {self.fresh} new"
        if self.infra:
            text += f", {self.infra} infrastructure failures"
        if self.left:
            text += f", {self.left} left"
        if self.note:
            text += f" ({self.note})"
        return text

    def __add__(self, other: "Tally") -> "Tally":
        note = "; ".join(dict.fromkeys(filter(None, (self.note, other.note))))
        return Tally(
            self.cached + other.cached,
            self.fresh + other.fresh,
            self.infra + other.infra,
            self.left + other.left,
            note,
        )


def run_in_pool(
    work: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    workers: int,
    title: str,
    patient: bool = True,
) -> Iterator[tuple[Any, Any]]:
    """Yield (item, result) as they finish; after an interrupt, items in flight are still yielded.

    patient: False does not wait for them, for calls that may hang. To bound memory, at most three
    items per worker are in flight. Without a terminal, a line on stderr every half minute reports
    progress.
    """
    items = list(items)
    threads = ThreadPoolExecutor(workers)
    bar = tqdm(total=len(items), desc=title, unit="run", disable=None, leave=False)
    flying: dict[Future[Any], Any] = {}
    queue = iter(items)
    stop: KeyboardInterrupt | BudgetReached | None = None
    count = 0
    reported = time.monotonic()
    quiet = not sys.stderr.isatty()
    try:
        while True:
            room = 3 * workers - len(flying) if stop is None else 0
            for item in islice(queue, room):
                flying[threads.submit(work, item)] = item
            if not flying:
                break
            try:
                for future in wait(flying, EVERY_S, return_when=FIRST_COMPLETED).done:
                    item = flying.pop(future)
                    bar.update()
                    count += 1
                    yield item, future.result()
                if quiet and time.monotonic() - reported > EVERY_S:
                    reported = time.monotonic()
                    print(f"{title}: {count} of {len(items)}", file=sys.stderr, flush=True)
            except (KeyboardInterrupt, BudgetReached) as reason:
                stop = stop or reason
                if not patient and isinstance(reason, KeyboardInterrupt):
                    break
                for future in [*flying]:
                    if future.cancel():
                        del flying[future]
    finally:
        bar.close()
        waits = patient or not isinstance(stop, KeyboardInterrupt)
        threads.shutdown(wait=waits, cancel_futures=True)
    if stop is not None:
        raise stop
