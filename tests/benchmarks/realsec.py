"""How long a warm instance takes, against javac and JUnit's own console launcher with nothing else.

Warm: the repository's classes and the toolbox are there; a sample costs its class and its tests.
Bare: the same two commands on this machine, outside any sandbox, without coverage or archives; only
originals of ours are run so.
"""

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from kit.errors import KitError
from kit.sandbox import open_sandbox
from kit.sandbox.bwrap import Bwrap
from kit.systems.realsec import scan
from kit.systems.realsec.instance import Instance
from kit.systems.realsec.testing import JARS, LIBRARIES, LIMITS, Builder, Compiled

CONSOLE = ("junit-platform-console.jar", "junit-platform-reporting.jar",
           "open-test-reporting-events.jar", "open-test-reporting-tooling.jar",
           "picocli.jar")  # fmt: skip


def measure(instances: Sequence[Instance], *, rounds: int, engine: str) -> dict[str, Any]:
    """Median seconds of each stage, their shares, warm / bare, instances a minute.

    Rounds of warm and bare alternate, so that a busy machine slows both alike.
    """
    spent: dict[str, list[float]] = {s: [] for s in ("compile", "test", "javac", "junit")}
    with open_sandbox("bwrap", LIMITS) as box:
        builder = Builder(cast("Bwrap", box))
        for instance in instances:
            builder.classes(instance.repository)
        for _ in range(rounds):
            for instance in instances:
                _warm(builder, instance, spent)
                _bare(builder, instance, spent)
        batch = {i.id: (i, i.method.text) for i in instances}
        scanned = _timed(lambda: scan.scan(box, engine, batch))[0] / len(batch)
    median = {name: statistics.median(values) for name, values in spent.items()}
    warm, bare = median["compile"] + median["test"], median["javac"] + median["junit"]
    whole = warm + scanned
    parts = {"compile": median["compile"], "tests, coverage, exploit": median["test"],
             "scan, of one start for all": scanned}  # fmt: skip
    return {
        "instances": len(instances), "rounds": rounds, "load": round(os.getloadavg()[0], 1),
        "seconds": {n: round(s, 3) for n, s in parts.items()},
        "share": {n: round(s / whole, 3) for n, s in parts.items()},
        "bare seconds": {"javac": round(median["javac"], 3), "junit": round(median["junit"], 3)},
        "warm / bare": round(warm / bare, 2), "instances a minute": round(60 / whole, 1),
    }  # fmt: skip


def _timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def _names(instance: Instance) -> list[str]:
    return [*instance.data["test_functions"], *instance.data["exploit_functions"]]


def _warm(builder: Builder, instance: Instance, spent: dict[str, list[float]]) -> None:
    where, file = instance.repository, str(instance.data["file"])
    seconds, built = _timed(lambda: builder.compile(where, file, instance.source))
    compiled: Compiled = built
    spent["compile"].append(seconds)
    seconds, seen = _timed(
        lambda: builder.test(where, compiled, _names(instance), cover=instance.place[0])
    )
    if "missing" in seen.outcomes.values():
        raise KitError(f"{instance.id}: {seen.messages}")
    spent["test"].append(seconds)


def _bare(builder: Builder, instance: Instance, spent: dict[str, list[float]]) -> None:
    built = builder.classes(instance.repository)
    jars = [str(JARS / j) for j in (*LIBRARIES, *CONSOLE) if (JARS / j).exists()]
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "out"
        folders = [str(built / n) for n in ("main", "test", "stubs", "resources")]
        path = ":".join([str(out), *folders, *jars])
        source = instance.repository / str(instance.data["file"])
        javac = ["javac", "-proc:none", "-nowarn", "-g", "-d", str(out), "-cp", path, str(source)]
        spent["javac"].append(_timed(lambda: _run(javac, home))[0])
        chosen = [f"--select-method={name}" for name in _names(instance)]
        java = ["java", "-cp", path, "org.junit.platform.console.ConsoleLauncher", *chosen]
        spent["junit"].append(_timed(lambda: _run(java, home, 0, 1))[0])


def _run(line: list[str], home: str, *codes: int) -> None:
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=home)
    if done.returncode not in (codes or (0,)):
        raise KitError(f"`{line[0]}` ended with {done.returncode}: {done.stderr[-300:]}")
