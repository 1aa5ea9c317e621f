"""An oracle by itself: what is measured is what was labelled, and both halves are told."""

import json

import pandas as pd
import pytest

from kit.review import measured
from tests.support.commands import invoked


def rows(*cells):
    """(task, label, outcome) as rows of a record."""
    names = ["set", "half", "task", "program", "language", "test", "cwe", "rule", "status", "said"]
    made = [dict.fromkeys(names, "x") | {"task": t, "label": a, "outcome": b} for t, a, b in cells]
    return pd.DataFrame(made)


def test_f1_is_that_of_fail_and_silence_costs_coverage_alone():
    seen = rows(*[("a", "fail", "fail")] * 3, ("b", "pass", "fail"), ("b", "fail", "unknown"))
    told = dict(tp=3, fp=1, fn=0, tn=0, coverage=0.8, precision=0.75, recall=1, f1=6 / 7)
    assert measured.counts(seen).items() >= told.items()


def test_an_interval_over_tasks_holds_its_figure():
    seen = rows(*[(t, "fail", o) for t in "abcdef" for o in ("fail", "fail", "pass", "unknown")])
    row = measured.summary(seen, n_boot=200).iloc[0]
    assert row["f1 low"] <= row["f1"] <= row["f1 high"]


def test_few_labels_are_no_proof():
    few, many = rows(*[("a", "fail", "fail")] * 2), rows(*[("a", "fail", "fail")] * 30)
    wrong = rows(*[("a", "fail", "pass")] * 30)
    assert measured.believed({"compiled": few})["believe"].item().startswith("neither")
    told = measured.believed({"compiled": many, "judge": wrong})
    assert told["believe"].item() == "compiled"


def test_where_probes_are_silent_a_judge_speaks_for_both_and_costs_a_call():
    cells = [("a", "fail", "fail"), ("b", "pass", "unknown"), ("c", "fail", "unknown")]
    probes = rows(*cells)
    judge = rows(("a", "fail", "pass"), ("b", "pass", "pass"), ("c", "fail", "unknown"))
    told = measured.compare_on_same_tests(probes, judge.iloc[:3])
    both = told[told["set"] == "all"].set_index("oracle")
    assert both["calls"].to_dict() == {"compiled": 0, "judge": 3, "both": 2}
    assert both["decided"].to_dict() == {"compiled": 1, "judge": 2, "both": 2}
    assert both["tp"].to_dict() == {"compiled": 1, "judge": 0, "both": 1}
    assert set(measured.compare_on_same_tests(probes, judge.iloc[:1])["n"]) == {1}


@pytest.mark.parametrize("name", sorted(measured.FOLDERS))
def test_every_program_for_an_official_item_is_labelled_with_reasons(name):
    for folder in (p for p in measured.FOLDERS[name].iterdir() if p.is_dir()):
        labels = json.loads((folder / "labels.json").read_text())
        programs = {p.name for p in folder.iterdir() if p.suffix in (".py", ".js", ".cpp")}
        assert programs == set(labels)
        for entry in labels.values():
            assert {t["label"] for t in entry["tests"].values()} <= {"pass", "fail"}
            assert all(len(t["why"]) > 10 for t in entry["tests"].values())
            secure = {t["label"] for t in entry["tests"].values()} == {"pass"}
            assert secure == (entry["kind"] == "secure")


def test_the_record_names_an_oracle_for_every_verdict_and_no_words_of_the_items():
    told = measured.read_record()
    assert set(told["set"]) == {"own", *measured.FOLDERS}
    assert set(told["half"]) == set(measured.HALVES)
    decided = told[told["outcome"].isin(["pass", "fail"])]
    assert (decided["rule"] != "none").all()
    assert not told["said"].str.startswith("Expected").any()
    assert (told["half"] == told["task"].map(measured.half_of_task)).all()


@pytest.mark.slow
def test_the_command_measures_our_own_programs_without_probes(tmp_path):
    run = str(tmp_path / "measured")
    done = invoked("validate", "oracle", "--only", "k05", "--run", run, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    (summary,) = [s for s in told["summary"] if s["half"] == "both"]
    assert summary["n"] == sum(c["n"] for c in told["cwes"]) > 0
    assert sum(r["decided"] for r in told["authors"]) == summary["decided"]
