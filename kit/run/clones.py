"""Defines what a clone is read into: a Benchmark with tasks, tests and labelled programs.

A clone is only read. Its commit is read from the files in .git, without running git, so that no
program from the clone, such as a hook, ever starts.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kit.core.errors import KitError
from kit.core.records import Task

WHY = "A label of the benchmark's authors."
NO_LICENCE = "none stated"


@dataclass(frozen=True)
class Reference:
    """A program that the benchmark's authors labelled. labels: per test, "pass" or "fail"."""

    task: str
    name: str  # "patched", "vulnerable"
    kind: str  # "secure", "functional_but_insecure"
    language: str
    code: str
    labels: Mapping[str, str]


@dataclass(frozen=True)
class Benchmark:
    """What a clone holds. problems: a sentence for each item that is not a usable task."""

    origin: str
    tasks: tuple[Task, ...]
    references: tuple[Reference, ...]
    problems: tuple[str, ...] = ()


def describe_origin(clone: Path, source: str) -> str:
    """Where a clone is from: owner/name on GitHub, its commit if it is known, its licence."""
    number = read_commit(clone)[:12]
    return f"{source}{f'@{number}' if number else ''}, licence {read_licence(clone)}"


def read_licence(clone: Path) -> str:
    """The licence's name: the first line with text in the clone's licence file."""
    for path in sorted(clone.glob("LICEN[CS]E*")):
        lines = (line.strip() for line in path.read_text(errors="replace").splitlines())
        if first := next(filter(None, lines), ""):
            return first[:80]
    return NO_LICENCE


def read_commit(clone: Path) -> str:
    """The commit that the clone's HEAD names; "" if it cannot be read."""
    git = clone / ".git"
    try:
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return _check_hash(head)
        name = head.removeprefix("ref: ")
        if (git / name).is_file():
            return _check_hash((git / name).read_text().strip())
        packed = (git / "packed-refs").read_text().splitlines()
    except OSError:
        return ""
    return next((_check_hash(n.split()[0]) for n in packed if n.endswith(f" {name}")), "")


def _check_hash(text: str) -> str:
    return text if re.fullmatch(r"[0-9a-f]{40,64}", text) else ""


def clone_of(path: Path | None, source: str, holds: str) -> Path:
    """Return `path`; KitError with the command to type if it is None or not a clone of `source`."""
    if path is None or not (path / holds).exists():
        what = f"{path} is not a clone of it" if path else "no folder is given"
        name = source.partition("/")[2]
        raise KitError(
            f"The tasks of {source} are not part of the kit, and {what} (no {holds}). "
            f"Type: git clone https://github.com/{source} && add --data {name}"
        )
    return path
