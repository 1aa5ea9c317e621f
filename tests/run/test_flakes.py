"""Repeats: real flaky programs are found, steady ones are not, and nothing else changes."""

import pandas as pd
import pytest
from test_pipeline import GOOD, SUITE, TASK, filled

from kit.core.store import Store
from kit.run import flakes, pipeline
from kit.scoring import stats
from tests.support.commands import kit, told
from tests.systems.test_spec import put

COIN = "import os\ndef square(n):\n    return n * n + (n == 3) * (os.urandom(1)[0] % 2)\n"
TIMES = 12  # a coin that shows one side twelve times: 1 in 2048


@pytest.fixture(scope="module")
def run(box, tmp_path_factory):
    path = tmp_path_factory.mktemp("flakes") / "run"
    with filled(path, [GOOD, COIN]) as store:
        pipeline.evaluate_programs(store, SUITE, [TASK], box)
        before = store.frame()
        first = pipeline.repeat_trials(store, SUITE, [TASK], box, times=TIMES)
        second = pipeline.repeat_trials(store, SUITE, [TASK], box, times=TIMES)
        assert store.frame().equals(before)
    return path, first, second


def test_only_the_coin_is_flaky_and_only_where_it_is_tossed(run):
    with Store(run[0], write=False) as store:
        found = flakes.compare_repeats(flakes.read_repeats(store))
    odd = found[found["flaky"]]
    assert odd[["sample", "test"]].to_numpy().tolist() == [[1, "fc-1"]]
    assert len(found) == 6
    assert (found["repeats"] == TIMES).all()
    assert set(odd["cause"].iloc[0].split(" / ")) == {"exact", "mismatch"}


def test_what_was_repeated_is_not_run_again(run):
    more = 6 * (TIMES - 1)
    assert (run[1].fresh, run[1].cached) == (more, 0)
    assert (run[2].fresh, run[2].cached) == (0, more)


def test_flaky_tests_bound_the_scores_on_both_sides(run):
    with Store(run[0], write=False) as store:
        found = flakes.compare_repeats(flakes.read_repeats(store))
        tidy = store.frame()
    scores = flakes.bound_scores(tidy, found, rng=stats.seed("x"), n_boot=50).set_index("metric")
    joint = scores.loc["secure-pass@1"]
    assert (joint["flake_low"], joint["flake_high"]) == (0.5, 1.0)
    assert joint["estimate"] in (0.5, 1.0)
    security = scores.loc["SPR"]
    assert security["flake_low"] == security["estimate"] == security["flake_high"] == 1


def row(test, repeat, status="completed", outcome="pass", reason="exact"):
    names = {"task": "t", "model": "m", "sample": 0, "slot": "s", "kind": "functional", "cwe": ""}
    return names | {
        "test": test,
        "repeat": repeat,
        "status": status,
        "outcome": outcome,
        "reason": reason,
    }


def test_a_status_that_turns_is_the_cause_and_without_another_outcome_it_is_only_shaky():
    rows = pd.DataFrame(
        [
            row("a", 0),
            row("a", 1, "timeout", "fail", "run_ended_early"),
            row("a", 2),
            row("b", 0, "oom", "fail"),
            row("b", 1, "timeout", "fail"),
            row("c", 0),
            row("c", 1, outcome="unknown", reason="no_rule"),
            row("d", 0),
        ]
    )
    found = flakes.compare_repeats(rows).set_index("test")
    assert found["flaky"].to_dict() == {"a": True, "b": False, "c": True}  # d was seen once
    assert found["shaky"].to_dict() == {"a": False, "b": True, "c": False}
    assert found["cause"].to_dict() == {
        "a": "completed / timeout",
        "b": "oom / timeout",
        "c": "exact / no_rule",
    }
    rates = flakes.measure_rates(found.reset_index()).set_index("status")
    assert rates.loc["all", ["cells", "flaky", "shaky"]].tolist() == [3, 2, 1]
    assert rates.loc["all", "low"] == stats.wilson_interval(2, 3).low
    assert rates.loc["oom", "rate"] == 0


@pytest.mark.slow
def test_the_command_repeats_and_tells(run, tmp_path):
    functional = {"test_id": "0", "input": {"n": 3}, "expected_output": 9}
    harm = {"probes": TASK.tests[2].probes, "expected_behavior/output": "starts nothing"}
    security = {"test_id": "0", "input": {"n": 1}, "CWE": "CWE-78", **harm}
    task = {
        "benchmark_id": "sq",
        "prompt": TASK.prompt,
        "implementation_details": "None.",
        "source_repo": "kit",
        "fc_tests": [functional],
        "sec_tests": [security],
    }
    put(tmp_path / "suite", "sq", task)
    (tmp_path / "programs" / "sq").mkdir(parents=True)
    (tmp_path / "programs" / "sq" / "coin.py").write_text(COIN)
    words = ["evaluate", "x", "--data", tmp_path / "suite", "--programs", tmp_path / "programs"]
    done = kit(*words, "--run", tmp_path / "run", "--repeat", 3)
    assert "repeats: 0 stored, 4 new" in done.output
    assert told("runs", "flakes", tmp_path / "run")["by status"][0]["cells"] == 2
    found = told("runs", "flakes", run[0])
    assert [c["test"] for c in found["flaky cells"]] == ["fc-1"]
    assert found["by status"][0] | {"low": 0, "high": 0, "rate": 0} == {
        "status": "all",
        "cells": 6,
        "flaky": 1,
        "shaky": 0,
        "rate": 0,
        "low": 0,
        "high": 0,
    }
    assert found["by status"][0]["rate"] == pytest.approx(1 / 6, abs=1e-3)
    assert "1 of 6 tests" in kit("runs", "flakes", run[0]).output


def test_a_repeat_that_the_machine_failed_is_judged_anew_once_it_ran(tmp_path, box):
    class Full:
        name, identity, limits = "full", box.identity, box.limits

        def run(self, *_, **__):
            raise OSError("no memory")

    with filled(tmp_path / "run", [GOOD]) as store:
        pipeline.evaluate_programs(store, SUITE, [TASK], box)
        assert pipeline.repeat_trials(store, SUITE, [TASK], Full(), times=2).infra == 3
        assert pipeline.repeat_trials(store, SUITE, [TASK], box, times=2).fresh == 3
        assert set(store.repeats()["outcome"]) == {"pass"}
