"""Measures the overhead of the sandbox, and how often intervals hold the truth.

Overhead is the ratio of CPU time to that of a plain subprocess; coverage is counted over simulated
runs whose true values are known.
"""

import contextlib
import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import psutil
from scipy import special

from kit import harness
from kit.core.languages import LANGUAGES
from kit.core.records import Evidence, Task, Test
from kit.sandbox import Sandbox, open_sandbox
from kit.scoring import correction
from kit.scoring.bootstrap import group_by_task
from kit.scoring.measure import Metric, bound_metrics
from kit.scoring.stats import Interval

(PYTHON,), (NODE,) = LANGUAGES["python"].command, LANGUAGES["javascript"].command
PROGRAM = [PYTHON, "-I", "-c", "print(1)"]
BARE = {"python": [PYTHON, "-I", "-c", "pass"], "javascript": [NODE, "-e", "0"]}
TASK = Task("idle", "idle", "Write f(n).", (Test("t", "functional", input={"n": 3}, expected=3),))
C = "int f(int n) { return n; }\n"
FUNCTION = """import json
import re
from collections import Counter


def f(n):
    counts = Counter(re.findall("[0-9]+", json.dumps({"n": n})))
    return int(counts.most_common(1)[0][0])
"""
JAVASCRIPT = "function f(n) { return n }\nmodule.exports = { f };\n"
IDLE = {"python": FUNCTION, "cpp": C, "c": C, "javascript": JAVASCRIPT}
ROUNDS = 10
RATIOS = (
    ("print(1)", "bare print(1)"),
    ("unwatched print(1)", "bare print(1)"),
    ("print(1)", "unwatched print(1)"),
    ("a python test", "bare python"),
    ("a python test", "an unwatched python test"),
    ("a javascript test", "bare javascript"),
)


class Unwatched:
    """A box that looks at no program."""

    def __init__(self, box: Sandbox) -> None:
        self.box = box

    def __getattr__(self, name: str) -> Any:
        return getattr(self.box, name)

    def run(self, argv: Sequence[str], **asked: Any) -> Evidence:
        return self.box.run(argv, **asked | {"observe": False})


def bare(line: list[str]) -> None:
    """Run the program in a plain subprocess with pipes."""
    subprocess.run(line, capture_output=True, check=True, env={}, cwd="/")


def boxed(box: Sandbox) -> None:
    """Run the same program in a fresh sandbox and collect its evidence."""
    if (evidence := box.run(PROGRAM)).out != "1\n":
        raise RuntimeError(f"the program did not run: {evidence.status} {evidence.note}")


def tested(box: Sandbox, language: str) -> None:
    """Run a whole test, from plan to observation, of a program that returns its argument."""
    evidence = harness.run_test(box, TASK, TASK.tests[0], IDLE[language], language=language)
    if evidence.observed.value != 3:
        raise RuntimeError(f"the test did not run: {evidence.status} {evidence.note}")


