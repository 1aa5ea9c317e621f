"""What each step of a run costs as the run grows: CPU and peak memory, and growth per tenfold.

Nothing is executed: a stand-in of a suite makes its evidence up. Everything else is the kit's own
path: a recording answers, units are planned, worked and merged by the commands.
"""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from kit.cli.main import main
from kit.core.paths import ROOT
from kit.core.records import Evidence, Observed, Sample, Status, Task, Test, Trial
from kit.core.store import Store
from kit.generation import replay
from kit.run import pipeline
from kit.run.job import Job
from kit.run.suite import Loaded
from kit.sandbox import Sandbox, open_sandbox
from kit.systems.dualgauge.suite import SpecSuite

NAME = "tests.benchmarks.scale:StandIn"
TASKS, TESTS = 50, 10  # of the synthetic suite; half of the tests are functional
LINES = 20  # of a program, about 700 characters
BEGUN = "import json, sys, time; from tests.benchmarks import scale; "
MEASURED = """start = time.process_time(); scale.STEPS[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
spent = {"cpu_s": time.process_time() - start, "peak_mb": int(peak.split()[1]) / 1024}
print("\\n" + json.dumps(spent))"""


class StandIn(SpecSuite):
    """Tasks, tests and evidence made up, of which seven tenths pass; nothing is executed."""

    def __init__(self) -> None:
        super().__init__(NAME)

    def load(self, path: Path | None = None) -> Loaded:  # noqa: ARG002
        every = [
            Test(f"t-{n:02}", "functional", input={"n": n}, expected=n)
            if n % 2
            else Test(
                f"t-{n:02}", "security", {"n": n}, cwe="CWE-78", probes=({"probe": "no_exec"},)
            )
            for n in range(TESTS)
        ]
        tasks = (Task(f"s{n:02}", NAME, "Write f(n).", tuple(every)) for n in range(TASKS))
        return Loaded(NAME, tuple(tasks))

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        wrong = int(trial.key[:4], 16) % 10 < 3
        seen = Observed("value", "wrong" if wrong else trial.cells[0].test.expected)
        return Evidence(Status.COMPLETED, wall_s=0.02, isolation=box.name, observed=seen)


def _recorded(folder: str, samples: int) -> None:
    body = "".join(f"    # line {n} of a program that does little\n" for n in range(LINES))
    answers = (
        Sample(
            f"s{n % TASKS:02}",
            "model",
            n // TASKS,
            arm={"prompt": "plain"},
            response=f"```python\ndef f(n):\n{body}    return n + {n}\n```\n",
        )
        for n in range(samples)
    )
    replay.write_recording(Path(folder) / "answers", answers, settings={"prompt": "plain"})


def _job(folder: str) -> Job:
    suite = StandIn()
    return Job.of(suite, suite.load().tasks, f"replay:{folder}/answers")


def _generate(folder: str, samples: int) -> None:  # noqa: ARG001
    with Store(f"{folder}/run") as store:
        store.begin(suite=NAME)
        _job(folder).generate(store)


def _kit(line: str, folder: str, samples: int) -> None:  # noqa: ARG001
    main(line.format(folder=folder, suite=NAME).split(), standalone_mode=False)


def _judge(folder: str, samples: int) -> None:
    suite = StandIn()
    with Store(f"{folder}/run") as store, open_sandbox("bwrap", suite.limits) as box:
        tally = pipeline.judge(store, suite, suite.load().tasks, box)
    assert (tally.fresh, tally.left) == (0, 0), tally
    assert samples  # every one of them


def _resume(folder: str, samples: int) -> None:
    suite, job = StandIn(), _job(folder)
    with Store(f"{folder}/run") as store, open_sandbox("bwrap", suite.limits) as box:
        answered = job.generate(store)
        executed = pipeline.evaluate_programs(store, suite, job.tasks, box)
    assert (answered.cached, executed.cached) == (samples, samples * TESTS), executed


def _explorer(folder: str, samples: int) -> None:
    from kit.explore import Explorer
    from kit.explore import explorer as explorer_

    explorer = Explorer.of(f"{folder}/run")
    assert f"{min(samples, 2000)} samples" in explorer.count.value or samples <= explorer_.AT_ONCE
    assert "Program" in explorer.page.value


Step = Callable[[str, int], None]
STEPS: dict[str, Step] = {
    "generate": _generate,
    "plan units": partial(_kit, "cluster plan {folder}/run {folder}/units"),
    "work units": partial(_kit, "cluster work {folder}/units"),
    "merge units": partial(_kit, "cluster merge {folder}/run {folder}/units"),
    "judge again": _judge,
    "resume": _resume,
    "score": partial(_kit, "score {folder}/run"),
    "export": partial(_kit, "export {folder}/run {folder}/rows.parquet"),
    "explorer": _explorer,
}


def measure(samples: int, *, say: Callable[[str], object] = print) -> dict[str, dict[str, float]]:
    """CPU seconds and peak MB of each step over so many samples, each in a process of its own."""
    found: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        _recorded(folder, samples)
        for name in STEPS:
            began = time.monotonic()
            command = [sys.executable, "-c", BEGUN + MEASURED, name, folder, str(samples)]
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
            found[name] = json.loads(done.stdout.splitlines()[-1])
            took = {"wall_s": time.monotonic() - began}
            say(f"{samples} {name}: {found[name] | took}")
    return found


def text(found: dict[int, dict[str, dict[str, float]]]) -> str:
    """A table of the steps: seconds and MB at each size, and how often more per tenfold."""
    sizes = sorted(found)
    heads = "".join(f"{n:>13,} samples" for n in sizes)
    lines = [f"{'step':14}{heads}   growth per tenfold"]
    for name in STEPS:
        cells = [found[n][name] for n in sizes]
        line = "".join(f"{c['cpu_s']:>11.1f} s {c['peak_mb']:>5.0f} MB" for c in cells)
        grown = (_per_tenfold(sizes, cells, unit) for unit in ("cpu_s", "peak_mb"))
        lines.append(f"{name:14}{line}   {'; '.join(grown)}")
    return "\n".join(lines)


def _per_tenfold(sizes: Sequence[int], cells: Sequence[dict[str, float]], unit: str) -> str:
    """The factor from each size to the next, as of one ten times larger."""
    steps = zip(sizes, sizes[1:], cells, cells[1:], strict=False)
    factors = ((d[unit] / c[unit]) ** (1 / math.log10(b / a)) for a, b, c, d in steps)
    return f"{unit.partition('_')[0]} " + " ".join(f"x{factor:.1f}" for factor in factors)
