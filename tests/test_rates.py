import numpy as np
import pytest

from kit.metrics import rates


def test_all_passed_is_one_and_none_is_zero():
    for reading in (rates.pooled, rates.task_mean):
        assert reading([3, 7], [3, 7]) == 1
        assert reading([0, 0], [3, 7]) == 0


def test_the_readings_differ_where_tasks_differ_in_size():
    passed, total = [1, 0], [1, 9]
    assert rates.pooled(passed, total) == pytest.approx(0.1)
    assert rates.task_mean(passed, total) == pytest.approx(0.5)


def test_the_readings_agree_where_all_tasks_have_as_many_tests():
    passed = np.random.default_rng(0).integers(0, 7, 30)
    assert rates.pooled(passed, 6) == pytest.approx(float(rates.task_mean(passed, 6)))


def test_order_of_tasks_changes_nothing():
    passed, total = np.array([1, 5, 2]), np.array([4, 5, 6])
    for reading in (rates.pooled, rates.task_mean):
        assert reading(passed[::-1], total[::-1]) == pytest.approx(float(reading(passed, total)))


def test_a_task_without_tests_has_no_rate_and_no_weight():
    assert np.isnan(rates.per_task([0, 1], [0, 2])).tolist() == [True, False]
    assert rates.task_mean([0, 1], [0, 2]) == 0.5
    assert rates.pooled([0, 1], [0, 2]) == 0.5


def test_no_tests_at_all_are_nan():
    assert np.isnan(rates.pooled([0], [0]))
    assert np.isnan(rates.task_mean([0], [0]))
    assert np.isnan(rates.pooled([], []))


def test_leading_axes_are_resamples():
    passed = np.array([[1, 2], [2, 2]])
    assert rates.pooled(passed, [2, 2]).tolist() == [0.75, 1]
    assert rates.task_mean(passed, [2, 2]).tolist() == [0.75, 1]


@pytest.mark.parametrize(("passed", "total"), [([3], [2]), ([-1], [2]), ([np.nan], [2])])
def test_impossible_counts_are_refused(passed, total):
    with pytest.raises(ValueError, match="0 <= passed <= total"):
        rates.pooled(passed, total)
