"""What each of a repository's own tests executes: all of them, once, and kept.

Classes of tests are executed in batches. Where a batch does not end in its time, each of its
classes is executed alone: one that hangs loses its own remaining tests and no others.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kit.core.records import content_key
from kit.systems.realsec.instance import find_methods
from kit.systems.realsec.repository import EXPLOITS, Repository
from kit.systems.realsec.testing import WHOLE, Builder, keep_files, read_lines

TOGETHER = 8  # classes of tests in one box
TOGETHER_LIMITS = replace(WHOLE, wall_s=240, cpu_s=120, channel_kb=65_536)
ALONE_LIMITS = replace(TOGETHER_LIMITS, wall_s=180, cpu_s=90)
REPORTS, UNFINISHED = "reports", "unfinished.json"
END = b"\nend\t"  # what the launcher writes last


@dataclass(frozen=True)
class TracedTest:
    """One test of the repository as it is. executed: outermost class -> its lines that ran."""

    name: str
    outcome: str
    message: str
    seconds: float
    executed: Mapping[str, frozenset[int]]


@dataclass(frozen=True)
class Traces:
    """What the tests did. unfinished: class -> how its run ended before its last test."""

    tests: Sequence[TracedTest]
    unfinished: Mapping[str, str]


def trace_tests(builder: Builder, repository: Repository) -> Traces:
    """Every test that JUnit finds in the classes of the repository's own tests."""
    key = content_key(repository.digest, builder.tools.identity)[:24]
    folder = builder.home / f"traces-{key}"
    if not folder.exists():
        keep_files(folder, _run_batches(builder, repository))
    reports = (folder / REPORTS).read_text("utf-8", "replace")
    return Traces(read_reports(reports), json.loads((folder / UNFINISHED).read_text()))


def list_test_classes(repository: Repository) -> list[str]:
    """The outermost class of each file of tests, without the exploits beside a recipe."""
    exploits = repository.folder.resolve() / EXPLOITS
    names = []
    for folder in repository.list_folders("test"):
        if folder != exploits:
            for path in folder.rglob("*.java"):
                names.append(".".join(path.relative_to(folder).with_suffix("").parts))
    return sorted(names)


def _run_batches(builder: Builder, repository: Repository) -> dict[str, bytes]:
    """The files to keep: the launcher's reports, and which classes did not end."""
    owners = []
    for source in repository.read_sources("main").values():
        owners += [owner for owner, _ in find_methods(source)]
    prefix = os.path.commonprefix(owners) or "*"
    names = list_test_classes(repository)
    waiting = [names[at : at + TOGETHER] for at in range(0, len(names), TOGETHER)]
    reports = b""
    unfinished = {}
    while waiting:
        classes = waiting.pop(0)
        limits = TOGETHER_LIMITS if len(classes) > 1 else ALONE_LIMITS
        evidence = builder.trace(repository, classes, prefix=prefix, limits=limits)
        has_ended = END in b"\n" + evidence.channel
        if not has_ended and len(classes) > 1:
            waiting = [[name] for name in classes] + waiting
            continue
        reports += evidence.channel + b"\n"
        if not has_ended:
            exited = evidence.exit_code is not None
            end = f"exit code {evidence.exit_code}" if exited else str(evidence.status)
            unfinished[classes[0]] = end
    return {REPORTS: reports, UNFINISHED: json.dumps(unfinished).encode()}


def read_reports(reports: str) -> list[TracedTest]:
    """The tests in the launcher's reports, in the order in which they ended."""
    traced = []
    executed: dict[str, frozenset[int]] = {}
    for line in reports.split("\n"):
        parts = line.split("\t")
        if parts[0] == "traced" and len(parts) >= 3:
            outermost = parts[1].replace("/", ".").partition("$")[0]
            lines = executed.get(outermost, frozenset())
            executed[outermost] = lines | read_lines(parts[2])
        elif parts[0] == "test" and len(parts) >= 5:
            seconds = int(parts[4]) / 1000
            traced.append(TracedTest(parts[1], parts[2], parts[3], seconds, executed))
            executed = {}
    return traced
