"""The bench measures what it says."""

import os
import subprocess
import tempfile

import numpy as np
import pytest

from kit.sandbox import open_sandbox
from tests.benchmarks import bench, soak


@pytest.mark.slow
def test_a_box_costs_a_fraction():
    found = bench.sandbox(runs=40)
    assert found["runs"] == 40
    ratios = {n: float(text.split()[0]) for n, text in found.items() if "/" in n}
    assert 1 < ratios["CPU time, print(1) / bare print(1)"] < 6
    assert ratios["CPU time, print(1) / unwatched print(1)"] < 1.6  # 1.15 on a quiet machine
    assert ratios["CPU time, a python test / bare python"] < 2.5
    assert ratios["CPU time, a javascript test / bare javascript"] < 2.5
    assert found["load"] > 0


def test_cpu_time_counts_processes_that_have_ended_and_no_waiting():
    count = "import time; time.sleep(0.5)\nwhile time.process_time() < 0.5: pass"
    before = bench.cpu_s()
    subprocess.run(["/bin/sh", "-c", f"/usr/bin/python3 -c '{count}'; true"], check=True)
    assert 0.45 < bench.cpu_s() - before < 0.8


@pytest.mark.slow
def test_a_soak_finds_nothing_left_of_many_runs():
    found = soak.measure(("bwrap",), runs=120)["tiers"]["bwrap"]
    assert found["grew"] == []
    assert found["ended"] == {"completed": 80, "crashed": 20, "output_limit": 20}
    assert found["held"]["first"]["cgroups"] > found["held"]["closed"]["cgroups"]


class Leaking:
    """A box that keeps something of every run: a descriptor, a file, a process, memory."""

    def __init__(self, box):
        self.box, self.kept = box, []

    def run(self, argv, **rest):
        self.kept.append(
            (
                os.dup(0),
                tempfile.mkstemp()[1],
                np.ones(1 << 20),
                subprocess.Popen(["/bin/sleep", "600"], stdin=subprocess.DEVNULL),
            )
        )
        return self.box.run(argv, **rest)

    def close(self):
        self.box.close()
        for descriptor, _, _, process in self.kept[::2]:
            os.close(descriptor)
            process.kill()
            process.wait()

    def __getattr__(self, name):
        return getattr(self.box, name)


@pytest.mark.slow
def test_a_soak_finds_what_a_box_leaks(monkeypatch):
    monkeypatch.setattr(soak, "FIRST", 12)
    held = []

    def opened(name):
        held.append(Leaking(open_sandbox(name)))
        return held[-1]

    grew = soak.measure(("bwrap",), runs=12, opened=opened)["tiers"]["bwrap"]["grew"]
    for descriptor, _, _, process in (kept for box in held for kept in box.kept[1::2]):
        os.close(descriptor)
        process.kill()
        process.wait()
    for what in ("memory, MB", "processes", "descriptors", "files"):
        assert [line.split(":")[0] for line in grew].count(what) == 2, grew
