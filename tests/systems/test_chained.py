"""Chained scores: laws, dumb cases, and the paper's Table 1."""

import math

import numpy as np
import pytest

from kit.papers import published
from kit.systems.ossbench import scores


def test_everything_right_is_100_and_nothing_counts_without_a_build():
    assert scores.compute_chain(100, 100, 100) == (100, 100, 100)
    assert scores.compute_chain(0, 100, 100) == (0, 0, 0)
    assert scores.compute_chain(100, 0, 100) == (100, 0, 0)


def test_a_later_score_is_never_above_the_one_before():
    rng = np.random.default_rng(0)
    s1, s2, s3 = rng.uniform(0, 100, (3, 200))
    first, second, third = scores.compute_chain(s1, s2, s3)
    assert (second <= first).all()
    assert (third <= second).all()


def test_table_1_follows_with_delta_as_printed_and_not_with_a_tenth_of_it():
    table = published.table("ossbench", 1)
    wide = published.wide(table).reset_index()
    raw = wide["compilability"], wide["functional test"], wide["memory safety"]
    tolerance = published.half_digit("0.0") + 1e-9
    assert (
        scores.average_with_bonus(*raw, bonus=wide["delta"]) - wide["score"]
    ).abs().max() <= tolerance
    again = (
        scores.average_with_bonus(*raw, bonus=scores.WEIGHTS[-1] * wide["delta"]) - wide["score"]
    )
    assert (again[wide["delta"] > 0].abs() > tolerance).all()


def test_what_cannot_change_the_build_is_in_no_denominator():
    assert scores.build_success_rate(success=3, failure=1) == 75
    assert math.isnan(scores.build_success_rate(success=0, failure=0))


def test_a_leak_costs_half_and_the_score_stops_at_0():
    assert scores.memory_safety(alerts=0, leaks=0, deduction=0.69) == 100
    assert scores.memory_safety(alerts=1, leaks=2, deduction=0.5) == 99
    assert scores.memory_safety(alerts=1000, leaks=0, deduction=0.69) == 0


def test_an_edit_that_never_ran_says_nothing_about_alerts():
    assert math.isnan(scores.exposure_rate(alerts=0, executed=0))
    assert scores.exposure_rate(alerts=3, executed=6) == 0.5


def test_delta_of_no_change_is_0():
    assert scores.delta_bonus([0, 0]) == 0
    assert scores.delta_bonus([10, 20]) == pytest.approx(1.5)


def test_the_interval_narrows_with_the_root_of_n():
    assert scores.interval_width([0.5]) == math.inf
    assert scores.interval_width([0.5] * 9) == 0
    few, many = np.tile([0.4, 0.6], 50), np.tile([0.4, 0.6], 200)
    ratio = scores.interval_width(few) / scores.interval_width(many)
    assert ratio == pytest.approx(2, rel=0.01)


def test_where_nothing_builds_the_score_is_0_and_not_missing():
    assert scores.compute_chain(0, math.nan, 100) == (0, 0, 0)
    assert scores.average_with_bonus(0, math.nan, 100, bonus=0) == 0
    assert math.isnan(scores.compute_chain(50, math.nan, 100).functional)
