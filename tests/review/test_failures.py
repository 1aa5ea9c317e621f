"""Failures are drawn evenly, codes are kept, and their summary equals the plain counts."""

import numpy as np
import pandas as pd
import pytest

from kit.papers import published
from kit.review import failures
from kit.run.suites import open_suite
from kit.scoring import stats
from tests.support import judged


def table(**sizes):
    """Failed tests by "kind/language", three of each program."""
    rows = []
    for name, size in sizes.items():
        kind, language = name.split("_")
        rows += [(kind, language, f"{name}-{i // 3}", f"t{i}") for i in range(size)]
    return pd.DataFrame(rows, columns=["kind", "language", "slot", "test"])


def coded(*codes):
    """A table of codes from (rater, test, code, weight)."""
    rows = pd.DataFrame(codes, columns=["rater", "test", "code", "weight"])
    return rows.assign(slot="s", kind="functional")


def test_strata_give_alike_and_a_small_one_all_it_has():
    rows = table(functional_python=90, security_python=60, security_cpp=3)
    drawn = failures.draw_failures(rows, 23, rng=stats.seed("x"))
    sizes = drawn.groupby(["kind", "language"]).size()
    assert sizes.to_dict() == {
        ("functional", "python"): 10,
        ("security", "cpp"): 3,
        ("security", "python"): 10,
    }
    assert not drawn.duplicated(["slot", "test"]).any()
    assert drawn["weight"].sum() == pytest.approx(len(rows))
    assert (drawn[drawn["language"] == "python"].groupby("slot").size() == 1).all()


def test_asking_for_more_than_there_is_gives_all_and_a_seed_gives_the_same():
    rows = table(functional_python=5, security_python=4)
    one, two = (failures.draw_failures(rows, 99, rng=stats.seed("x")) for _ in range(2))
    assert len(one) == 9
    assert one.equals(two)
    assert (one["weight"] == 1).all()


def test_no_program_is_no_mechanism():
    status = ["completed", "compile_error", "completed", "timeout"]
    frame = pd.DataFrame({"outcome": ["fail", "fail", "pass", "unknown"], "status": status})
    frame = frame.assign(reason="")
    assert len(failures.select_failed(frame)) == 1


def test_the_summary_counts_weighs_and_sums_the_boundary():
    codes = coded(
        ("ann", "a", "envelope", 1),
        ("ann", "b", "path", 2),
        ("bob", "a", "other", 1),
        ("ann", "c", "computation", 3),
        ("ann", "d", "other", 4),
    )
    summary = failures.summarize_codes(codes).set_index("code")
    row = summary.loc["at the contract"]
    assert (row["failures"], row["of"]) == (2, 4)
    assert row["weighted"] == pytest.approx(3 / 10)
    assert (row["low"], row["high"]) == (
        stats.wilson_interval(2, 4).low,
        stats.wilson_interval(2, 4).high,
    )
    singles = summary.drop("at the contract")
    assert singles["failures"].sum() == 4
    claims = published.table("dualgauge", "claims")
    both = failures.compare_with_paper(summary.reset_index(), claims)
    assert both["share"].tolist() == [14 / 15, 0.5]


def test_agreement_is_over_what_all_raters_coded():
    codes = coded(
        ("ann", "a", "path", 1),
        ("bob", "a", "path", 1),
        ("ann", "b", "path", 1),
        ("bob", "b", "other", 1),
        ("ann", "c", "other", 1),
    )
    (row,) = failures.compare_raters(codes).to_dict("records")
    assert (row["failures"], row["raters"], row["split"], row["raw"]) == (2, 2, 1, 0.5)
    assert failures.compare_raters(codes[codes["rater"] == "ann"]).empty


def test_a_program_is_partly_secure_where_it_fails_one_test_and_passes_another():
    cells = {"a": "pf", "b": "ff", "c": "pp"}
    rows = [
        (slot, "python", "security", "completed", {"p": "pass", "f": "fail"}[x])
        for slot, text in cells.items()
        for x in text
    ]
    frame = pd.DataFrame(rows, columns=["slot", "language", "kind", "status", "outcome"])
    frame = frame.assign(reason="")
    found = failures.count_partly_secure(frame.assign(model="m")).set_index("language")
    assert found.loc["all", ["insecure", "partly"]].tolist() == [2, 1]
    both = pd.concat([frame.assign(model="m"), frame.assign(model="n", slot=frame["slot"] + "n")])
    assert set(failures.count_partly_secure(both)["language"]) >= {"m, python", "n, python", "all"}
    none = frame.assign(model="m", outcome="pass")
    assert failures.count_partly_secure(none).empty
    assert failures.draw_failures(none.iloc[:0], 9, rng=np.random.default_rng(1)).empty


@pytest.mark.slow
def test_the_form_saves_goes_on_and_codes_of_other_runs_are_apart(tmp_path):
    suite = open_suite("dualgauge")
    tasks = suite.load().select_tasks(["k01"])
    codes = tmp_path / "codes.jsonl"
    answers = [(tasks[0], "m", n, (), "ff") for n in range(2)]
    one, two = (judged.run(tmp_path / name, suite, answers) for name in "ab")
    audit = failures.FailureAudit(str(one), n=4, seed="x", codes=str(codes))
    form = audit.form
    assert "Prompt" in form.page.value
    form.rater.value = "ann"
    form.save.click()
    assert "Got code None. Give" in form.status.value
    form.answers["code"].value, form.answers["note"].value = "other", "hm"
    first = form.page.value
    form.save.click()
    assert form.status.value == "saved; 1 of 4 rated"
    assert form.page.value != first
    form.chosen.value = 0
    assert (form.answers["code"].value, form.answers["note"].value) == ("other", "hm")
    form.rater.value = "bob"
    assert form.answers["code"].value is None
    (word,) = audit.words[["rater", "test", "note"]].to_numpy().tolist()
    assert word == ["ann", audit.drawn["test"].iloc[0], "hm"]
    assert failures.FailureAudit(str(two), n=4, seed="x", codes=str(codes)).words.empty
