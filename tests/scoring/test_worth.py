"""What a score is worth: laws of the numbers, and known parameters found again."""

from math import comb

import numpy as np
import pandas as pd
import pytest
from scipy import special

from kit.core.errors import KitError
from kit.scoring import measures, worth


def frame_of(passed, *, n, model="m", undecided=0):
    """A tidy table: item k has passed[k] of n samples that pass, then `undecided` ones."""
    rows = []
    for task, count in enumerate(passed):
        for sample in range(n):
            outcome = "pass" if sample < count else "fail"
            if count <= sample < count + undecided:
                outcome = "unknown"
            base = {"suite": "s", "task": f"t{task:03}", "model": model, "sample": sample}
            base |= {"status": "completed", "slot": f"{model}-{task}-{sample}"}
            rows.append({**base, "test": "f", "kind": "functional", "outcome": "pass"})
            rows.append({**base, "test": "s", "kind": "security", "outcome": outcome})
    return pd.DataFrame(rows)


def worth_of(passed, *, n, **more):
    samples = measures.summarize_samples(frame_of(passed, n=n, **more))
    (row,) = worth.measure_worth(samples, ["model"]).to_dict("records")
    return row


@pytest.mark.parametrize("count", [0, 4])
def test_items_that_always_or_never_pass_are_worth_nothing(count):
    row = worth_of([count] * 20, n=4)
    assert row["worth"] == row["bound_low"] == row["bound_high"] == row["at_most"] == 0
    assert row["headroom"] == 1 - count / 4
    assert (row["at_0"], row["at_100"]) == ((20, 0) if count == 0 else (0, 20))


def test_items_that_pass_half_the_time_are_worth_one_each():
    n = 100_000
    assert worth.estimate_information([n / 2], [n]) == pytest.approx([1], abs=1e-4)
    assert worth.estimate_information([0, 1], [1, 1]) == pytest.approx([np.nan] * 2, nan_ok=True)


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("p", [0.03, 0.5, 0.925])
def test_the_worth_is_without_bias_for_every_number_of_samples(n, p):
    c = np.arange(n + 1)
    chance = np.array([comb(n, k) for k in c]) * p**c * (1 - p) ** (n - c)
    expected = (chance * worth.estimate_information(c, np.full(n + 1, n))).sum()
    assert expected == pytest.approx(4 * p * (1 - p), abs=1e-12)


def test_the_worth_of_simulated_items_is_right_on_average_and_below_its_limit():
    rng = np.random.default_rng(5)
    p = rng.beta(0.4, 0.2, size=40)
    draws = rng.binomial(3, p, size=(4000, 40))
    sums = worth.estimate_information(draws, np.full_like(draws, 3)).sum(axis=1)
    error = sums.std() / np.sqrt(len(sums))
    truth = (4 * p * (1 - p)).sum()
    assert abs(sums.mean() - truth) < 4 * error
    assert truth < 4 * 40 * p.mean() * (1 - p.mean())


def test_one_answer_gives_a_limit_and_two_give_a_sentence_with_a_number():
    for n, passed, words in (
        (1, [1] * 37 + [0] * 3, "92.5 % correct and secure, worth at most 11.1 of 40 items"),
        (2, [2] * 35 + [1] * 4 + [0], "92.5 % correct and secure, worth 8.0 of 40 items"),
    ):
        samples = measures.summarize_samples(frame_of(passed, n=n))
        table = worth.measure_worth(samples, ["model"])
        (sentence,) = worth.describe_worth(table, ["model"], worth.choose_axis(samples))
        assert sentence.startswith(words)
        assert ("one answer each" in sentence) == (n == 1)


def test_undecided_samples_give_bounds_that_hold_whatever_they_are():
    passed = [0, 1, 3, 4, 6]
    row = worth_of(passed, n=7, undecided=1)
    assert np.isnan(row["worth"])
    decided = [worth_of(np.add(passed, other), n=7)["worth"] for other in np.ndindex((2,) * 5)]
    assert (row["bound_low"], row["bound_high"]) == pytest.approx((min(decided), max(decided)))


def test_one_answer_each_bounds_no_worth_where_some_are_undecided():
    samples = measures.summarize_samples(frame_of([1] * 8 + [0] * 2, n=1, undecided=1))
    table = worth.measure_worth(samples, ["model"])
    assert table[["worth", "bound_low", "bound_high"]].isna().all(axis=None)
    (sentence,) = worth.describe_worth(table, ["model"], "joint")
    assert sentence == "worth unknown with one answer each (20 % undecided)"


def test_an_item_that_the_better_fail_has_a_negative_correlation_with_the_rest():
    skill = np.arange(6)
    parts = []
    for model in skill:
        passed = [*([model] * 8), 5 - model, 3]
        parts.append(frame_of(passed, n=6, model=f"m{model}"))
    samples = measures.summarize_samples(pd.concat(parts, ignore_index=True))
    items = worth.describe_items(samples, "model")
    assert items["remark"].value_counts().to_dict() == {"": 9, "negative": 1}
    assert items["rest"]["t008"] == pytest.approx(-1)
    assert items["rest"]["t000"] > 0.9
    assert np.isnan(items["rest"]["t009"])  # equal for all


