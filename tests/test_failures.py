"""Failures are drawn evenly, codes are kept, and their summary equals the plain counts."""

import judged
import numpy as np
import pandas as pd
import pytest

from kit.errors import KitError
from kit.metrics import stats
from kit.papers import published
from kit.review import failures
from kit.store import Store
from kit.suites import open_suite


def table(**sizes):
    """Failed tests by "kind/language", three of each program."""
    rows = []
    for name, size in sizes.items():
        kind, language = name.split("_")
        rows += [(kind, language, f"{name}-{i // 3}", f"t{i}") for i in range(size)]
    return pd.DataFrame(rows, columns=["kind", "language", "slot", "test"])


def failure(kind="functional", test="fc-0", weight=1.0):
    return {"slot": "s", "test": test, "kind": kind, "language": "python", "weight": weight}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "codes.jsonl"


def test_strata_give_alike_and_a_small_one_all_it_has():
    rows = table(functional_python=90, security_python=60, security_cpp=3)
    drawn = failures.draw(rows, 23, rng=stats.seed("x"))
    sizes = drawn.groupby(["kind", "language"]).size()
    assert sizes.to_dict() == {("functional", "python"): 10, ("security", "cpp"): 3,
                               ("security", "python"): 10}  # fmt: skip
    assert not drawn.duplicated(["slot", "test"]).any()
    assert drawn["weight"].sum() == pytest.approx(len(rows))
    assert (drawn[drawn["language"] == "python"].groupby("slot").size() == 1).all()


def test_asking_for_more_than_there_is_gives_all_and_a_seed_gives_the_same():
    rows = table(functional_python=5, security_python=4)
    one, two = (failures.draw(rows, 99, rng=stats.seed("x")) for _ in range(2))
    assert len(one) == 9
    assert one.equals(two)
    assert (one["weight"] == 1).all()


def test_no_program_is_no_mechanism():
    status = ["completed", "compile_error", "completed", "timeout"]
    frame = pd.DataFrame({"outcome": ["fail", "fail", "pass", "unknown"], "status": status})
    frame = frame.assign(reason="")
    assert len(failures.failed(frame)) == 1


def test_the_last_word_counts_and_other_runs_are_apart(path):
    for code in ("envelope", "computation"):
        failures.add(path, failure(), code, rater=" ann ", run="r")
    failures.add(path, failure(), "path", rater="ann", run="elsewhere")
    words = failures.read(path, "r")
    assert words[["rater", "code"]].to_numpy().tolist() == [["ann", "computation"]]
    assert words["when"].iloc[0].startswith("20")
    assert len(path.read_text().splitlines()) == 3


def test_codes_of_the_other_kind_and_broken_lines_are_refused(path):
    with pytest.raises(KitError, match="partial guard"):
        failures.add(path, failure(), "partial guard", rater="ann", run="r")
    with pytest.raises(KitError, match="Give your name"):
        failures.add(path, failure(), "envelope", rater="  ", run="r")
    path.write_text('{"kind": "functional"}\n')
    with pytest.raises(KitError, match="line 1"):
        failures.read(path, "r")


def test_the_summary_counts_weighs_and_sums_the_boundary(path):
    codes = {"a": "envelope", "b": "path", "c": "computation", "d": "other"}
    for n, (test, code) in enumerate(codes.items()):
        failures.add(path, failure(test=test, weight=n + 1), code, rater="ann", run="r")
    failures.add(path, failure(test="a"), "other", rater="bob", run="r")
    found = failures.summary(failures.read(path, "r")).set_index("code")
    row = found.loc["at the contract"]
    assert (row["failures"], row["of"]) == (2, 4)
    assert row["weighted"] == pytest.approx(3 / 10)
    assert (row["low"], row["high"]) == (stats.wilson(2, 4).low, stats.wilson(2, 4).high)
    singles = found.drop("at the contract")
    assert singles["failures"].sum() == 4
    shown = failures.at_contract(found.reset_index(), published.table("dualgauge", "claims"))
    assert shown["share"].tolist() == [14 / 15, 0.5]


def test_agreement_is_over_what_all_raters_coded(path):
    for test, ann, bob in (("a", "path", "path"), ("b", "path", "other"), ("c", "other", None)):
        failures.add(path, failure(test=test), ann, rater="ann", run="r")
        if bob:
            failures.add(path, failure(test=test), bob, rater="bob", run="r")
    (row,) = failures.agree(failures.read(path, "r")).to_dict("records")
    assert (row["failures"], row["raters"], row["raw"]) == (2, 2, 0.5)
    assert failures.agree(failures.read(path, "none")).empty


def test_a_program_is_partly_secure_where_it_fails_one_test_and_passes_another():
    cells = {"a": "pf", "b": "ff", "c": "pp"}
    rows = [(slot, "python", "security", "completed", {"p": "pass", "f": "fail"}[x])
            for slot, text in cells.items() for x in text]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["slot", "language", "kind", "status", "outcome"])
    frame = frame.assign(reason="")
    found = failures.partial(frame.assign(model="m")).set_index("language")
    assert found.loc["all", ["insecure", "partly"]].tolist() == [2, 1]
    both = pd.concat([frame.assign(model="m"), frame.assign(model="n", slot=frame["slot"] + "n")])
    assert set(failures.partial(both)["language"]) >= {"m, python", "n, python", "all"}
    none = frame.assign(model="m", outcome="pass")
    assert failures.partial(none).empty
    assert failures.draw(none.iloc[:0], 9, rng=np.random.default_rng(1)).empty


def test_the_form_saves_goes_on_and_shows_a_rater_only_their_own(tmp_path, path):
    suite = open_suite("dualgauge")
    tasks = suite.load().chosen(["k01"])
    judged.run(tmp_path / "run", suite, [(tasks[0], "m", n, (), "ff") for n in range(2)])
    with Store(tmp_path / "run", write=False) as store:
        drawn = failures.draw(failures.failed(store.frame()), 4, rng=np.random.default_rng(1))
        form = failures.Form(store, tasks, {}, drawn, path, run="r")
        assert "Prompt" in form.page.value
        form.save.click()
        assert "Give your name" in form.status.value
        form.rater.value = "ann"
        form.code.value, form.note.value = "other", "hm"
        first = form.page.value
        form.save.click()
        assert form.which.value == 1
        assert form.page.value != first
        assert "1 of 4" in form.status.value
        form.which.value = 0
        assert (form.code.value, form.note.value) == ("other", "hm")
        form.rater.value = "bob"
        assert form.code.value is None
        words = failures.read(path, "r")
    (word,) = words[["rater", "test", "note"]].to_numpy().tolist()
    assert word == ["ann", drawn["test"].iloc[0], "hm"]
