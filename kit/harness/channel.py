"""The return channel as the host reads it: lines that ran, and answers, within bounds."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEPTH = 100
_ODD = {"NaN": "nan", "Infinity": "inf", "-Infinity": "-inf"}


@dataclass(frozen=True)
class Answers:
    """What came: covered lines in order, and every object that could be read."""

    lines: tuple[int, ...] = ()
    objects: tuple[Mapping[str, Any], ...] = ()

    def part(self, key: str) -> Mapping[str, Any]:
        """The object under `key` in the last object that has it; empty if it is none."""
        found = self.last(key).get(key)
        return found if isinstance(found, dict) else {}

    def last(self, key: str) -> Mapping[str, Any]:
        """The last complete object that has `key`; empty if none has."""
        return next((o for o in reversed(self.objects) if key in o), {})


def read(data: bytes) -> Answers:
    """Whatever can be read of a channel; a broken, cut or too deep line is left out."""
    messages = list(_messages(data))
    lines = {m for m in messages if isinstance(m, int) and not isinstance(m, bool)}
    return Answers(
        tuple(sorted(n for n in lines if 0 < n < 1_000_000)),
        tuple(m for m in messages if isinstance(m, dict)),
    )


def _messages(data: bytes) -> Iterator[Any]:
    for line in data.split(b"\n"):
        try:
            message = json.loads(line, parse_constant=lambda name: {"__float__": _ODD[name]})
        except (ValueError, RecursionError):
            continue
        if not _too_deep(message):
            yield message


def _too_deep(message: Any) -> bool:
    level = [message]
    for _ in range(DEPTH):
        if not level:
            return False
        inner = (
            v.values() if isinstance(v, dict) else v for v in level if isinstance(v, (dict, list))
        )
        level = [value for values in inner for value in values]
    return bool(level)


def raised(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an Observed that describe an exception; empty texts where there is none."""
    bases = answer.get("bases", ())
    return {
        "exception": str(answer.get("exception", "")),
        "bases": tuple(map(str, bases)) if isinstance(bases, (list, tuple)) else (),
        "message": str(answer.get("message", "")),
    }
