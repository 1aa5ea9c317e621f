"""How many requests a service gets at once: half as many after a 429, one more after each round."""

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Window:
    """One for all threads that ask a model. Unbounded until the service first says "too many"."""

    def __init__(self) -> None:
        self.size = math.inf
        self.under_way = 0
        self.not_before = self.shrunk_at = 0.0  # of time.monotonic()
        self._changed = threading.Condition()

    @contextmanager
    def place(self) -> Iterator[float]:
        """Wait for room, then hold a place; the time at which the request is sent."""
        with self._changed:
            while (pause := self.not_before - time.monotonic()) > 0 or self.under_way >= self.size:
                self._changed.wait(pause if pause > 0 else None)
            self.under_way += 1
        try:
            yield time.monotonic()
        finally:
            with self._changed:
                self.under_way -= 1
                self._changed.notify_all()

    def shrink(self, sent: float, wait_s: float) -> bool:
        """After a 429: nobody asks for wait_s; of one round's many refusals the first counts.

        True where others may have been the reason: they were under way when this one was sent.
        """
        with self._changed:
            now, crowded = time.monotonic(), sent < self.shrunk_at or self.under_way > 0
            self.not_before = max(self.not_before, now + wait_s)
            if sent >= self.shrunk_at:
                self.size = max(1.0, min(self.size, self.under_way + 1) / 2)
                self.shrunk_at = now
            return crowded

    def grow(self) -> None:
        """After an answer."""
        with self._changed:
            self.size += 1 / self.size
            self._changed.notify_all()
