"""Scores with the judge's errors propagated: exact where that can be, near nominal where not."""

import numpy as np
import pytest
from scipy import stats as scipy_stats

from kit.scoring import at_k, correction, stats
from kit.scoring.bootstrap import group_by_task
from kit.scoring.correction import Calibration, corrected_at_k

PERFECT = Calibration(10**9, 0, 10**9, 0)


def drawn(rng, *, tasks=60, n=5, s=0.85, r=0.9):
    """(verdicts by task, the tasks' chances) of a judge with sensitivity s and specificity r."""
    chance = rng.beta(1, 2, tasks)
    truth = rng.random((tasks, n)) < chance[:, None]
    heard = np.where(truth, rng.random(truth.shape) < s, rng.random(truth.shape) > r)
    return group_by_task(heard.ravel(), np.repeat(np.arange(tasks), n)), chance


def labels(rng, *, passes=80, fails=120, s=0.85, r=0.9):
    right, kept = rng.binomial(passes, s), rng.binomial(fails, r)
    return Calibration(right, passes - right, kept, fails - kept)


@pytest.mark.parametrize("k", [1, 2, 4])
@pytest.mark.parametrize(("s", "r"), [(1.0, 1.0), (0.9, 0.8), (0.7, 0.95)])
def test_the_corrected_value_is_exactly_unbiased(k, s, r):
    """Summed over every count that can occur: the expectation is the truth."""
    n, p = 6, 0.3
    q = p * s + (1 - p) * (1 - r)
    counts = np.arange(n + 1)
    mass = scipy_stats.binom.pmf(counts, n, q)
    misses = np.stack([1 - at_k.estimate(n, counts, k=i) for i in range(1, k + 1)], axis=-1)
    misses = np.concatenate([np.ones((n + 1, 1)), misses], axis=-1)
    mean = mass @ correction._corrected_share(misses, s, r)
    assert mean == pytest.approx(1 - (1 - p) ** k)


@pytest.mark.parametrize("k", [1, 3])
def test_a_judge_without_error_leaves_at_k_as_it_is(k):
    data, _ = drawn(np.random.default_rng(1))
    found = corrected_at_k(data, PERFECT, k=k, rng=stats.seed("x"), n_boot=50)
    plain = at_k.estimate(data.sizes, data.sums[:, 0], k=k).mean()
    assert found.estimate == pytest.approx(plain)


def test_at_one_it_is_rogan_gladen():
    data, _ = drawn(np.random.default_rng(2))
    one = corrected_at_k(data, Calibration(85, 15, 90, 10), rng=stats.seed("x"), n_boot=200)
    sensitivity, specificity = 0.85, 0.9
    corrected = (data.values.mean() + specificity - 1) / (sensitivity + specificity - 1)
    assert one.estimate == pytest.approx(corrected)


@pytest.mark.parametrize("k", [1, 3])
def test_the_interval_covers_the_truth_about_as_often_as_it_says(k):
    rng, hits, naive = np.random.default_rng(4), 0, 0
    truth = 1 - np.mean((1 - rng.beta(1, 2, 400_000)) ** k)
    for _ in range(200):
        data, _ = drawn(rng)
        i = corrected_at_k(data, labels(rng), k=k, rng=rng, n_boot=300)
        hits += i.low <= truth <= i.high
        j = corrected_at_k(data, PERFECT, k=k, rng=rng, n_boot=300)
        naive += j.low <= truth <= j.high
    assert 182 <= hits <= 198  # nominal 190
    assert naive < hits


def test_fewer_labels_widen_and_too_few_samples_are_refused():
    data, _ = drawn(np.random.default_rng(5))
    many, few = (
        corrected_at_k(data, c, k=2, rng=stats.seed("x"), n_boot=500)
        for c in (Calibration(850, 150, 900, 100), Calibration(17, 3, 18, 2))
    )
    assert many.estimate == pytest.approx(few.estimate)
    assert few.high - few.low > many.high - many.low
    with pytest.raises(ValueError, match="fewer than k = 9"):
        corrected_at_k(data, PERFECT, k=9, rng=stats.seed("x"))


