"""Executor and oracle against labels, and what their errors do to scores."""

import numpy as np
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.paths import SUITES
from kit.review import calibration
from kit.run import validate
from kit.scoring import stats
from kit.systems.dualgauge import spec
from kit.systems.dualgauge.suite import SpecSuite
from tests.support import judged

SUITE = SpecSuite()


def rows(*cells):
    """task, program, kind, label, outcome, status a test."""
    names = ["task", "program", "kind", "label", "outcome", "status"]
    return pd.DataFrame(cells, columns=names).assign(language="python")


def row(task, program="a", kind="functional", label="pass", outcome="pass", status="completed"):
    return task, program, kind, label, outcome, status


def many(tasks=30, tests=4):
    """A secure, an insecure and a wrong program for each task; every verdict right."""
    cells = []
    for t in range(tasks):
        for program in ("secure", "insecure", "wrong"):
            for kind, bad in (("functional", "wrong"), ("security", "insecure")):
                labels = ["pass"] * (tests - 1) + ["fail" if program == bad else "pass"]
                cells += [row(f"t{t}", program, kind, x, x) for x in labels]
    return rows(*cells)


def tidy(table):
    """The same tests as a run's frame."""
    number = table.groupby(["task", "program"]).cumcount().astype(str)
    return table.drop(columns="label").assign(suite="s", model="m", sample=0, test=number)


def test_what_is_not_executed_costs_recall_and_what_shows_the_wrong_thing_precision():
    table = rows(
        row("a"),
        row("a", label="fail", outcome="fail"),
        row("a", label="fail"),
        row("b", status="harness_error", outcome="unknown"),
        row("b", outcome="unknown"),
        row("b", kind="security", outcome="fail"),
        row("b", status="timeout", outcome="fail", label="fail"),
    )
    counts = calibration.score_executor(table)
    assert counts[["tp", "fp", "fn"]].sum().tolist() == [3, 1, 2]
    options = {"of": ["Agentic Executor"], "rng": stats.seed("x"), "n_boot": 200}
    found = calibration.component_rates(table, **options).set_index("metric")
    assert found["value"].tolist() == [3 / 4, 3 / 5, 6 / 9]
    assert (found["ci_low"] <= found["value"]).all()


def test_the_evaluator_is_measured_on_what_it_decided():
    table = rows(
        row("a"),
        row("a", outcome="fail"),
        row("b", label="fail"),
        row("b", "b"),
        row("b", outcome="unknown"),
    )
    counts = calibration.score_evaluator(table)
    assert counts[["tp", "fp", "fn"]].sum().tolist() == [2, 1, 1]


def test_no_error_on_few_tasks_is_no_proof():
    options = {"of": ["LLM-Based Evaluator"], "rng": stats.seed("x"), "n_boot": 100}
    found = calibration.component_rates(many(), by="kind", **options)
    assert (found["value"] == 1).all()
    assert found["ci_low"].unique() == pytest.approx([stats.wilson_interval(30, 30).low])


def test_a_program_passes_where_every_test_is_said_to_pass():
    table = many(tasks=1).assign(outcome=lambda d: d["outcome"].where(d.index > 0, "unknown"))
    programs = calibration.summarize_programs(table).set_index("program")
    assert programs["joint_true"].to_dict() == {"secure": True, "insecure": False, "wrong": False}
    assert not programs.loc["secure", "joint_said"]  # one test of it is undecided
    assert programs.loc["insecure", "functional_said"]
    assert programs["joint_tests"].unique().tolist() == [8]


def test_small_errors_on_tests_are_large_on_programs():
    truth = many(tasks=200)
    heard = calibration.simulated_judge(
        truth, sensitivity=0.9, specificity=0.9, rng=stats.seed("x")
    )
    found = calibration.levels(heard)
    assert found.loc[("joint", "tests"), "sensitivity"] == pytest.approx(0.9, abs=0.01)
    whole = found.loc[("joint", "programs")]
    assert whole["sensitivity"] == pytest.approx(0.9**8, abs=0.08)
    assert whole["if independent"] == pytest.approx(0.9**8, abs=0.03)
    assert whole["specificity low"] < whole["specificity"]


def test_correction_and_labels_both_find_the_truth_that_the_judge_missed():
    truth = many(tasks=200)
    heard = calibration.simulated_judge(
        truth, sensitivity=0.95, specificity=0.99, rng=stats.seed("x")
    )
    programs = calibration.summarize_programs(heard)
    names = sorted(set(programs["task"]))
    known = heard["task"].isin(names[:100])
    found = calibration.corrected(
        tidy(heard[~known]), heard[known], rng=stats.seed("y"), n_boot=500
    )
    found = found.set_index("metric").loc["secure-pass@1"]
    assert found["judged"] < 1 / 3 - 0.05
    assert found["low"] < 1 / 3 < found["high"]
    i = calibration.labelled_share(programs, names[:60])
    assert i.low < 1 / 3 < i.high


def test_a_perfect_judge_corrects_nothing():
    found = calibration.corrected(tidy(many()), many(), k=(1, 2), rng=stats.seed("x"), n_boot=50)
    assert np.allclose(found["judged"], found["corrected"])
    assert found["metric"].tolist()[:3] == ["pass@1", "secure@1", "secure-pass@1"]


def test_labels_of_a_task_that_was_not_judged_are_refused():
    with pytest.raises(KitError, match="No programs of task zz"):
        calibration.labelled_share(calibration.summarize_programs(many()), ["t1", "zz"])


def test_a_run_of_programs_has_its_labels_beside_it(tmp_path):
    (task,) = [t for t in spec.load_items(SUITES / "dualgauge").tasks if t.id == "k06"]
    samples, _ = SUITE.references([task])
    letters = {"secure.py": "pp", "insecure.py": "pf"}
    chosen = [(task, s, letters[s.arm["program"]]) for s in samples if s.arm["program"] in letters]
    table = validate.labelled(judged.write(tmp_path / "run", SUITE, chosen))
    assert len(table) == 2 * len(task.tests)
    assert set(table["language"]) == {"python"}
    assert calibration.score_executor(table)["fn"].sum() == 0
    counts = calibration.score_evaluator(table)
    assert counts["tp"].sum() > 20
