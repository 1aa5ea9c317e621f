"""Bounds where a part is unknown: the interval around both ends holds the truth."""

import numpy as np
import pytest

from kit.scoring import stats
from kit.scoring.bootstrap import percentile_interval
from kit.scoring.correction import End, cover_bounds, skew_of, tail_share
from tests.benchmarks import bench

RUNS = 200
TWO_ERRORS = 2 * (0.95 * 0.05 / RUNS) ** 0.5  # of a share of so many runs


def test_the_tail_goes_from_two_sides_to_one():
    assert tail_share(0, 0.1) == pytest.approx(0.025)
    assert tail_share(10, 0.1) == pytest.approx(0.05)
    narrow = [tail_share(width, 0.1) for width in (0.0, 0.05, 0.1, 0.2, 0.5)]
    assert narrow == sorted(narrow)


def test_a_set_of_one_point_has_the_ordinary_interval():
    draws = stats.seed("draws").normal(0.4, 0.05, 2000)
    point = End(0.4, draws)
    both, usual = (
        cover_bounds(point, point, level=0.95, unit="task"),
        percentile_interval(0.4, draws, 0.95, "task"),
    )
    assert (both.low, both.high) == (usual.low, usual.high)
    assert np.isnan(both.estimate)


def test_skewness_moves_a_limit_to_the_long_side():
    draws = stats.seed("draws").normal(0.4, 0.05, 20_000)
    low, high = (End(0.4, draws, skew).beyond(0.95) for skew in (-0.5, 0.5))
    assert low < End(0.4, draws).beyond(0.95) < high
    assert skew_of(np.array([1.0, 0, 0, 0]), np.ones(4)) > 0
    assert skew_of(np.ones(4), np.ones(4)) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        "silent on the secure only",
        "silent on the insecure only",
        "silent on the secure mostly, errs",
    ],
)
def test_intervals_cover_at_the_end_where_the_truth_lies_and_with_a_calibration(world):
    (row,) = bench.coverage(world, rng=stats.seed("cover"), runs=RUNS).to_dict("records")
    assert row["truth"] in (row.get("lower end", row["truth"]), row.get("upper end"))
    assert row["holds truth"] == pytest.approx(0.95, abs=TWO_ERRORS)