def test_verdicts_that_are_all_alike_prove_no_more_than_their_tasks():
    for share, n, end in ((0.0, 20, "high"), (1.0, 20, "low")):
        data = group_by_task(np.full(2 * n, share), np.repeat(np.arange(n), 2))
        i = corrected_at_k(data, PERFECT, rng=stats.seed("x"))
        expected = stats.wilson_interval(int(share) * n, n)
        assert i.estimate == share
        assert getattr(i, end) == pytest.approx(getattr(expected, end), abs=0.06)
        assert i.low < i.high


def test_a_judge_no_better_than_chance_leaves_everything_open():
    data, _ = drawn(np.random.default_rng(5))
    i = corrected_at_k(data, Calibration(5, 5, 5, 5), rng=stats.seed("x"), n_boot=400)
    assert np.isnan(i.estimate)
    assert (i.low, i.high) == (0, 1)


def test_a_calibration_counts_and_shrinks_where_errors_fall_together():
    truth = [1, 1, 0, 0] * 30
    task = np.repeat(np.arange(30), 4)
    whole = correction.calibrate_judge(truth, truth, task)
    assert (whole.true_pass, whole.false_fail) == (60, 0)  # no error: nothing to shrink by
    rng = np.random.default_rng(0)
    apart, together = np.array(truth), np.array(truth)
    apart[rng.choice(120, 24, replace=False)] ^= 1
    together[np.isin(task, rng.choice(30, 6, replace=False))] ^= 1
    one, two = (correction.calibrate_judge(v, truth, task) for v in (apart, together))
    assert two.sensitivity == pytest.approx(1 - 6 / 30)
    assert two.true_pass + two.false_fail == pytest.approx(
        60 / 2, rel=0.1
    )  # pairs that move as one
    assert one.true_pass + one.false_fail > two.true_pass + two.false_fail


def test_prediction_power_without_a_judge_is_the_plain_mean():
    rng = np.random.default_rng(3)
    y = (rng.random(40) < 0.4).astype(float)
    i = correction.prediction_powered(y, np.zeros(40), np.zeros(500))
    plain = scipy_stats.t.interval(0.95, 39, loc=y.mean(), scale=scipy_stats.sem(y))
    assert (i.estimate, i.low, i.high) == pytest.approx((y.mean(), *plain))


def test_the_weight_makes_the_variance_least():
    rng = np.random.default_rng(3)
    y = (rng.random(50) < 0.4).astype(float)
    f, g = np.clip(y + rng.normal(0, 0.4, 50), 0, 1), rng.random(300)
    variance = np.concatenate([f, g]).var(ddof=1)

    def spread(w):
        c = np.cov(y, f)
        return (c[0, 0] - 2 * w * c[0, 1] + w * w * variance) / 50 + w * w * variance / 300

    best = min(np.linspace(0, 1, 2001), key=spread)
    assert correction.power_weight(y, f, g) == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("labelled", [30, 100])
def test_prediction_power_covers_the_truth_and_is_shorter_than_labels_alone(labelled):
    rng, hits, shorter = np.random.default_rng(9), 0, 0
    for _ in range(300):
        y = (rng.random(600) < 0.3).astype(float)
        f = np.where(rng.random(600) < 0.12, 1 - y, y)
        i = correction.prediction_powered(y[:labelled], f[:labelled], f[labelled:])
        alone = correction.prediction_powered(y[:labelled], np.zeros(labelled), np.zeros(9))
        hits += i.low <= 0.3 <= i.high
        shorter += i.high - i.low < alone.high - alone.low
    assert 276 <= hits <= 294  # nominal 285
    assert shorter > 285


def test_units_that_never_differ_get_the_interval_of_their_labels():
    i = correction.prediction_powered(np.ones(20), np.ones(20), np.ones(50))
    assert (i.estimate, i.high) == (1, 1)
    assert i.low == stats.wilson_interval(20, 20).low
    with pytest.raises(ValueError, match="as many true as judged"):
        correction.prediction_powered([1, 0], [1], [1, 0])


def test_what_is_detectable_is_detected_with_the_power_asked_for():
    rng = np.random.default_rng(2)
    step = stats.detectable_difference(0.05, power=0.8)
    seen = np.abs(rng.normal(step, 0.05, 100_000)) > 1.959964 * 0.05
    assert seen.mean() == pytest.approx(0.8, abs=0.005)
