"""The items of a recorded run and of the published matrix, as a notebook studies them."""

import pandas as pd
import pytest

from kit import explore
from kit.core.errors import KitError
from kit.core.paths import PUBLISHED
from kit.papers import compare
from tests.support.commands import told


@pytest.fixture(scope="module")
def matrix():
    return explore.ItemStudy.of(["seccodebench"])


def test_the_matrix_gives_the_scores_that_its_authors_print(matrix):
    both = compare(matrix.weighted_rates, matrix.printed)
    assert len(both) == 56
    assert set(both["verdict"]) == {"match"}


def test_a_mean_in_the_middle_may_rest_on_few_items(matrix):
    scores = matrix.scores.set_index("examinee")
    opus = scores.loc["Claude Opus 4.6, gen"]
    assert opus["rate"] == pytest.approx(52, abs=1)
    assert opus["worth"] == pytest.approx(8.1, abs=0.05)
    assert opus["at_0"] + opus["at_100"] == 98 - 11
    assert scores.loc["GPT-5.4, gen", "worth"] == pytest.approx(12.2, abs=0.05)
    assert (scores["worth"] < scores["at_most"]).all()


def test_a_cell_that_was_not_published_is_missing_and_not_zero(matrix):
    scores = matrix.scores.set_index("model")
    assert set(scores.loc["MiniMax M2.1", "items"]) == {97}
    assert matrix.items["n"].value_counts().to_dict() == {560: 97, 540: 1}


def test_a_language_that_belongs_to_the_item_makes_no_examinee(matrix):
    assert matrix.apart == ["model", "prompt"]
    assert list(matrix.rates("prompt")) == ["gen", "genhints"]
    assert (matrix.rates("language") == "–").sum(axis=1).eq(4).all()  # one of five has numbers
    assert len(matrix.rasch.ability) == 56
    assert matrix.rasch.dispersion > 2
    assert set(matrix.items.index[matrix.items["remark"] == "0 for all"]) < set(
        matrix.rasch.unmeasured
    )
    assert matrix.shared_failures.empty


def test_the_score_of_a_run_says_what_it_is_worth():
    (row,) = [r for r in told("score", "claude-plain")["worth"] if r["language"] == "python"]
    study = explore.ItemStudy.of(["claude-plain"])
    scores = study.scores.set_index("language")
    assert row["worth"] == scores.loc["python", "worth"] <= 40
    undecided = explore.ItemStudy.of(["claude-cpp"])
    assert undecided.scores["worth"].isna().all()  # too much is
    assert study.items.loc["k01", "vacuous"] == 1  # secure, for it does nothing
    assert study.rasch is None


def test_programs_of_several_runs_that_fail_alike_are_listed():
    study = explore.ItemStudy.of(["claude-plain", "claude-reminder"])
    assert study.apart == ["model", "language", "hint"]
    (row,) = study.shared_failures.query("task == 'k18'").to_dict("records")
    assert row["examinees"] == row["programs"] == row["failed"] == 2
    assert isinstance(study.compare(margin=5, n_boot=50), pd.DataFrame)


def test_runs_of_two_suites_and_unknown_words_are_refused():
    with pytest.raises(KitError, match="Give runs of one suite"):
        explore.ItemStudy.of(["claude-plain", "claude-completions"])
    with pytest.raises(KitError, match="Nothing to study"):
        explore.ItemStudy.of([])
    with pytest.raises(KitError, match="There are: joint, functional, secure"):
        explore.ItemStudy.of(["claude-plain"], axis="both")
    with pytest.raises(KitError, match="no-results.csv cannot be read"):
        explore.ItemStudy.of(["no-results.csv"])
    with pytest.raises(KitError, match="no column 'task'"):
        explore.ItemStudy.of([str(PUBLISHED / "seccodebench" / "leaderboard.csv")])


def test_columns_are_the_examinees_unless_named_and_unknown_ones_are_refused():
    study = explore.ItemStudy.of(["claude-short"])
    assert study.rates().equals(study.rates("examinee"))
    assert set(study.measure("cwe", n_boot=20)["cwe"]) >= {"CWE-22", "CWE-79"}
    for tabulate in (study.rates, study.measure, study.pairs):
        with pytest.raises(KitError, match="There is no column 'colour'"):
            tabulate("colour")
