"""Bounds the time and the size of a whole answer, by hooks of the HTTP client."""

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from kit.generation.base import MalformedAnswer

MOST_MB = 32  # of an answer, unpacked


@dataclass
class Guard:
    """Within it the connection of a client with these hooks ends after `seconds`; then it is late.

    A client's own time limit is for each part that arrives, so a slow stream would never end.
    """

    seconds: float
    late: bool = False
    _socket: Any = field(default=None, repr=False)

    def __enter__(self) -> "Guard":
        self._timer = threading.Timer(self.seconds, self._end)
        self._timer.daemon = True
        self._timer.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._timer.cancel()

    @property
    def hooks(self) -> dict[str, list[Any]]:
        def attach_trace(request: Any) -> None:
            request.extensions["trace"] = self._keep_socket

        return {"request": [attach_trace], "response": [_limit_size]}

    def _keep_socket(self, event: str, details: dict[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._socket = details["return_value"].get_extra_info("socket")
            if self.late:
                self._end()

    def _end(self) -> None:
        self.late = True
        with suppress(OSError, AttributeError):  # closed already, or not yet open
            self._socket.shutdown(socket.SHUT_RDWR)


def _limit_size(response: Any) -> None:
    pieces = response.iter_bytes

    def count_bytes() -> Iterator[bytes]:
        size = 0
        for piece in pieces():
            size += len(piece)
            if size > MOST_MB * 2**20:
                raise MalformedAnswer(f"it sent more than {MOST_MB} MB.")
            yield piece

    response.iter_bytes = count_bytes
