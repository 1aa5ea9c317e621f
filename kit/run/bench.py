"""What a sandboxed run costs, as ratios of CPU time to the same program with less around it."""

import contextlib
import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psutil
from docker.errors import ImageNotFound

from kit import harness
from kit.languages import LANGUAGES
from kit.records import Task, Test
from kit.sandbox import Limits, Sandbox, docker, open_sandbox
from kit.sandbox.bwrap import Bwrap

(PYTHON,), (NODE,) = LANGUAGES["python"].command, LANGUAGES["javascript"].command
PROGRAM = [PYTHON, "-I", "-c", "print(1)"]
BARE = {"python": [PYTHON, "-I", "-c", "pass"], "javascript": [NODE, "-e", "0"]}
TASK = Task("idle", "idle", "Write f(n).", (Test("t", "functional", input={"n": 3}, expected=3),))
IDLE = {
    "python": "def f(n):\n    return n\n",
    "javascript": "function f(n) { return n }\nmodule.exports = { f };\n",
    "cpp": "int f(int n) { return n; }\n",
    "c": "int f(int n) { return n; }\n",
}
ROUNDS = 10
SINGLE = 40  # runs of one worker


def bare(line: list[str] = PROGRAM) -> None:
    """A program with nothing around it but a subprocess and its pipes."""
    subprocess.run(line, capture_output=True, check=True, env={}, cwd="/")


def contained() -> None:
    """The same program in a container of its own, as `docker run` makes it."""
    line = ["docker", "run", "--rm", "--network", "none", docker.tag(), *PROGRAM]
    subprocess.run(line, capture_output=True, check=True)


def boxed(box: Sandbox, *, observe: bool = True) -> None:
    """The same program in a fresh box, its evidence collected."""
    if (evidence := box.run(PROGRAM, observe=observe)).out != "1\n":
        raise RuntimeError(f"the program did not run: {evidence.status} {evidence.note}")


def tested(box: Sandbox, language: str) -> None:
    """A whole test of a program that returns what it is given, from the plan to the observation."""
    evidence = harness.run(box, TASK, TASK.tests[0], IDLE[language], language=language)
    if evidence.observed.value != 3:
        raise RuntimeError(f"the test did not run: {evidence.status} {evidence.note}")


def _rate(pool: ThreadPoolExecutor, action: Callable[[], None], times: int) -> tuple[float, float]:
    """Runs a second, and seconds of CPU time for a run."""
    start, before = time.perf_counter(), _cpu_s()
    list(pool.map(lambda _: action(), range(times)))
    return times / (time.perf_counter() - start), (_cpu_s() - before) / times


def _cpu_s() -> float:
    """CPU time of the whole tree of processes below this one, those that have ended included."""
    here, spent = psutil.Process(), 0.0
    for process in (here, *here.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            spent += sum(process.cpu_times()[:4])
    return spent


def sandbox(*, runs: int = 200, workers: int = 2) -> dict[str, float | int | str | None]:
    """Runs a second, CPU time as ratios (medians over interleaved rounds), memory, time of one run.

    Ratios are to a bare interpreter, and hold on a busy machine too; runs a second do not: see the
    load. What `docker run` takes is the engine's CPU time, not ours, so it has no ratio. "a python
    test" goes through the harness, and is measured by the interpreter doing nothing.
    """
    each = max(1, runs // ROUNDS)
    few = max(workers, each // 5)
    rss: list[float] = []
    with (
        open_sandbox("bwrap") as box,
        Bwrap(Limits(), tracer="strace") as old,
        ThreadPoolExecutor(workers) as pool,
    ):
        actions: dict[str, tuple[Callable[[], None], int]] = {
            "bare": (bare, each),
            "bwrap": (partial(boxed, box), each),
            "bwrap, strace": (partial(boxed, old), each),
            "unobserved": (partial(boxed, box, observe=False), few),
        }
        for language, line in BARE.items():
            actions[f"bare {language}"] = (partial(bare, line), each)
            actions[f"a {language} test"] = (partial(tested, box, language), each)
        if not docker.missing():
            with contextlib.suppress(ImageNotFound), contextlib.closing(docker.connect()) as client:
                if client.images.get(docker.tag()):
                    actions["docker run"] = (contained, workers)
        for action, _ in actions.values():
            _rate(pool, action, workers * 2)
        rates: dict[str, list[tuple[float, float]]] = {name: [] for name in actions}
        for _ in range(ROUNDS):
            for name, (action, times) in actions.items():
                rates[name].append(_rate(pool, action, times))
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            rss.append(pages * resource.getpagesize() / 2**20)
        single = _single_ms(box)
    ratios = {name: "bare" for name in ("bwrap", "bwrap, strace", "unobserved")}
    ratios |= {f"a {language} test": f"bare {language}" for language in BARE}
    return {
        "runs": each * ROUNDS,
        "workers": workers,
        "load": round(os.getloadavg()[0], 2),
        **{f"{name} per second": round(statistics.median(runs for runs, _ in pairs), 1)
           for name, pairs in rates.items()},
        **{f"CPU time, {name} / {base}": round(statistics.median(
            ours / theirs for (_, ours), (_, theirs) in zip(rates[name], rates[base], strict=True)
        ), 2) for name, base in ratios.items()},
        "memory at first, MB": round(rss[0], 1),
        "memory at last, MB": round(rss[-1], 1),
        "memory at its peak, MB": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1
        ),
        **single,
    }  # fmt: skip


def _mean_ms(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    for _ in range(SINGLE):
        action()
    return round((time.perf_counter() - start) / SINGLE * 1000, 2)


def _single_ms(box: Sandbox) -> dict[str, float]:
    """Milliseconds of one run with one worker; "our own work" is CPU time of the kit."""
    times = {
        "ms, bare": _mean_ms(bare),
        "ms, unobserved": _mean_ms(lambda: boxed(box, observe=False)),
    }
    start = time.thread_time()
    times["ms, bwrap"] = _mean_ms(lambda: boxed(box))
    times["ms, our own work"] = round((time.thread_time() - start) / SINGLE * 1000, 2)
    return times
