"""Ratings: who said what is kept, the last word counts, agreement has its laws."""

import numpy as np
import pytest

from kit.errors import KitError
from kit.metrics import agreement
from kit.records import Task, Test
from kit.review import items

TASK = Task("k1", "demo", "Write <b>it</b>.", (Test("sec-0", "security", 1, behavior="x"),))
ALL = dict.fromkeys(items.FIELDS, True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews" / "ratings.jsonl"


def rng():
    return np.random.default_rng(7)


def test_the_last_word_counts_and_the_earlier_one_stays(path):
    items.add(path, {"prompt_clear": True}, rater="ann", item="k1")
    items.add(path, {"prompt_clear": False}, rater="ann", item="k1", note="which folder?")
    items.add(path, {"prompt_clear": True}, rater="ann", item="k1", phase="negotiated")
    words = items.read(path)
    assert len(words) == 3
    assert items.latest(words)["value"].tolist() == [False]
    assert items.latest(words, phase="negotiated")["value"].tolist() == [True]
    assert words["note"].tolist()[1] == "which folder?"


def test_no_file_means_no_ratings_and_no_agreement(path):
    rows = items.review_agreement(items.latest(items.read(path)), rng=rng())
    assert rows["items"].eq(0).all()
    assert "AC1" not in rows


@pytest.mark.parametrize(
    ("answers", "rater", "phase"),
    [({"nice": True}, "ann", "independent"), (ALL, " ", "independent"), (ALL, "ann", "third")],
)
def test_what_is_no_rating_is_refused_and_not_written(path, answers, rater, phase):
    with pytest.raises(KitError):
        items.add(path, answers, rater=rater, item="k1", phase=phase)
    assert not path.exists()


@pytest.mark.parametrize("line", ["{", "[]", '{"field": "prompt_clear", "value": 1}', "null"])
def test_a_broken_line_is_named(path, line):
    items.add(path, ALL, rater="ann", item="k1")
    with path.open("a") as file:
        file.write(line + "\n")
    with pytest.raises(KitError, match="line 10"):
        items.read(path)


def test_an_item_holds_when_all_nine_fields_do_and_all_were_answered(path):
    items.add(path, ALL, rater="ann", item="good")
    items.add(path, {**ALL, "cwe_consistent": False}, rater="ann", item="bad")
    items.add(path, {"prompt_clear": False}, rater="ann", item="begun")
    rows = items.final(items.latest(items.read(path)))
    assert dict(zip(rows["item"], rows["value"], strict=True)) == {"good": True, "bad": False}


def test_the_table_equals_the_plain_estimators():
    words = items.simulated([f"i{n}" for n in range(80)], raters=3, sound=0.9, slip=0.1, rng=rng())
    table = items.review_agreement(words, rng=rng(), n_boot=400).set_index("field")
    wide = words[words["field"] == "prompt_clear"].pivot(
        index="item", columns="rater", values="value"
    )
    assert table.loc["prompt_clear", "AC1"] == pytest.approx(agreement.ac1(wide))
    assert table.loc["prompt_clear", "raw"] == pytest.approx(agreement.raw(wide))
    assert table.loc[items.FINAL, "raw"] < table.loc[items.POOLED, "raw"]
    assert ((table["AC1_low"] <= table["AC1"]) & (table["AC1"] <= table["AC1_high"])).all()
    pooled, single = table.loc[items.POOLED], table.loc["prompt_clear"]
    assert pooled["AC1_high"] - pooled["AC1_low"] < single["AC1_high"] - single["AC1_low"]


def test_raters_who_never_slip_agree_wholly_and_equal_seeds_give_equal_limits():
    words = items.simulated(["a", "b", "c", "d"], raters=3, sound=0.7, slip=0.0, rng=rng())
    first, second = (items.review_agreement(words, rng=rng(), n_boot=200) for _ in range(2))
    assert first.equals(second)
    assert (first["AC1"] == 1).all()
    assert (first["split"] == 0).all()
    assert (first["raw_low"][2:] < 1).all()  # four items prove little


def test_the_limits_cover_the_truth_about_as_often_as_they_say():
    """Chance of equal labels of two raters who slip with .1 each: .82."""
    draws, hits = np.random.default_rng(3), 0
    for _ in range(60):
        truth = draws.random((60, 1)) < 0.8
        ratings = truth ^ (draws.random((60, 2)) < 0.1)
        yes = 0.8 * 0.9 + 0.2 * 0.1
        chance = 2 * yes * (1 - yes)
        ac1 = agreement.intervals(ratings, rng=draws, n_boot=300)[0]
        hits += ac1.low <= (0.82 - chance) / (1 - chance) <= ac1.high
    assert hits >= 50


def test_rows_of_one_group_are_drawn_together():
    """Nine copies of each row carry the information of one."""
    ratings = np.random.default_rng(1).random((40, 3)) < 0.7
    one = agreement.intervals(ratings, rng=rng())[0]
    nine = agreement.intervals(
        np.repeat(ratings, 9, axis=0), groups=np.repeat(np.arange(40), 9), rng=rng()
    )[0]
    assert nine.estimate == pytest.approx(one.estimate)
    assert nine.high - nine.low == pytest.approx(one.high - one.low, rel=0.1)


def test_the_form_saves_what_changed_and_shows_a_rater_only_their_own(path):
    form = items.ReviewForm([TASK], path)
    form.save.click()
    assert "Give your name" in form.status.value
    form.rater.value = "ann"
    form.answers["prompt_clear"].value = True
    form.answers["cwe_consistent"].value = False
    form.note.value = "hm"
    form.save.click()
    assert "saved 2 answers" in form.status.value
    form.save.click()
    assert "saved 0 answers" in form.status.value
    form.rater.value = "bob"
    assert {w.value for w in form.answers.values()} == {None}
    form.rater.value = "ann"
    assert form.answers["cwe_consistent"].value is False
    assert items.read(path)["rater"].tolist() == ["ann", "ann"]
    assert "&lt;b&gt;" in form.page.value