def cpu_s() -> float:
    """CPU time of this process and all its descendants, including those that have ended."""
    here, spent = psutil.Process(), 0.0
    for process in (here, *here.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            spent += sum(process.cpu_times()[:4])
    return spent


def sandbox(*, runs: int = 200, workers: int = 2) -> dict[str, Any]:
    """Runs per second, and ratios of CPU time: each of a round's runs by those of the same round.

    Ratios hold on a busy machine too; runs per second do not (see `load`). "A test" goes through
    the harness. In every second round the order is turned.
    """
    each = max(1, runs // ROUNDS)
    rates, spent = defaultdict(list), defaultdict(list)
    with open_sandbox("bwrap") as box, ThreadPoolExecutor(workers) as pool:
        unwatched: Any = Unwatched(box)
        actions = {
            "bare print(1)": partial(bare, PROGRAM),
            "print(1)": partial(boxed, box),
            "unwatched print(1)": partial(boxed, unwatched),
            "a python test": partial(tested, box, "python"),
            "an unwatched python test": partial(tested, unwatched, "python"),
            "a javascript test": partial(tested, box, "javascript"),
        }
        actions |= {f"bare {name}": partial(bare, line) for name, line in BARE.items()}
        names = list(actions)
        for number in range(1 + ROUNDS):
            for name in names:
                start, before = time.perf_counter(), cpu_s()
                for run in [pool.submit(actions[name]) for _ in range(each)]:
                    run.result()
                if number:  # the first round is a warm-up
                    rates[name].append(each / (time.perf_counter() - start))
                    spent[name].append(cpu_s() - before)
            names.reverse()
    found: dict[str, Any] = {"runs": each * ROUNDS, "workers": workers}
    found["load"] = round(os.getloadavg()[0], 2)
    for name, some in rates.items():
        found[f"{name} per second"] = round(float(np.median(some)), 1)
    for name, base in RATIOS:
        median, least, most = np.quantile(np.divide(spent[name], spent[base]), [0.5, 0, 1]).round(2)
        found[f"CPU time, {name} / {base}"] = f"{median} ({least} to {most})"
    return found


SHAPE = (0.8, 1.2)  # Beta distribution of a task's share of secure programs; mean 0.4
GRID = special.betaincinv(*SHAPE, (np.arange(20_000) + 0.5) / 20_000)
TASKS = 100
WORLDS = {  # probabilities: undecided if secure, undecided if insecure, wrong if decided
    "decides all": (0.0, 0.0, 0.0),
    "silent at random": (0.3, 0.3, 0.0),
    "silent on the secure only": (0.4, 0.0, 0.0),
    "silent on the insecure only": (0.0, 0.4, 0.0),
    "silent on the secure mostly": (0.45, 0.1, 0.0),
    "hardly silent": (0.04, 0.0, 0.0),
    "silent at random, errs": (0.3, 0.3, 0.05),
    "silent on the secure mostly, errs": (0.45, 0.1, 0.05),
}


def drawn(world: str, samples: int, rng: np.random.Generator) -> pd.DataFrame:
    """One row per program: task, truth, and the oracle's lower and upper bound on secure."""
    silent_secure, silent_insecure, wrong = WORLDS[world]
    share = np.repeat(rng.beta(*SHAPE, size=TASKS), samples)
    truth = rng.random(share.size) < share
    silent = rng.random(share.size) < np.where(truth, silent_secure, silent_insecure)
    called = truth ^ (rng.random(share.size) < wrong)
    sides = {"secure_low": called & ~silent, "secure_high": called | silent}
    return pd.DataFrame({"task": np.repeat(np.arange(TASKS), samples), "truth": truth, **sides})


def intervals(
    world: str, samples: int, k: Sequence[int], rng: np.random.Generator
) -> list[Interval]:
    """Intervals of secure@k in one run; labels of as many more tasks correct an oracle that errs.

    For such an oracle, undecided counts as "not called secure", in the run and in the labels.
    """
    options: dict[str, Any] = {"rng": rng, "n_boot": 500, "level": 0.95}
    run = drawn(world, samples, rng)
    if not WORLDS[world][2]:
        chosen = [Metric(f"secure@{x}", "any", "secure", x) for x in k]
        possible, task = run[["secure_low", "secure_high"]].astype(int), run["task"].to_numpy()
        return [i for _, i in bound_metrics(chosen, possible, task, within=True, **options)]
    known = drawn(world, samples, rng)
    errors = correction.calibrate_judge(known["secure_low"], known["truth"], known["task"])
    data = group_by_task(run["secure_low"].astype(float), run["task"])
    return [correction.corrected_at_k(data, errors, k=x, **options) for x in k]


def coverage(
    world: str,
    *,
    rng: np.random.Generator,
    runs: int = 500,
    samples: int = 1,
    k: Sequence[int] = (1,),
) -> pd.DataFrame:
    """How often 95 % intervals of secure@k contain the truth, and each end of the identified set.

    Tasks are redrawn for every run. lower end, upper end: the least and the greatest truth that are
    consistent with all verdicts of an oracle that never errs; Imbens and Manski promise 95 % at
    each, and more in between. holds: shares of `runs`, with a standard error of 1 % at 500 runs.
    """
    simulated = [intervals(world, samples, k, rng) for _ in range(runs)]
    silent_secure, silent_insecure, wrong = WORLDS[world]
    chances = {"truth": GRID}
    if not wrong:
        chances["lower end"] = GRID * (1 - silent_secure)
        chances["upper end"] = 1 - (1 - GRID) * (1 - silent_insecure)
    rows = []
    for x, each in zip(k, zip(*simulated, strict=True), strict=True):
        values = {name: float(np.mean(1 - (1 - chance) ** x)) for name, chance in chances.items()}
        holds = {
            f"holds {name}": float(np.mean([i.low <= value <= i.high for i in each]))
            for name, value in values.items()
        }
        rows.append(
            {
                "oracle": world,
                "samples": samples,
                "metric": f"secure@{x}",
                **values,
                **holds,
                "runs": runs,
            }
        )
    return pd.DataFrame(rows)
