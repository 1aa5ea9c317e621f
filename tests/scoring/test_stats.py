import itertools
import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest
from statsmodels.stats.multitest import multipletests

from kit.scoring import stats


def rng():
    return np.random.default_rng(1)


def test_wilson_equals_scipy():
    for n in (1, 2, 25, 400):
        for c in {0, 1, n // 2, n}:
            for level in (0.8, 0.95):
                ours = stats.wilson_interval(c, n, level=level)
                theirs = binomtest(c, n).proportion_ci(level, method="wilson")
                assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize(("c", "n"), [(3, 2), (-1, 2), (0, 0)])
def test_wilson_refuses_impossible_counts(c, n):
    with pytest.raises(ValueError, match="0 <= successes <= n"):
        stats.wilson_interval(c, n)


def test_sign_test_equals_the_binomial_test_and_leaves_ties_out():
    ours = stats.sign_test([1, 2, 3, 0, -1, 0.5, 4, 0])
    assert ours == pytest.approx(binomtest(5, 6, 0.5).pvalue)


def test_no_differences_show_nothing():
    assert stats.sign_test([0, 0, 0]) == stats.sign_test([]) == 1


def test_sign_test_refuses_nan():
    with pytest.raises(ValueError, match="1 differences are NaN"):
        stats.sign_test([1, np.nan])


@pytest.mark.slow
def test_holm_equals_statsmodels():
    rng = np.random.default_rng(0)
    for m in (1, 2, 7, 30):
        p = rng.random(m) ** 2
        assert stats.apply_holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_holm_of_one_p_is_that_p_and_never_exceeds_one():
    assert stats.apply_holm([0.03]).tolist() == [0.03]
    assert stats.apply_holm([0.9, 0.8]).tolist() == [1, 1]
    assert stats.apply_holm([]).size == 0
    none = stats.apply_holm([0.03, np.nan, 0.04])
    assert none[[0, 2]].tolist() == stats.apply_holm([0.03, 0.04]).tolist()
    assert np.isnan(none[1])


def test_power_equals_the_sum_over_all_tables():
    n, d, discordant = 9, 0.4, 0.6
    up, down = (discordant + d) / 2, (discordant - d) / 2
    slow = 0.0
    for a in range(n + 1):
        for b in range(n + 1 - a):
            ways = math.factorial(n) / math.factorial(a) / math.factorial(b)
            ways /= math.factorial(n - a - b)
            chance = ways * up**a * down**b * (1 - up - down) ** (n - a - b)
            significant = a + b > 0 and binomtest(a, a + b, 0.5).pvalue <= 0.05
            slow += chance * significant
    assert stats.mcnemar_power(n, d, discordant=discordant) == pytest.approx(slow)


def test_the_exact_test_never_rejects_too_often():
    for n in (10, 50, 200):
        assert 0 < stats.mcnemar_power(n, 0.0, discordant=0.4) <= 0.05


def test_the_smallest_difference_has_just_the_power_asked_for():
    for n, discordant in ((100, 0.3), (105, 0.5), (400, 0.2)):
        d = stats.smallest_detectable_difference(n, discordant=discordant)
        assert stats.mcnemar_power(n, d, discordant=discordant) == pytest.approx(0.8, abs=1e-6)


def test_the_best_case_needs_six_discordant_tasks():
    """With every discordant task on one side, p <= .05 takes six: P(Bin(n, d) >= 6) = .8."""
    d = stats.smallest_detectable_difference(50)
    assert binom.sf(5, 50, d) == pytest.approx(0.8, abs=1e-6)


def test_more_tasks_show_smaller_differences_and_more_power_larger_ones():
    sizes = [stats.smallest_detectable_difference(n, discordant=0.4) for n in (50, 100, 400, 1600)]
    assert sizes == sorted(sizes, reverse=True)
    powers = [stats.smallest_detectable_difference(99, power=p) for p in (0.5, 0.8, 0.95)]
    assert powers == sorted(powers)


def test_too_few_tasks_show_nothing_however_large():
    assert stats.smallest_detectable_difference(5) == math.inf
    assert stats.smallest_detectable_difference(100, discordant=0.01) == math.inf
    assert stats.mcnemar_power(100, 0, discordant=0) == 0


def test_power_refuses_a_difference_above_the_discordant_share():
    with pytest.raises(ValueError, match=r"\|difference\| <= discordant"):
        stats.mcnemar_power(10, 0.5, discordant=0.2)


def test_a_seed_is_its_name():
    first, again, other = (stats.seed(n).random(5).tolist() for n in ("t-2", "t-2", "t-3"))
    assert first == again != other
    assert stats.seed("table-2").integers(10**9) == 959686694


def test_an_interval_reads_as_a_sentence():
    assert str(stats.Interval(0.148, 0.106, 0.193, 0.95, 5000, "task")) == "0.148 [0.106, 0.193]"


def test_flipping_signs_of_ones_is_the_sign_test():
    d = [1] * 8 + [-1] * 2 + [0] * 5
    assert stats.sign_flip(d, rng=rng()) == pytest.approx(stats.sign_test(d))


def test_flipping_signs_by_chance_comes_near_to_all_of_them():
    d = np.linspace(-0.5, 1, 12)
    exact = stats.sign_flip(d, rng=rng())
    signs = np.array(list(itertools.product((-1, 1), repeat=12))) @ d
    assert exact == pytest.approx(np.mean(np.abs(signs) >= d.sum() - 1e-12))
    near = stats.sign_flip(np.append(d, 1e-9), rng=rng())
    assert near == pytest.approx(exact, abs=0.02)


def test_no_difference_has_p_one():
    assert stats.sign_flip(np.zeros(4), rng=rng()) == 1
