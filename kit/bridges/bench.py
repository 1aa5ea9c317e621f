"""What a sandboxed run costs (`kit doctor sandbox`), how often intervals hold the truth.

Costs are ratios of CPU time to the same program with less around it; coverage is counted over
simulated runs whose truth is known.
"""

import contextlib
import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd
import psutil
from docker.errors import ImageNotFound
from numpy.typing import NDArray
from scipy import special

from kit import harness
from kit.cli.options import as_json, emit, workers_option
from kit.languages import LANGUAGES
from kit.measures.measure import Metric, ends
from kit.metrics import correction, stats
from kit.metrics.bootstrap import clusters
from kit.records import Task, Test
from kit.sandbox import Sandbox, docker, open_sandbox

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
    with open_sandbox("bwrap") as box, ThreadPoolExecutor(workers) as pool:
        actions: dict[str, tuple[Callable[[], None], int]] = {
            "bare": (bare, each),
            "bwrap": (partial(boxed, box), each),
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
    ratios = {name: "bare" for name in ("bwrap", "unobserved")}
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


SHAPE = (0.8, 1.2)  # of the Beta distribution of a task's share of secure programs: mean 0.4
GRID = special.betaincinv(*SHAPE, (np.arange(20_000) + 0.5) / 20_000)


@dataclass(frozen=True)
class World:
    """How an oracle abstains and errs: shares of the truly secure and of the truly insecure."""

    name: str
    silent_secure: float = 0.0
    silent_insecure: float = 0.0
    wrong: float = 0.0  # of what it decides


WORLDS = (
    World("decides all"),
    World("silent at random", 0.3, 0.3),
    World("silent on the secure only", 0.4, 0.0),
    World("silent on the insecure only", 0.0, 0.4),
    World("silent on the secure mostly", 0.45, 0.1),
    World("hardly silent", 0.04, 0.0),
)
CALIBRATED = (
    World("silent at random, errs", 0.3, 0.3, 0.05),
    World("silent on the secure mostly, errs", 0.45, 0.1, 0.05),
)


def at_k(chance: NDArray[Any], k: int) -> float:
    """The mean over tasks of 1 - (1 - chance)^k, `chance` being each task's."""
    return float(np.mean(1 - (1 - chance) ** k))


def drawn(world: World, tasks: int, samples: int, rng: np.random.Generator) -> pd.DataFrame:
    """A run's tidy table, one security test a program, with the `truth` beside."""
    share = np.repeat(rng.beta(*SHAPE, size=tasks), samples)
    truth = rng.random(share.size) < share
    silent = rng.random(share.size) < np.where(truth, world.silent_secure, world.silent_insecure)
    heard = truth ^ (rng.random(share.size) < world.wrong)
    outcome = np.where(silent, "unknown", np.where(heard, "pass", "fail"))
    names = {"suite": "simulated", "model": "m", "test": "s", "kind": "security"}
    return pd.DataFrame({
        "task": np.repeat(np.arange(tasks), samples), "sample": np.tile(np.arange(samples), tasks),
        "status": "completed", "outcome": outcome, "truth": truth, **names,
    })  # fmt: skip


def coverage(
    *,
    rng: np.random.Generator,
    runs: int = 500,
    tasks: int = 100,
    samples: int = 1,
    k: Sequence[int] = (1,),
    n_boot: int = 500,
    worlds: Sequence[World] = WORLDS,
) -> pd.DataFrame:
    """How often the 95 % interval of secure@k holds the truth, both ends of what can be known, and
    how often the interval of the lower bound alone, once printed as that of the estimate, does.

    Tasks are drawn anew for every run. lower end, upper end: the least and the greatest truth that
    agree with all that the oracle will ever say; Imbens and Manski promise 95 % at each of them,
    and more between. hold: shares of `runs`, whose own standard error is 1 % at 500 runs.
    """
    rows = []
    for world in worlds:
        limits = np.array([_once(world, tasks, samples, k, n_boot, rng) for _ in range(runs)])
        for number, x in enumerate(k):
            ends, of_k = _truth(world, x), limits[:, number]
            holds = {f"holds {name}": _held(of_k[:, :2], end) for name, end in ends.items()}
            rows.append({"oracle": world.name, "samples": samples, "metric": f"secure@{x}", **ends,
                         **holds, "lower bound's alone": _held(of_k[:, 2:], ends["truth"]),
                         "runs": runs})  # fmt: skip
    return pd.DataFrame(rows)


def calibrated(
    *,
    rng: np.random.Generator,
    runs: int = 500,
    tasks: int = 100,
    samples: int = 1,
    k: Sequence[int] = (1,),
    n_boot: int = 500,
    worlds: Sequence[World] = CALIBRATED,
) -> pd.DataFrame:
    """How often the calibrated interval holds the truth: labels of `tasks` more tasks are known.

    Rogan and Gladen's correction with silence taken for "not called secure", in the run and in the
    labels; the labelled programs are of the same kind as those of the run.
    """
    rows = []
    for world in worlds:
        limits = []
        for _ in range(runs):
            known, run = (drawn(world, tasks, samples, rng) for _ in range(2))
            errors = correction.calibration(known["outcome"] == "pass", known["truth"],
                                            known["task"])  # fmt: skip
            data = clusters((run["outcome"] == "pass").astype(float), run["task"])
            each = (correction.corrected_at_k(data, errors, k=x, rng=rng, n_boot=n_boot) for x in k)
            limits.append([(i.low, i.high) for i in each])
        for number, x in enumerate(k):
            truth = at_k(GRID, x)
            rows.append({"oracle": world.name, "samples": samples, "metric": f"secure@{x}",
                         "truth": truth, "holds truth": _held(np.array(limits)[:, number], truth),
                         "runs": runs})  # fmt: skip
    return pd.DataFrame(rows)


def _once(
    world: World, tasks: int, samples: int, k: Sequence[int], n_boot: int,
    rng: np.random.Generator,
) -> list[tuple[float, float, float, float]]:  # fmt: skip
    """Per k the limits of the interval, and of the one around the lower bound as if it were all."""
    run = drawn(world, tasks, samples, rng)
    low, high = run["outcome"] == "pass", run["outcome"] != "fail"
    chosen = [Metric(f"secure@{x}", "any", "secure", x) for x in k]
    options: dict[str, Any] = {"rng": rng, "n_boot": n_boot, "level": 0.95, "within": True}
    intervals = []
    for sides in ((low, high), (low, low)):
        rows = dict(zip(("secure_low", "secure_high"), (e.astype(int) for e in sides), strict=True))
        intervals.append(ends(chosen, pd.DataFrame(rows), run["task"].to_numpy(), **options))
    return [(i.low, i.high, alone.low, alone.high)
            for (_, i), (_, alone) in zip(*intervals, strict=True)]  # fmt: skip


def _truth(world: World, k: int) -> dict[str, float]:
    """The truth, and the ends of what the oracle leaves open, for an oracle that never errs."""
    chances = {
        "truth": GRID,
        "lower end": GRID * (1 - world.silent_secure),
        "upper end": 1 - (1 - GRID) * (1 - world.silent_insecure),
    }
    return {name: at_k(chance, k) for name, chance in chances.items()}


def _held(limits: NDArray[Any], value: float) -> float:
    return float(np.mean((limits[:, 0] <= value) & (value <= limits[:, 1])))


def text(told: dict[str, pd.DataFrame]) -> str:
    """Both tables, in percent."""
    parts = []
    for title, rows in told.items():
        percent = {name: (100 * rows[name]).map("{:.1f}".format)
                   for name in rows.select_dtypes("float")}  # fmt: skip
        parts.append(f"{title}\n{rows.assign(**percent).to_string(index=False)}")
    return "\n\n".join(parts)


def tables(*, runs: int) -> dict[str, pd.DataFrame]:
    """Both tables, from one named seed: one sample a task, and secure@3 of five samples."""
    rng = stats.seed("coverage")
    designs: tuple[dict[str, Any], ...] = ({"samples": 1}, {"samples": 5, "k": (1, 3)})
    return {
        name: pd.concat([table(rng=rng, runs=runs, **d) for d in designs], ignore_index=True)
        for name, table in (("95 % intervals of a run without calibration", coverage),
                            ("95 % intervals with a calibration", calibrated))
    }  # fmt: skip


@click.command()
@click.option("--runs", type=click.IntRange(10), default=200, show_default=True,
              help="Runs of each kind that is measured.")  # fmt: skip
@workers_option
@as_json
def sandbox_command(runs: int, workers: int, as_json: bool) -> None:
    """CPU time of a sandboxed run against a bare interpreter, runs a second, and the load."""
    result = sandbox(runs=runs, workers=workers)
    emit(result, as_json, result.items())


@click.command()
@click.option("--runs", type=click.IntRange(10), default=500, show_default=True,
              help="Simulated runs of each oracle.")  # fmt: skip
@as_json
def coverage_command(runs: int, as_json: bool) -> None:
    """How often printed intervals hold the truth, in simulated runs whose truth is known.

    Without calibration the interval holds the true value with 95 % at either end of what the
    oracle leaves open, and with more between. Two-stage resampling is a little wider where tasks
    have several samples.
    """
    result = tables(runs=runs)
    emit(result, as_json, text(result))
