"""The bench measures what it says."""

import pytest

from kit.run import bench


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
