"""Two runs beside each other: rates of all samples, what is paired, and what could be chance."""

import numpy as np
import pytest

from kit import explore
from kit.run.suites import open_suite
from kit.scoring import stats
from tests.support import judged
from tests.support.commands import told

SUITE = open_suite("dualgauge")
TASKS = SUITE.load().tasks[:6]


def answers(passing, first=0, arm=(), model="m"):
    """Per task 8 samples of which so many pass; the `first` tasks pass with their first sample."""
    return [
        (task, model, n, dict(arm), "pp" if (n - (t >= first)) % 8 < passing else "fp")
        for t, task in enumerate(TASKS)
        for n in range(8)
    ]


def opened(folder, rows):
    return explore.Explorer.of(str(judged.run(folder, SUITE, rows)))


@pytest.fixture
def both(tmp_path):
    """A quarter of the samples passes, then three eighths; no first sample, then half of them."""
    first = opened(tmp_path / "first", answers(2))
    return first.compare(opened(tmp_path / "second", answers(3, first=3)))


def scored(run):
    """What `kit score` says of each metric."""
    return {r["metric"]: r["estimate"] for r in told("score", run, "--n-boot", 50)["scores"]}


def test_a_comparison_rests_on_all_samples_and_has_the_rates_of_kit_score(both):
    rows = both.tests(n_boot=500).set_index("metric")
    row = rows.loc["pass@1"]
    assert (row["first run"], row["second run"], row["difference"]) == (0.25, 0.375, 0.125)
    for side, run in (("first run", both.first), ("second run", both.second)):
        said = scored(run.run)
        assert rows[side].to_dict() == pytest.approx({m: said[m] for m in rows.index})
    assert row["low"] <= 0.125 <= row["high"]


def test_six_of_six_better_tasks_have_the_exact_p_of_their_signs_and_holms_over_the_axes(both):
    rows = both.tests(n_boot=50).set_index("metric")
    assert (rows.loc["pass@1", "better"], rows.loc["pass@1", "worse"]) == (6, 0)
    assert rows.loc["pass@1", "p"] == 2 / 2**6
    assert rows["p (Holm)"].tolist() == stats.apply_holm(rows["p"]).tolist()
    assert 0 < rows.loc["pass@1", "smallest"] < 1


def test_fewer_tasks_than_any_sign_flip_needs_can_show_nothing(tmp_path):
    few = [[row for row in answers(k) if row[0] in TASKS[:5]] for k in (0, 8)]
    both = opened(tmp_path / "a", few[0]).compare(opened(tmp_path / "b", few[1]))
    row = both.tests(n_boot=50).iloc[0]
    assert (row["difference"], row["p"], row["smallest"]) == (1, 2 / 2**5, np.inf)


def test_more_samples_a_task_show_smaller_differences(tmp_path):
    least = []
    for n in (2, 8):
        rows = [row for row in answers(4) if row[2] < n]
        run = opened(tmp_path / f"{n}", rows)
        least.append(run.compare(run).tests(n_boot=50)["smallest"].iloc[0])
    assert least[1] < least[0]


@pytest.mark.slow
def test_runs_pair_on_every_arm_and_say_what_has_no_partner(tmp_path):
    plain, hinted = answers(2), answers(6, arm={"hint": "generic"})
    first = opened(tmp_path / "one", [*plain, *hinted])
    second = opened(tmp_path / "two", [*answers(3), *answers(6, arm={"hint": "policy"})[:24]])
    found = first.compare(second)
    row = found.tests(n_boot=50).iloc[0]
    assert (row["first run"], row["second run"]) == (0.25, 0.375)  # never with the other hint
    assert f"48 of 96 samples of {first.run}; 0 are of 0 tasks" in found.said[0]
    assert "24 of 72 samples" in found.said[1]
    assert "hint" in found.said[0]
    other = first.compare(opened(tmp_path / "three", [*answers(3), *hinted[:24]]))
    rows = other.tests(n_boot=50).set_index(["hint", "metric"])
    assert rows.loc[("not set", "pass@1"), "first run"] == 0.25
    assert rows.loc[("generic", "pass@1"), ["tasks", "difference"]].tolist() == [3, 0]
    (said,) = other.said
    assert said.startswith(f"Not compared: 24 of 96 samples of {first.run}; 0 are of 0 tasks")
    assert "24 of arms missing there" in said


def test_what_the_runs_differ_in_is_said_and_compared(tmp_path):
    first = opened(tmp_path / "a", answers(2, arm={"temperature": 0.2}))
    second = opened(tmp_path / "b", answers(3, arm={"temperature": 0.8}, model="other"))
    found = first.compare(second)
    assert [line.partition(":")[0] for line in found.said] == [
        "Not paired on model",
        "Not paired on temperature",
    ]
    assert found.tests(n_boot=50)["difference"].iloc[0] == pytest.approx(0.125)


def test_undecided_samples_count_as_kit_score_counts_them(tmp_path):
    rows = answers(4)
    open_ = [(*row[:-1], "up" if row[2] == 7 else row[-1]) for row in rows]  # one of eight
    lost = [(*row[:-1], "ip" if row[2] == 7 and row[0] is TASKS[0] else row[-1]) for row in rows]
    sure, doubt, ours = (opened(tmp_path / str(n), r) for n, r in enumerate((rows, open_, lost)))
    row = sure.compare(doubt).tests(n_boot=50).iloc[0]
    assert scored(doubt.run)["pass@1"] is None
    assert np.isnan(row[["second run", "difference", "p"]].astype(float)).all()
    assert row["undecided"] == 0.125
    assert (row["bound_low"], row["bound_high"]) == pytest.approx((0, 0.125))
    assert row["low"] <= 0 < 0.125 <= row["high"]
    row = sure.compare(ours).tests(n_boot=50).iloc[0]
    assert scored(ours.run)["pass@1"] == pytest.approx(row["second run"])
    assert row["difference"] == pytest.approx((4 / 7 - 4 / 8) / 6)
    assert row["bound_low"] < row["difference"] < row["bound_high"]
