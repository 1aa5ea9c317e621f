"""Sweeps: arms over the same tasks, run or read, and the steps between them."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.paths import REFERENCES, SUITES
from kit.explore import run_from_notebook
from kit.scoring import stats
from kit.scoring import steps as stepping
from kit.systems.dualgauge import spec
from kit.systems.dualgauge.suite import SpecSuite
from tests.support import judged
from tests.support.tables import read_table
from tests.support.wire import Reply, Server

SUITE = SpecSuite()

TASKS = [t for t in spec.load_items(SUITES / "dualgauge").tasks if t.id in ("k01", "k06")]


def frame(table):
    """One functional and one security test per sample, from {arm: {task: [(f, s), ...]}}."""
    rows = []
    for arm, tasks in table.items():
        for task, samples in tasks.items():
            for i, held in enumerate(samples):
                for kind, ok in zip(("functional", "security"), held, strict=True):
                    outcome = "pass" if ok else "fail"
                    rows.append(("s", task, "m", i, kind, kind, "completed", outcome, arm))
    names = ["suite", "task", "model", "sample", "test", "kind", "status", "outcome", "arm"]
    return pd.DataFrame(rows, columns=names)


def two(tasks=40, samples=1, better=10):
    good, bad = [(True, True)] * samples, [(True, False)] * samples
    base = {f"t{i}": good if i < 5 else bad for i in range(tasks)}
    more = {f"t{i}": good if i < 5 + better else bad for i in range(tasks)}
    return frame({"a": base, "b": more})


def test_a_step_of_single_samples_has_mcnemars_p_and_what_could_have_shown():
    steps = stepping.frame_steps(two(), level="arm", first="a", n_boot=200).set_index("metric")
    joint = steps.loc["secure-pass@1"]
    assert (joint["step"], joint["n"], joint["differing"]) == (25.0, 40, 0.25)
    assert joint["p"] == pytest.approx(2 / 2**10)
    expected = stats.smallest_detectable_difference(40, discordant=0.25)
    assert joint["detectable"] == pytest.approx(100 * expected)
    none = steps.loc["pass@1"]
    assert (none["step"], none["p"], none["differing"]) == (0, 1, 0)
    best = stats.smallest_detectable_difference(40)  # nothing differed: the best case
    assert none["detectable"] == pytest.approx(100 * best)
    room = 100 * stats.wilson_interval(0, 40).high  # no task differed: that is no proof for others
    assert (none["low"], none["high"]) == pytest.approx((-room, room))
    assert np.allclose(steps["p (Holm)"], stats.apply_holm(steps["p"]))


def test_a_step_of_many_samples_has_a_sign_flip_p_and_a_normal_smallest_step():
    steps = stepping.frame_steps(two(samples=3), level="arm", first="a", n_boot=200)
    joint = steps.set_index("metric").loc["secure-pass@1"]
    assert joint["step"] == pytest.approx(25.0)
    assert joint["p"] == pytest.approx(2 / 2**10)
    difference = np.repeat([1.0, 0.0], [10, 30])
    error = difference.std(ddof=1) / np.sqrt(40)
    assert joint["detectable"] == pytest.approx(100 * stats.detectable_difference(error))


@pytest.mark.parametrize("arms", read_table("sweep", "no_arms"))
def test_arms_that_are_none_are_refused_before_anything_runs(arms):
    with pytest.raises(KitError, match="arm"):
        run_from_notebook.run_arms(arms, TASKS, suite=SUITE)


def test_only_tasks_that_every_arm_has_are_compared():
    rows = frame({"a": {"t1": [(1, 1)], "t2": [(1, 1)]}, "b": {"t2": [(1, 0)], "t3": [(1, 1)]}})
    assert set(run_from_notebook.keep_common_tasks(rows)["task"]) == {"t2"}


def test_a_finished_run_is_cut_into_arms(tmp_path):
    answers = [
        (TASKS[1], "m", 0, {"hint": hint}, letters)
        for hint, letters in (("generic", "pp"), ("policy", "pf"))
    ]
    run = judged.run(tmp_path / "run", SUITE, answers)
    arms = [{"arm": x, "run": str(run), "where": {"hint": x}} for x in ("generic", "policy")]
    rows = run_from_notebook.run_arms(arms, TASKS, suite=SUITE)
    security = rows[rows["kind"] == "security"].assign(ok=lambda x: x["outcome"] == "pass")
    passed = security.groupby("arm")["ok"].all().to_dict()
    assert passed == {"generic": True, "policy": False}
    for where, said in (("colour", "has no column 'colour'"), ("hint", "There are: generic")):
        wrong = {**arms[0], "where": {where: "red"}}
        with pytest.raises(KitError, match=said):
            run_from_notebook.run_arms([wrong, arms[1]], TASKS, suite=SUITE)
    whole = run_from_notebook.run_arms([{"arm": "", "run": str(run)}], TASKS, suite=SUITE)
    assert list(whole["arm"].unique()) == ["generic", "policy"]  # what differs is an arm each


def test_a_list_may_come_as_the_text_of_one():
    assert run_from_notebook.read_lists(k="[1, 2]", tasks=["k01"]) == [[1, 2], ["k01"]]
    for wrong in ("k01", "1", 3):
        with pytest.raises(KitError, match="k = .* is not a list"):
            run_from_notebook.read_lists(k=wrong)


@pytest.mark.slow
def test_models_are_run_as_their_arms_say(tmp_path, monkeypatch):
    monkeypatch.setattr("kit.core.paths.RUNS", tmp_path)
    task = TASKS[1]
    tasks = [replace(task, tests=(task.tests[0], task.tests[-1]))]
    code = (REFERENCES / task.id / "secure.py").read_text()
    with Server([Reply(f"```python\n{code}```\n")]) as server:
        common = {"model": "openai:some", "base_url": server.openai}
        hot = {"temperature": 1.5, "thinking": "high", "n": 2}
        arms = [{"arm": "cold", **common, "temperature": 0.0}, {"arm": "hot", **common, **hot}]
        rows = run_from_notebook.run_arms(arms, tasks, suite=SUITE)
        sent = [r.body for r in server.requests]
        again = run_from_notebook.run_arms(arms, tasks, suite=SUITE)
        assert len(server.requests) == 3  # what is known is not asked again
    assert sorted((b["temperature"], b.get("reasoning_effort")) for b in sent) == [
        (0.0, None),
        (1.5, "high"),
        (1.5, "high"),
    ]
    assert rows.groupby("arm")["slot"].nunique().to_dict() == {"cold": 1, "hot": 2}
    assert (rows["outcome"] == "pass").all()
    assert again.equals(rows)
    assert json.dumps(arms)  # literals: what a notebook's parameter can hold
