"""Ratings: who said what is kept, the last word counts, agreement has its laws."""

import json
from dataclasses import replace

import numpy as np
import pytest

from kit.core.errors import KitError
from kit.core.records import Task, Test
from kit.explore.labels import LABEL
from kit.review import items
from kit.review.failures import FAILURE
from kit.review.items import ITEM
from kit.scoring import agreement

TASK = Task("k1", "demo", "Write <b>it</b>.", (Test("sec-0", "security", 1, behavior="x"),))
ALL = dict.fromkeys(items.FIELDS, "yes")
GOOD = {
    "rater": "ann",
    "slot": "s",
    "test": "t",
    "kind": "security",
    "round": "independent",
    "outcome": "fail",
    "code": "no guard",
    **ALL,
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "reviews" / "ratings.jsonl"


def rng():
    return np.random.default_rng(7)


def rate(rated, path, **answers):
    """Add a rating that has no mistake but those in the answers."""
    known = {name: GOOD.get(name, "") for name in rated.columns}
    rated.add(path, known | answers)


@pytest.mark.parametrize("kind", [ITEM, LABEL, FAILURE])
def test_the_last_word_counts_and_the_earlier_one_stays(kind, path):
    assert kind.read(path).empty
    rate(kind, path)
    rate(kind, path, rater="bob")
    rate(kind, path, when="later")
    other = kind.subject[-1]
    rate(kind, path, **{other: "negotiated"})
    ratings = kind.read(path)
    assert ratings[["rater", "when"]].to_numpy().tolist() == [
        ["bob", ""],
        ["ann", "later"],
        ["ann", ""],
    ]
    assert ratings[other].nunique() == 2
    assert len(path.read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("rated", "mistake"),
    [
        (ITEM, {"rater": " "}),
        (ITEM, {"nice": "yes"}),
        (ITEM, {"prompt_clear": "maybe"}),
        (ITEM, {"note": 5}),
        (LABEL, {"outcome": "good"}),
        (LABEL, {"outcome": ""}),
        (LABEL, {"code": "none such"}),
        (LABEL, {"code": "no guard", "outcome": "pass"}),
        (FAILURE, {"code": ""}),
        (FAILURE, {"code": "no guard", "kind": "functional"}),
    ],
)
def test_what_is_no_rating_is_refused_and_not_written(rated, mistake, path):
    with pytest.raises(KitError, match="Give"):
        rate(rated, path, **mistake)
    assert not path.exists()


@pytest.mark.parametrize("kind", [ITEM, LABEL, FAILURE])
@pytest.mark.parametrize("line", ["{", "[]", '{"rater": "ann"}', "null"])
def test_a_broken_line_is_named(kind, line, path):
    rate(kind, path)
    with path.open("a") as file:
        file.write(f"\n{line}\n")
    with pytest.raises(KitError, match="line 3 is not a rating"):
        kind.read(path)


def test_no_file_means_no_ratings_and_no_agreement(path):
    rows = items.review_agreement(items.read_answers(path), rng=rng())
    assert rows["items"].eq(0).all()
    assert "AC1" not in rows


def test_an_item_holds_when_all_nine_fields_do_and_all_were_answered(path):
    rate(ITEM, path, item="good")
    rate(ITEM, path, item="bad", cwe_consistent="no")
    rate(ITEM, path, item="begun", prompt_clear="no", cwe_consistent="")
    rows = items.find_sound_items(items.read_answers(path))
    assert dict(zip(rows["item"], rows["value"], strict=True)) == {"good": True, "bad": False}


def test_the_table_equals_the_plain_estimators():
    words = items.simulate_raters(
        [f"i{n}" for n in range(80)], raters=3, sound=0.9, slip=0.1, rng=rng()
    )
    table = items.review_agreement(words, rng=rng(), n_boot=400).set_index("field")
    wide = words[words["field"] == "prompt_clear"].pivot(
        index="item", columns="rater", values="value"
    )
    assert table.loc["prompt_clear", "AC1"] == pytest.approx(agreement.gwet_ac1(wide))
    assert table.loc["prompt_clear", "raw"] == pytest.approx(agreement.unanimous_share(wide))
    assert table.loc[items.FINAL, "raw"] < table.loc[items.POOLED, "raw"]
    assert ((table["AC1_low"] <= table["AC1"]) & (table["AC1"] <= table["AC1_high"])).all()
    pooled, single = table.loc[items.POOLED], table.loc["prompt_clear"]
    assert pooled["AC1_high"] - pooled["AC1_low"] < single["AC1_high"] - single["AC1_low"]


def test_raters_who_never_slip_agree_wholly_and_equal_seeds_give_equal_limits():
    words = items.simulate_raters(["a", "b", "c", "d"], raters=3, sound=0.7, slip=0.0, rng=rng())
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
        ac1 = agreement.estimate_intervals(ratings, rng=draws, n_boot=300)[0]
        hits += ac1.low <= (0.82 - chance) / (1 - chance) <= ac1.high
    assert hits >= 50


def test_rows_of_one_group_are_drawn_together():
    """Nine copies of each row carry the information of one."""
    ratings = np.random.default_rng(1).random((40, 3)) < 0.7
    one = agreement.estimate_intervals(ratings, rng=rng())[0]
    nine = agreement.estimate_intervals(
        np.repeat(ratings, 9, axis=0), groups=np.repeat(np.arange(40), 9), rng=rng()
    )[0]
    assert nine.estimate == pytest.approx(one.estimate)
    assert nine.high - nine.low == pytest.approx(one.high - one.low, rel=0.1)


def test_the_form_saves_goes_on_and_shows_a_rater_only_their_own(path):
    form = items.ReviewForm([TASK], path)
    form.save.click()
    assert "Give your name" in form.status.value
    form.rater.value = "ann"
    form.answers["prompt_clear"].value = "yes"
    form.answers["note"].value = "hm"
    assert "&lt;b&gt;" in form.page.value
    form.save.click()
    assert form.status.value == "saved; 1 of 2 rated"
    assert form.chosen.label == "2  k1 negotiated"
    form.chosen.value = 0
    form.rater.value = "bob"
    assert {widget.value for widget in form.answers.values()} == {""}
    form.rater.value = "ann"
    assert (form.answers["prompt_clear"].value, form.answers["note"].value) == ("yes", "hm")
    assert form.words[["rater", "round", "field"]].to_numpy().tolist() == [
        ["ann", "independent", "prompt_clear"]
    ]
    path.unlink()
    path.mkdir()  # nobody can write to that
    form.save.click()
    assert "cannot be written" in form.status.value
    path.rmdir()
    empty = items.ReviewForm([], path)
    empty.save.click()
    assert empty.status.value == "Nothing is left to rate."


def test_raters_of_java_instances_answer_their_own_five_questions(path):
    details = json.dumps({"function_body": "int one() {}", "report": {"rule": "links"}})
    tasks = [replace(TASK, id=name, suite="realsec", details=details) for name in ("k1", "k2")]
    form = items.ReviewForm(tasks, path)
    assert [*form.answers] == [*items.INSTANCE_FIELDS, "note"]
    for text in ("int one() {}", "links", "Write &lt;b&gt;it"):
        assert text in form.page.value
    for rater, last in (("ann", "yes"), ("bob", "no")):
        form.rater.value = rater
        for number in (0, 1):
            form.chosen.value = number
            for field in items.INSTANCE_FIELDS:
                form.answers[field].value = "yes"
            form.answers["cwe_right"].value = last if number else "yes"
            form.save.click()
    rows = form.agreement(form.words, rng=rng(), n_boot=50).set_index("field")
    assert [*rows.index] == [items.FINAL, items.POOLED, *items.INSTANCE_FIELDS]
    assert rows["raters"].eq(2).all()
    split = {items.FINAL: 1, items.POOLED: 1, "cwe_right": 1}
    assert rows["split"].to_dict() == dict.fromkeys(items.INSTANCE_FIELDS, 0) | split
    assert set(form.simulated(["a"], raters=2, sound=1, slip=0, rng=rng())["field"]) == {
        *items.INSTANCE_FIELDS
    }
