"""Verdicts are drawn evenly and labelled blind; the labels weigh as much as what they stand for."""

import pytest

from kit.core.errors import KitError
from kit.core.paths import RUNS
from kit.explore import Explorer, blind
from kit.papers import replication
from kit.run.suites import open_suite
from tests.support import judged


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Four programs that pass all, and one that fails the last test of each kind."""
    suite = open_suite("dualgauge")
    tasks = suite.load().tasks[:5]
    words = ("pp", "pp", "pp", "pp", "ff")
    answers = [(task, "some-model", 0, {}, word) for task, word in zip(tasks, words, strict=True)]
    return str(judged.run(tmp_path_factory.mktemp("blind") / "run", suite, answers))


def label_all(form, choose):
    """Let a rater label every drawn test as `choose` says of its verdict."""
    form.rater.value = "ann"
    for place, outcome in enumerate(form.drawn["outcome"]):
        form.chosen.value = place
        form.answers["outcome"].value = choose(outcome)
        if form.answers["outcome"].value == "fail":
            form.answers["code"].value = ""
        form.save.click()


def test_a_page_says_neither_the_verdict_nor_whose_program_it_is(run):
    explorer = Explorer.of(run)
    form = explorer.draw_blind(8)
    assert form.drawn.groupby(blind.STRATUM).size().tolist() == [1, 3, 1, 3]
    slot, test = form.drawn.loc[0, ["slot", "test"]]
    assert "some-model" in explorer.case(slot, test)
    assert "some-model" not in form.page.value
    for place in range(len(form.drawn)):
        form.chosen.value = place
        assert "Result of this test" in form.page.value
        assert "Decided by" not in form.page.value


def test_the_absence_of_evidence_gives_no_verdict_away():
    explorer = Explorer.of("claude-cpp")
    drawn = explorer.draw_blind(8).drawn
    kept = [bool(explorer.store.cell(*place)[0]) for place in drawn[blind.KEY].to_numpy()]
    assert {*kept} == {True, False}  # that of failed tests alone
    form = explorer.draw_blind(8)
    for place in range(len(drawn)):
        form.chosen.value = place
        assert "Not shown: this run keeps" in form.page.value


def test_labels_weigh_as_much_as_their_strata(run):
    with pytest.raises(KitError, match="Nobody has labelled"):
        replication.oracle(run)
    explorer = Explorer.of(run)
    label_all(explorer.draw_blind(8), lambda _: "pass")
    rows = blind.read_labelled(run)
    sizes = explorer.rows.groupby(blind.STRATUM).size()
    assert rows.groupby(blind.STRATUM)["weight"].sum().tolist() == pytest.approx(sizes.tolist())
    # people call everything right: recall is the share of all tests that the oracle passes
    found = replication.oracle(run).loc["both"]
    passed = (explorer.rows["outcome"] == "pass").mean()
    assert (found["precision"], found["recall"]) == pytest.approx((1, passed))
    label_all(explorer.draw_blind(8), lambda outcome: outcome)
    assert replication.oracle(run)["F1"].tolist() == [1, 1, 1]
    assert found["stand for"] == pytest.approx(len(explorer.rows))
    labels = blind.blind_path(explorer.store.path)
    labels.write_text(labels.read_text().splitlines()[0])
    stratum = blind.read_labelled(run).loc[0, blind.STRATUM]
    assert replication.oracle(run).loc["both", "stand for"] == sizes[tuple(stratum)]


def test_a_run_of_labelled_programs_keeps_the_labels_of_its_suite():
    assert replication.oracle("labelled-dualgauge").loc["both", "tests"] > 1000
    assert not blind.blind_path(RUNS / "labelled-dualgauge" / "run.sqlite").exists()
