"""Labels of people, voices at odds, and two runs beside each other."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from kit import explore
from kit.core.errors import KitError
from kit.core.store import Store, slot_of
from kit.explore import labels
from kit.run.suites import open_suite
from kit.scoring import agreement, stats
from tests.support import evil, judged

stored = cache(explore.Explorer.of)  # a run of the repository, opened once; nothing is chosen in it


@pytest.fixture
def run(tmp_path):
    return evil.run(tmp_path / "run"), evil.suite(tmp_path / "tasks")


def opened(run):
    return explore.Explorer.of(str(run[0]), data=str(run[1]))


def say(explorer, slot, test, outcome, rater="ann", **more):
    path = labels.labels_path(explorer.store.path)
    label = {"rater": rater, "slot": slot, "test": test, "kind": "security", "outcome": outcome}
    labels.LABEL.add(path, dict.fromkeys(labels.LABEL.columns, "") | label | more)


def test_a_label_given_in_the_box_is_kept_beside_the_run_and_becomes_a_voice(run):
    explorer = opened(run)
    slot, test = explorer.samples.value, explorer.tests.value
    box = explorer.label
    box.rater.value = "ann"
    for name, answer in {"outcome": "fail", "code": "other", "reason": evil.EVIL}.items():
        box.answers[name].value = answer
    box.save.click()
    assert box.status.value == "saved; 1 labelled by you"
    (word,) = explorer.disagreements.labels.to_dict("records")
    assert (word["slot"], word["test"], word["code"]) == (slot, test, "other")
    assert word["reason"] == evil.EVIL
    assert explorer.disagreements.voice_outcomes.loc[(slot, test), "ann"] == "fail"
    again = opened(run).label
    again.show(slot, test, "security")
    assert again.answers["outcome"].value is None  # what others said is not shown
    again.rater.value = "ann"
    assert [widget.value for widget in again.answers.values()] == ["fail", "other", evil.EVIL]


def test_the_last_word_of_a_person_counts_and_who_differs_is_at_odds(run):
    explorer = opened(run)
    rows = explorer.rows[explorer.rows["outcome"] == "pass"]
    slot, test = rows[["slot", "test"]].iloc[0]
    found = explorer.disagreements
    assert found.labelling_queue.empty
    say(explorer, slot, test, "unknown")
    say(explorer, slot, test, "fail", code="no guard")
    assert found.labelling_queue.empty  # a person has spoken
    (row,) = found.agreement(rng=stats.seed("t"), n_boot=50).to_dict("records")
    assert (row["second"], row["tests"], row["split"], row["raw"]) == ("ann", 1, 1, 0)


def test_agreement_is_that_of_the_metric_over_what_both_decided(run):
    explorer, rng = opened(run), np.random.default_rng(1)
    for slot, test in explorer.rows[["slot", "test"]].to_numpy():
        say(explorer, slot, test, str(rng.choice(["pass", "fail", "unknown"])))
    found = explorer.disagreements
    wide = found.voice_outcomes[["oracle", "ann"]]
    wide = wide[wide.isin(["pass", "fail"]).all(axis=1)]
    row = found.agreement(rng=stats.seed("t"), n_boot=50).iloc[0]
    assert row["AC1"] == pytest.approx(agreement.gwet_ac1(wide))
    grown = found.agreement_growth(rng=stats.seed("t"), n_boot=50)
    assert grown["tests"].is_monotonic_increasing
    assert grown["value"].iloc[-1] == pytest.approx(row["AC1"])


def test_the_queue_takes_one_of_each_kind_of_doubt_before_a_second():
    queue = stored("ossbench-cjson").disagreements.labelling_queue
    kinds = queue.groupby(["task", "by", "reason"]).ngroups
    assert kinds < len(queue)
    assert not queue.head(kinds).duplicated(["task", "by", "reason"]).any()
    assert set(queue["oracle"]) == {"unknown"}


def test_the_queue_holds_only_tests_that_a_program_was_executed_for(tmp_path):
    suite = open_suite("dualgauge")
    (task,) = suite.load().select_tasks(["k01"])
    answers = [(task, "m", n, (), letters) for n, letters in enumerate(("uu", *judged.NONE))]
    found = explore.Explorer.of(str(judged.run(tmp_path / "run", suite, answers))).disagreements
    assert set(found.rows.loc[found.labelling_queue.index, "sample"]) == {0}
    assert found.is_idle.sum() == len(judged.NONE) * len(task.tests)


def test_an_adjudicated_test_leaves_the_queue_in_the_browserless_form(run):
    explorer = opened(run)
    slot, test = explorer.rows.query("outcome == 'pass'")[["slot", "test"]].iloc[0]
    explorer.store.close()
    with Store(run[0]) as store:
        verdict = store.db.execute(
            "SELECT verdict FROM cells WHERE slot = ? AND test = ?", (slot, test)
        ).fetchone()[0]
        other = store.db.execute("SELECT key FROM verdicts WHERE outcome = 'fail'").fetchone()[0]
        store.put_opinion(slot, test, oracle=evil.EVIL, verdict=other, offline=verdict)
    found = opened(run).disagreements
    (row,) = found.labelling_queue.itertuples()
    assert (row.slot, row.test, row.why) == (slot, test, "contested")
    _, told, box = found.view.children
    rater, listed, outcome, _, _, save, status, page = box.children
    assert evil.IMG not in page.value
    rater.value, outcome.value = "ann", "fail"
    save.click()
    assert status.value == "saved; 1 labelled by you"
    assert listed.options == ()
    assert page.value == "Nothing is left to rate."
    assert told.value.startswith("0 tests to label")


def test_a_run_beside_itself_flips_nothing_and_swapping_runs_swaps_the_test():
    one, two = (stored(r) for r in ("ossbench-cjson", "ossbench-cjson-smollm2"))
    same = one.compare(one)
    assert len(same.pairs) == one.quadrants["slot"].nunique()
    assert same.changed_pairs.empty
    same_p = same.tests(n_boot=50)["p"]
    assert (same_p.dropna() == 1).all()
    assert same_p.notna().any()
    there, back = one.compare(two), two.compare(one)
    pd.testing.assert_frame_equal(
        there.quadrant_transitions, back.quadrant_transitions.T, check_names=False
    )
    a, b = (found.tests(n_boot=50).set_index("metric") for found in (there, back))
    assert a["p"].tolist() == pytest.approx(b["p"].tolist(), nan_ok=True)
    secure = a.loc["secure@1"]
    assert (secure["worse"], secure["better"]) == tuple(b.loc["secure@1", ["better", "worse"]])
    sides = (there.pairs[f"secure_{side}"].fillna(False) for side in ("first", "second"))
    assert secure["worse"] == sum(x and not y for x, y in zip(*sides, strict=True)) > 0


def test_runs_without_a_task_in_common_are_refused():
    one, two = (stored(r) for r in ("ossbench-cjson", "labelled-dualgauge"))
    with pytest.raises(KitError, match="no task in common"):
        one.compare(two)


def test_a_flip_shows_both_programs_and_no_markup_of_theirs(run):
    explorer = opened(run)
    first, second = slot_of(evil.SAMPLES[0]), slot_of(evil.SAMPLES[4])
    page = explorer.compare(explorer).case(first, second)
    assert evil.IMG not in page
    assert "the two programs" in page
    assert explorer.compare(explorer).view.children[1].value.startswith("0 of")


@pytest.mark.parametrize("book", ["labelled-dualgauge", "ossbench-cjson"])
def test_a_shared_link_opens_the_page_that_it_was_copied_from(book):
    explorer = explore.Explorer.of(book)
    row = explorer.rows.iloc[len(explorer.rows) // 2]
    explorer.choose(quadrant="neither")
    explorer.open(row["task"], row["slot"], row["test"])
    assert (explorer.samples.value, explorer.tests.value) == (row["slot"], row["test"])
    for name in ("task", "slot", "test"):
        assert row[name] in explorer.link.value
    with pytest.raises(KitError, match="The run has no sample"):
        explorer.open(row["task"], "no such")
    with pytest.raises(KitError, match="Use one of"):
        explorer.open(row["task"], row["slot"], "no such")
