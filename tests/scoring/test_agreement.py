import numpy as np
import pytest

from kit.scoring import agreement

# 100 items, two raters, labels skewed as a benchmark's quality checks are. irrCAC 0.4 and
# agreement 0.1.2 give 0.8671578 for AC1; kappa is 0.360 although 89 of 100 labels agree.
SKEWED = [(1, 1)] * 85 + [(1, 0)] * 5 + [(0, 1)] * 6 + [(0, 0)] * 4


def test_ac1_equals_two_other_programs():
    assert agreement.gwet_ac1(SKEWED) == pytest.approx(0.8671578, abs=5e-8)


def test_ac1_by_hand_with_three_raters_and_three_labels():
    """pa = (1 + 1/3)/2 = 2/3; pi = (1/2, 1/3, 1/6); pe = (1/4 + 2/9 + 5/36)/2 = 11/36."""
    ratings = [("a", "a", "a"), ("b", "b", "c")]
    assert agreement.gwet_ac1(ratings) == pytest.approx((2 / 3 - 11 / 36) / (1 - 11 / 36))


def test_full_agreement_is_one():
    for labels in ([1, 1, 1], [0, 1, 0], ["x", "y", "z"]):
        ratings = [(x, x, x) for x in labels]
        assert agreement.gwet_ac1(ratings) == agreement.unanimous_share(ratings) == 1


def test_kappa_falls_where_labels_are_skewed_and_ac1_does_not():
    first, second = np.transpose(SKEWED)
    assert agreement.cohen_kappa(first, second) == pytest.approx(0.360, abs=5e-4)
    assert agreement.unanimous_share(SKEWED) == pytest.approx(0.89)


def test_the_order_of_items_raters_and_labels_changes_nothing():
    ratings = np.random.default_rng(1).integers(0, 3, (40, 3))
    for measure in (agreement.gwet_ac1, agreement.unanimous_share):
        want = pytest.approx(measure(ratings))
        assert measure(ratings[::-1]) == want
        assert measure(ratings[:, ::-1]) == want
        assert measure(2 - ratings) == want


def test_missing_ratings_leave_the_pairs_that_remain():
    gaps = [(1, 1, None), (0, 0, np.nan), (1, 0, None), (None, 1, None), (None, None, None)]
    share = (1 + 0 + 0.5 + 1) / 4  # the item with one rating counts for prevalence
    chance = 2 * share * (1 - share)
    assert agreement.gwet_ac1(gaps) == pytest.approx((2 / 3 - chance) / (1 - chance))
    with pytest.raises(ValueError, match="8 ratings are missing"):
        agreement.unanimous_share(gaps)


def test_one_label_throughout_leaves_kappa_undefined():
    assert np.isnan(agreement.cohen_kappa([1, 1], [1, 1]))


@pytest.mark.parametrize("ratings", [[], [1, 0, 1], [(1,), (0,)]])
def test_one_rater_is_refused(ratings):
    with pytest.raises(ValueError, match="two or more raters"):
        agreement.gwet_ac1(ratings)


def test_raters_without_a_common_item_are_refused():
    with pytest.raises(ValueError, match="No item has two ratings"):
        agreement.gwet_ac1([(1, None), (None, 0)])
