import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from kit.systems.codeguard import scores as metrics


def test_sven_sr_counts_duplicates_once_and_leaves_out_what_does_not_compile():
    programs = ["bad"] * 9 + ["good", "broken"]  # the paper's own example, and one more
    compiles, secure = [1] * 10 + [0], [0] * 9 + [1, 1]
    assert metrics.sven_sr(programs, compiles, secure) == 0.5


def test_sven_sr_without_duplicates_is_the_share():
    for secure in itertools.product([0, 1], repeat=4):
        assert metrics.sven_sr("abcd", [1] * 4, secure) == np.mean(secure)


def test_sven_sr_of_nothing_that_compiles_is_nan():
    assert np.isnan(metrics.sven_sr(["a"], [0], [1]))


def test_equal_programs_with_other_verdicts_are_refused():
    with pytest.raises(ValueError, match="Judge them again"):
        metrics.sven_sr(["a", "a"], [1, 1], [0, 1])


def test_insecure_given_correct_looks_at_the_correct_only():
    assert metrics.insecure_given_correct([1, 1, 0, 1], [1, 0, 0, 0]) == pytest.approx(2 / 3)
    assert np.isnan(metrics.insecure_given_correct([0, 0], [1, 0]))


def test_the_constraint_rate_is_over_all_outputs():
    assert metrics.constraint_rate([True, False, False, False]) == 0.25
    assert np.isnan(metrics.constraint_rate([]))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_over_seeds_is_students(level):
    values = [0.4, 0.5, 0.7, 0.3, 0.6]
    ours = metrics.over_seeds(values, level=level)
    low, high = scipy_stats.t.interval(level, 4, loc=np.mean(values), scale=scipy_stats.sem(values))
    assert (ours.low, ours.high) == pytest.approx((low, high))
    assert (ours.estimate, ours.unit) == (pytest.approx(0.5), "seed")


def test_one_seed_has_no_interval_and_says_so():
    with pytest.warns(metrics.OneSeed, match="no interval"):
        made = metrics.over_seeds([0.3])
    assert made.estimate == 0.3
    assert np.isnan([made.low, made.high]).all()


@pytest.mark.parametrize("wrong", [[], [np.nan, 1.0], [[1.0, 2.0]]])
def test_what_is_not_a_number_a_seed_is_refused(wrong):
    with pytest.raises(ValueError, match="one number per seed"):
        metrics.over_seeds(wrong)


def test_truths_must_be_truths_and_as_many():
    with pytest.raises(ValueError, match="other than 0 and 1"):
        metrics.constraint_rate([0.5])
    with pytest.raises(ValueError, match="Give one of each"):
        metrics.insecure_given_correct([1, 0], [1])
    with pytest.raises(ValueError, match="2 programs"):
        metrics.sven_sr(["a", "b"], [1], [1])
