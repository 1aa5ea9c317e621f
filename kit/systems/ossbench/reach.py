"""Which functions each test run of the original reaches, and each single test.

The original runs with a mark in every function. Where each test of a run is a process of its own,
they run one after the other, and a mark belongs to the test whose result is printed next.
"""

import base64
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kit.core.records import Evidence, Observed, Status
from kit.run.pool import run_in_pool
from kit.systems.ossbench.project import TestRun
from kit.systems.ossbench.testsuite import (
    EXECUTED,
    ProjectTests,
    bad_ending,
    channel_records,
    split_channel,
)
from kit.systems.ossbench.toolchain import CORES

CHANNEL_KB = 256 << 10  # 4,000 tests of PHP say some 1,500 numbers each

Numbers = NDArray[np.int64]  # of functions


@dataclass(frozen=True)
class ReachByTest:
    """The functions that each test of a run reaches: a line of bits for each function."""

    tests: Sequence[str]
    lines: NDArray[np.uint8]

    @classmethod
    def unpack(cls, value: Mapping[str, Any]) -> "ReachByTest":
        data = zlib.decompress(base64.b64decode(value["bits"]))
        lines = np.frombuffer(data, dtype=np.uint8).reshape(value["functions"], -1)
        return cls(value["tests"], lines)

    def find_unconcerned(self, functions: Iterable[int]) -> set[str]:
        """The tests that reach none of these functions."""
        known = [number for number in functions if number < len(self.lines)]
        line = np.bitwise_or.reduce(self.lines[known], axis=0)
        bits = np.unpackbits(line, count=len(self.tests))
        return {test for test, bit in zip(self.tests, bits, strict=True) if not bit}


def pack_reach(by_test: Mapping[str, Numbers], every: Collection[int]) -> dict[str, Any]:
    """What ReachByTest is made of, for a record. every: functions that belong to each test.

    Lines of functions are alike, those of tests are not, so that they take a tenth of the room.
    """
    numbers = np.concatenate([*by_test.values(), np.array(sorted(every), dtype=np.int64)])
    bits = np.zeros((int(numbers.max(initial=0)) + 1, len(by_test)), dtype=bool)
    for column, reached in enumerate(by_test.values()):
        bits[reached, column] = True
    bits[sorted(every)] = True
    data = zlib.compress(np.packbits(bits, axis=1).tobytes(), 9)
    text = base64.b64encode(data).decode()
    return {"tests": list(by_test), "functions": len(bits), "bits": text}


@dataclass(frozen=True)
class RunReach:
    """What one test run reached. ended: why it ended badly, so that it may reach more.

    tests: what ReachByTest is made of; None where its tests cannot be told apart.
    """

    functions: frozenset[int]
    ended: str
    wall_s: float
    tests: Mapping[str, Any] | None = None


def measure_reach(suite: ProjectTests) -> Evidence:
    """What the test runs of the marked original reach."""
    runs = {run.name: run for run in suite.project.runs if run.program in suite.programs}

    def follow(name: str) -> RunReach:
        return follow_run(suite, runs[name])

    done = dict(run_in_pool(follow, runs, workers=CORES, title="coverage"))
    reached: dict[str, list[int]] = {}
    tests: dict[str, Mapping[str, Any]] = {}
    for name in runs:
        run = done[name]
        if not run.ended:
            reached[name] = sorted(run.functions)
            if run.tests is not None:
                tests[name] = run.tests
    value = {"reached": reached, "tests": tests, "note": suite.note}
    wall_s = sum(run.wall_s for run in done.values())
    return Evidence(Status.COMPLETED, wall_s=wall_s, observed=Observed("value", value))


def follow_run(suite: ProjectTests, run: TestRun) -> RunReach:
    """One test run of the marked original; with the reach of its tests, where it can be had."""
    form = run
    if run.serial:
        form = replace(run, argv=run.serial, wall_s=2 * run.wall_s)
    first, evidence, nonce = _start(suite, form)
    if first.ended or not run.serial:
        return first
    parse = partial(suite.project.parse, run.name)
    by_test, own = separate_tests(evidence.channel, nonce, parse)
    # What a run does besides its tests is seen where it has two small ones.
    small = sorted(by_test, key=lambda test: len(by_test[test]))[:2]
    narrow = suite.project.narrow(run, small)
    if not small or narrow == run:
        return first
    second, _, _ = _start(suite, narrow)
    if second.ended:
        return first
    of_small = np.concatenate([by_test[test] for test in small])
    every = own | second.functions.difference(of_small.tolist())
    return RunReach(
        first.functions | second.functions,
        "",
        first.wall_s + second.wall_s,
        pack_reach(by_test, every),
    )


def _start(suite: ProjectTests, run: TestRun) -> tuple[RunReach, Evidence, str]:
    evidence, nonce = suite.observe(run, suite.environment(), channel_kb=CHANNEL_KB)
    output = channel_records(evidence.channel, nonce)
    reach = RunReach(output.executed, bad_ending(evidence, output), evidence.wall_s)
    return reach, evidence, nonce


def separate_tests(
    channel: bytes, nonce: str, parse: Callable[[str], Mapping[str, bool]]
) -> tuple[dict[str, Numbers], frozenset[int]]:
    """(test -> what was reached since the result before its own, what the runner itself reached).

    parse: what was printed -> its tests.
    """
    by_test: dict[str, Numbers] = {}
    own: set[int] = set()
    printed = b""
    log = b""
    for kind, data in split_channel(channel, nonce):
        if kind == "":
            log += data
        elif kind == "own":
            own.add(int(data))
        elif kind == "out":
            printed += data
            tests = parse(printed.decode("utf-8", "replace")) if printed.endswith(b"\n") else {}
            if tests:
                numbers = np.unique(np.array(EXECUTED.findall(log)).astype(np.int64))
                for test in tests:
                    by_test[test] = np.union1d(by_test.get(test, numbers), numbers)
                printed = log = b""
    return by_test, frozenset(own)
