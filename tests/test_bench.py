"""The bench measures what it says."""

import os
import subprocess
import tempfile

import numpy as np
import pytest

from kit.run import bench, soak
from kit.sandbox import open_sandbox


@pytest.mark.slow
def test_a_box_costs_a_fraction_and_memory_stays_flat():
    found = bench.sandbox(runs=40)
    assert found["runs"] == 40
    assert 0.3 < found["bwrap / bare"] < 1.5
    assert found["bwrap / bare"] < found["warm / bare"]
    assert found["memory at last, MB"] - found["memory at first, MB"] < 10
    stages = [v for k, v in found.items() if k.startswith("ms, ")]
    assert len(stages) == len(bench.STAGES) + 4
    assert all(value > 0 for value in stages)
    assert found["ms, all, under the profiler"] >= found["ms, the program, traced"]


@pytest.mark.slow
def test_a_soak_finds_nothing_left_of_hundreds_of_runs():
    found = soak.measure(("bwrap",), runs=240)["tiers"]["bwrap"]
    assert found["grew"] == []
    assert found["ended"] == {"completed": 160, "crashed": 40, "output_limit": 40}
    assert found["held"]["first"]["cgroups"] > found["held"]["closed"]["cgroups"]


class Leaking:
    """A box that keeps something of every run: a descriptor, a file, a process, memory."""

    def __init__(self, box):
        self.box, self.kept = box, []

    def run(self, argv, **rest):
        self.kept.append((
            os.dup(0), tempfile.mkstemp()[1], np.ones(1 << 20),
            subprocess.Popen(["/bin/sleep", "600"], stdin=subprocess.DEVNULL),
        ))  # fmt: skip
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
def test_a_soak_finds_what_a_box_leaks():
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
