from itertools import combinations

import numpy as np
import pytest

from kit.scoring import at_k


def by_enumeration(good, k):
    """The share of all subsets of size k that hold at least one good sample."""
    subsets = list(combinations(good, k))
    return sum(any(s) for s in subsets) / len(subsets)


def test_equals_enumeration_over_all_subsets():
    """So it grows with k and with c, and each task has its own value wherever it stands."""
    for k in range(1, 9):
        n, c = np.array([(n, c) for n in range(k, 9) for c in range(n + 1)]).T
        slow = [by_enumeration([1] * y + [0] * (x - y), k) for x, y in zip(n, c, strict=True)]
        assert at_k.estimate(n, c, k=k) == pytest.approx(slow, abs=1e-12)


def test_stays_exact_where_binomials_overflow():
    assert at_k.estimate(100_000, 1, k=100) == pytest.approx(0.001, rel=1e-9)
    assert at_k.estimate(5000, 4999, k=2) == 1


def test_too_few_samples_are_nan_and_named():
    with pytest.warns(at_k.TooFewSamples, match=r"1 of 2 tasks have fewer than k = 5"):
        values = at_k.estimate([3, 5], [3, 0], k=5)
    assert np.isnan(values[0])
    assert values[1] == 0


def test_no_message_where_samples_suffice():
    assert at_k.too_few([5, 6], k=5) == ""
    assert at_k.estimate([5, 6], [1, 1], k=5).shape == (2,)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1.5, 1), (3, np.nan, 1)])
def test_impossible_counts_are_refused(n, c, k):
    with pytest.raises(ValueError, match="whole numbers"):
        at_k.estimate(n, c, k=k)


@pytest.mark.parametrize("k", [0, -1, 1.0, True])
def test_impossible_k_is_refused(k):
    with pytest.raises(ValueError, match="Got k ="):
        at_k.estimate(3, 1, k=k)


def test_no_tasks_give_no_values():
    assert at_k.estimate([], [], k=1).shape == (0,)


def test_secure_at_k_pass_draws_among_functional_samples():
    for p in range(1, 7):
        for j in range(p + 1):
            for k in range(1, p + 1):
                slow = by_enumeration([1] * j + [0] * (p - j), k)
                assert at_k.secure_at_k_pass(p, j, k=k) == pytest.approx(slow)
                assert at_k.secure_at_k_pass_defined(p, j, k=k) == pytest.approx(slow)


def test_the_two_forms_differ_only_where_nothing_passes():
    passed, joint = np.array([0, 4, 2]), np.array([0, 1, 2])
    assert at_k.secure_at_k_pass(passed, joint, k=1).tolist() == [0, 0.25, 1]
    defined = at_k.secure_at_k_pass_defined(passed, joint, k=1)
    assert np.isnan(defined[0])
    assert defined[1:].tolist() == [0.25, 1]


def test_secure_at_k_pass_is_undefined_between_one_and_k():
    with pytest.warns(at_k.TooFewSamples, match="k = 3"):
        values = at_k.secure_at_k_pass([0, 2, 3], [0, 2, 3], k=3)
    np.testing.assert_array_equal(values, [0, np.nan, 1])
