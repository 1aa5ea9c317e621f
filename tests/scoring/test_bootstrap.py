import numpy as np
import pytest
from scipy.stats import bootstrap as scipy_bootstrap

from kit.scoring import at_k, stats
from kit.scoring.bootstrap import (
    bootstrap_intervals,
    compute_metrics,
    group_by_task,
    paired_bootstrap,
    resample_metrics,
)
from kit.scoring.correction import Calibration


def some(tasks=40, samples=6, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random((tasks, samples)) < rng.beta(0.5, 0.5, (tasks, 1))
    return y.ravel().astype(int), np.repeat(np.arange(tasks), samples)


def at(k):
    def metric(sums, n):
        value = at_k.estimate(np.broadcast_to(n, sums.shape[:-1]), sums[..., 0], k=k)
        return np.stack([value, np.ones_like(value)], axis=-1)[..., None, :]

    return metric


def test_same_rng_gives_equal_and_another_does_not():
    data = group_by_task(*some())
    one, two, other = (
        bootstrap_intervals(data, rng=stats.seed(s), n_boot=300) for s in ("a", "a", "b")
    )
    assert one == two != other


def test_the_estimate_is_the_metric_of_the_data():
    y, task = some()
    (i,) = bootstrap_intervals(group_by_task(y, task), rng=stats.seed("x"), n_boot=200)
    assert i.estimate == pytest.approx(y.reshape(40, 6).mean(axis=1).mean())
    assert i.low <= i.estimate <= i.high
    assert (i.n_boot, i.level, i.unit) == (200, 0.95, "task, sample")


def test_permuting_rows_changes_neither_estimate_nor_the_interval_of_tasks():
    y, task = some()
    order = np.random.default_rng(1).permutation(len(y))
    one, two = (
        bootstrap_intervals(group_by_task(a, b), rng=stats.seed("x"), n_boot=500, within=False)
        for a, b in ((y, task), (y[order], task[order]))
    )
    assert one == two


def test_tasks_alone_equal_scipy_within_its_noise():
    y, task = some(tasks=60)
    means = y.reshape(60, 6).mean(axis=1)
    (ours,) = bootstrap_intervals(
        group_by_task(y, task), rng=stats.seed("x"), n_boot=20000, within=False
    )
    theirs = scipy_bootstrap(
        (means,), np.mean, n_resamples=20000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.006)


def test_draws_are_the_metrics_of_the_drawn_tasks_gathered_one_by_one():
    data = group_by_task(*some(tasks=30, samples=1))
    drawn = resample_metrics(data, rng=stats.seed("x"), n_boot=9000, within=False)
    picks = stats.seed("x").integers(30, size=(9000, 30), dtype=np.int32)
    np.testing.assert_array_equal(drawn, data.values[picks].mean(axis=1))


def test_one_sample_a_task_makes_both_stages_the_same():
    y, task = some(samples=1)
    with_, without = (
        resample_metrics(group_by_task(y, task), rng=stats.seed("x"), n_boot=99, within=w)
        for w in (True, False)
    )
    np.testing.assert_array_equal(with_, without)


def test_the_spread_of_two_stages_is_that_of_the_two_variances():
    """Var = between / T + within / (T n), from the data's own moments."""
    y, task = some(tasks=50, samples=8)
    means = y.reshape(50, 8).mean(axis=1)
    want = means.var() / 50 + (means * (1 - means)).mean() / (50 * 8)
    drawn = resample_metrics(group_by_task(y, task), rng=stats.seed("x"), n_boot=20000)
    assert drawn.var() == pytest.approx(want, rel=0.05)


def test_ragged_tasks_draw_only_their_own_samples():
    y, task = np.array([1, 1, 1, 0, 0]), np.array(["a", "a", "a", "b", "b"])
    drawn = resample_metrics(group_by_task(y, task), rng=stats.seed("x"), n_boot=500)
    assert set(np.unique(drawn)) == {0.0, 0.5, 1.0}


def test_an_interval_of_at_k_holds_its_estimate():
    """Five of five drawn with replacement repeat some: without the shift no draw reaches it."""
    data = group_by_task(np.tile([1, 0, 0, 0, 0], 20), np.repeat(np.arange(20), 5))
    assert resample_metrics(data, at(5), rng=stats.seed("x"), n_boot=500).max() < 1
    (i,) = bootstrap_intervals(data, at(5), rng=stats.seed("x"), n_boot=500)
    assert i.low < i.estimate == i.high == 1


def test_intervals_cover_the_truth_about_as_often_as_they_say():
    rng, hits = np.random.default_rng(4), 0
    p = np.random.default_rng(0).beta(0.5, 0.5, 1_000_000)
    truth = np.mean(1 - (1 - p) ** 3)
    for _ in range(150):
        data = group_by_task(*some(tasks=40, samples=5, seed=rng.integers(10**9)))
        (i,) = bootstrap_intervals(data, at(3), rng=rng, n_boot=200)
        hits += i.low <= truth <= i.high
    assert 0.87 <= hits / 150 <= 1.0


@pytest.mark.parametrize("tasks", [2, 3, 4])
def test_of_few_tasks_every_resample_counts_so_equal_data_have_equal_intervals(tasks):
    y = np.eye(tasks, dtype=int)
    found = {
        tuple(round(x, 3) for x in (i.low, i.high))
        for n, row in enumerate(y)
        for (i,) in [
            bootstrap_intervals(
                group_by_task(row, range(tasks)), rng=stats.seed(str(n)), n_boot=5000
            )
        ]
    }
    assert len(found) == 1


def test_one_task_is_refused():
    with pytest.raises(ValueError, match="2 or more"):
        bootstrap_intervals(group_by_task([1, 0], ["a", "a"]), rng=stats.seed("x"))


@pytest.mark.parametrize(("y", "task"), [([], []), ([1], ["a", "b"]), ([np.nan], ["a"])])
def test_what_cannot_be_grouped_is_refused(y, task):
    with pytest.raises(ValueError, match="Got"):
        group_by_task(y, task)


def test_no_resamples_are_refused():
    with pytest.raises(ValueError, match="n_boot = 0"):
        bootstrap_intervals(group_by_task(*some()), rng=stats.seed("x"), n_boot=0)


def test_a_pair_with_itself_differs_by_nothing():
    data = group_by_task(*some())
    (i,) = paired_bootstrap(data, data, rng=stats.seed("x"), n_boot=200, within=False)
    assert (i.estimate, i.low, i.high) == (0, 0, 0)


def test_pairing_shortens_the_interval_of_a_difference():
    y, task = some(tasks=80)
    better = np.where(np.random.default_rng(3).random(len(y)) < 0.1, 1, y)
    a, b = group_by_task(better, task), group_by_task(y, task)
    (paired,) = paired_bootstrap(a, b, rng=stats.seed("x"), n_boot=2000, within=False)
    one, two = (
        resample_metrics(x, rng=stats.seed(s), within=False)[:, 0] for x, s in ((a, "1"), (b, "2"))
    )
    low, high = np.quantile(one - two, [0.025, 0.975])
    assert paired.estimate == pytest.approx(float(compute_metrics(a)[0] - compute_metrics(b)[0]))
    assert paired.high - paired.low < (high - low) / 2


def test_swapping_sides_turns_the_sign():
    a, b = group_by_task(*some(seed=1)), group_by_task(*some(seed=2))
    one, two = (
        paired_bootstrap(x, y, rng=stats.seed("x"), n_boot=400, within=False)[0]
        for x, y in ((a, b), (b, a))
    )
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low))


def test_other_tasks_on_the_two_sides_are_refused():
    a, b = group_by_task([1, 0], ["a", "b"]), group_by_task([1, 0], ["a", "c"])
    with pytest.raises(ValueError, match=r"2 tasks are on one side only \(b, c\)"):
        paired_bootstrap(a, b, rng=stats.seed("x"))


def test_a_calibration_without_one_kind_of_label_is_refused():
    with pytest.raises(ValueError, match="labelled fail"):
        Calibration(10, 1, 0, 0)