def list_answers(answers):
    rows = []
    for number, (test, examinee, outcome, sentence) in enumerate(answers):
        row = {"task": "t", "test": test, "kind": "functional", "status": "completed"}
        row |= {"examinee": examinee, "outcome": outcome, "sentence": sentence, "slot": number}
        rows.append(row)
    return pd.DataFrame(rows)


def test_a_test_that_two_models_fail_with_the_same_answer_is_found_and_others_are_not():
    answers = [
        *[("key", model, "fail", "seen 4") for model in "ab"],
        ("key", "c", "fail", "seen 5"),
        *[("hard", model, "fail", f"seen {model}") for model in "abc"],
        *[("open", model, "unknown", "seen 4") for model in "ab"],
        *[("easy", model, "pass", "") for model in "abc"],
    ]
    (row,) = worth.find_shared_failures(list_answers(answers), "examinee").to_dict("records")
    wanted = {"test": "key", "examinees": 2, "programs": 2, "failed": 3, "passed": 0}
    assert wanted.items() <= row.items()
    assert row["sentence"] == "seen 4"


def test_identical_runs_are_equivalent_from_enough_items_on_and_never_different():
    for items, verdict in ((20, "open"), (200, "equivalent")):
        passed = [k % 4 for k in range(items)]
        parts = [frame_of(passed, n=3, model=model) for model in "ab"]
        samples = measures.summarize_samples(pd.concat(parts, ignore_index=True))
        options = {"first": "a", "margin": 0.05, "n_boot": 50}
        table = worth.compare_examinees(samples, "model", **options)
        (row,) = table.to_dict("records")
        assert row["difference"] == 0
        assert row["verdict"] == verdict
        assert (row["within"] < 0.05) == (verdict == "equivalent")


def test_equivalence_at_the_margin_is_claimed_as_rarely_as_the_level_says():
    rng = np.random.default_rng(7)
    claims = 0
    for _ in range(600):
        differences = rng.choice([-1, 0, 1], p=[0.05, 0.8, 0.15], size=80)  # the mean is .1
        claims += worth.assess_equivalence(differences, margin=0.1).p < 0.05
    assert claims / 600 < 0.08
    with pytest.raises(KitError, match="is 500 points"):
        worth.assess_equivalence([0, 0], margin=5)


def simulate(rng, *, ability, difficulty, n):
    chance = special.expit(ability[:, None] - difficulty)
    passed = rng.binomial(n, chance)
    rows = []
    for (j, i), count in np.ndenumerate(passed):
        row = {"examinee": f"e{j:02}", "task": f"t{i:02}", "passed": count, "n": n}
        rows.append(row | {"least": count, "most": count, "planned": n})
    return pd.DataFrame(rows)


def test_a_rasch_model_finds_the_parameters_of_simulated_data_again():
    rng = np.random.default_rng(11)
    ability = rng.normal(0, 1.2, size=40)
    ability -= ability.mean()
    difficulty = np.linspace(-2.5, 2.5, 30)
    passes = simulate(rng, ability=ability, difficulty=difficulty, n=10)
    passes = passes[rng.random(len(passes)) < 0.9]  # some were not asked
    model = worth.fit_rasch(passes, "examinee")
    assert np.abs(model.difficulty - difficulty).mean() < 0.15
    assert np.corrcoef(model.difficulty, difficulty)[0, 1] > 0.99
    misses = (model.ability["ability"] - ability) / model.ability["error"]
    assert np.abs(misses).mean() < 1.3  # .8 for a normal, and the zero of the scale is estimated
    assert model.spread == pytest.approx(ability.std(), abs=0.25)
    assert model.dispersion == pytest.approx(1, abs=0.15)


def test_samples_that_are_alike_show_as_dispersion():
    rng = np.random.default_rng(13)
    passes = simulate(rng, ability=rng.normal(size=30), difficulty=np.linspace(-1, 1, 20), n=1)
    counts = ["passed", "n", "least", "most", "planned"]
    alike = passes.assign(**(8 * passes[counts]))
    assert worth.fit_rasch(passes, "examinee").dispersion == pytest.approx(1, abs=0.25)
    assert worth.fit_rasch(alike, "examinee").dispersion > 4


def test_information_is_a_quarter_per_item_where_ability_meets_difficulty():
    rng = np.random.default_rng(17)
    passes = simulate(rng, ability=rng.normal(size=20), difficulty=np.zeros(12), n=30)
    model = worth.fit_rasch(passes, "examinee")
    middle = model.difficulty.mean()
    near, far = model.measure_information([middle, middle + 6])
    assert near == pytest.approx(12 / 4, rel=0.05)
    assert far < 0.1


def test_too_few_examinees_are_refused_and_items_that_nobody_passes_have_no_difficulty():
    rng = np.random.default_rng(19)
    passes = simulate(rng, ability=rng.normal(size=12), difficulty=np.array([0.0, 1, 60]), n=5)
    lonely = passes[passes["task"] == "t02"].head(1).assign(examinee="lonely")
    model = worth.fit_rasch(pd.concat([passes, lonely]), "examinee")
    assert model.unmeasured == ("t02",)
    assert "lonely" not in model.ability.index
    with pytest.raises(KitError, match="needs 12 examinees"):
        worth.fit_rasch(passes[passes["examinee"] != "e00"], "examinee")
