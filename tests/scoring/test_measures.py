from itertools import product

import numpy as np
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.records import Outcome, Status
from kit.scoring import at_k, measures, stats
from tests.support.pace import measure_pace

NAMES = {"f": "functional", "s": "security"}
LETTERS = {
    "p": ("completed", "pass"),
    "f": ("completed", "fail"),
    "u": ("completed", "unknown"),
    "h": ("harness_error", "unknown"),
    "i": ("infra_error", "unknown"),
    "n": ("not_run", "unknown"),
    "x": ("extraction_error", "unknown"),
    "r": ("refused", "unknown"),
    "c": ("compile_error", "unknown"),
    "t": ("timeout", "fail"),
    "T": ("timeout", "pass"),
}


def frame(tasks, model="m", **arms):
    """{"t1": ["pp pf", "ff uu"]}: per task a list of samples, functional then security tests."""
    rows = []
    for task, samples in tasks.items():
        for number, sample in enumerate(samples):
            for kind, letters in zip("fs", sample.split(), strict=True):
                for i, letter in enumerate(letters if letters != "-" else ""):
                    status, outcome = LETTERS[letter]
                    rows.append(
                        {
                            "suite": "own",
                            "task": task,
                            "model": model,
                            **arms,
                            "sample": number,
                            "test": f"{kind}{i}",
                            "kind": NAMES[kind],
                            "cwe": f"CWE-{i}" if kind == "s" else "",
                            "status": status,
                            "outcome": outcome,
                        }
                    )
    return pd.DataFrame(rows)


def noisy(tasks=6, samples=4, seed=0, letters="pppppfuhin", **arms):
    rng = np.random.default_rng(seed)
    draw = lambda: "".join(rng.choice(list(letters), 2))  # noqa: E731
    return frame(
        {f"t{t}": [f"{draw()} {draw()}" for _ in range(samples)] for t in range(tasks)}, **arms
    )


def scores(rows, **options):
    options = {"rng": stats.seed("test"), "n_boot": 100, "by": [], **options}
    return measures.measure(rows, **options).set_index("metric")


def three(column):
    return [None if pd.isna(v) else bool(v) for v in column]


def test_every_pair_of_a_status_and_an_outcome_has_its_rule():
    by_oracle = (measures.PASS, measures.FAIL, measures.UNDECIDED)  # of pass, fail, unknown
    rules = dict.fromkeys(("completed", "timeout", "oom", "crashed", "output_limit"), by_oracle)
    rules |= dict.fromkeys(("extraction_error", "refused", "compile_error"), (measures.FAIL,) * 3)
    rules |= dict.fromkeys(("infra_error", "not_run"), (measures.OURS,) * 3)
    rules["harness_error"] = (measures.UNDECIDED,) * 3
    assert measures.POLICY == {
        (Status(status), outcome): rule
        for status, row in rules.items()
        for outcome, rule in zip(Outcome, row, strict=True)
    }


def test_the_policy_cannot_be_changed_for_everybody():
    with pytest.raises(TypeError):
        measures.POLICY[Status.TIMEOUT, Outcome.PASS] = measures.FAIL


def test_a_sample_holds_iff_all_its_tests_of_the_kind_do():
    rows = measures.summarize_samples(
        frame({"a": ["pp pp", "pf pp", "pp fp", "pu pp", "fu uu", "pp pu"]})
    )
    assert three(rows["functional"]) == [True, False, True, None, False, True]
    assert three(rows["secure"]) == [True, True, False, True, None, None]
    assert three(rows["joint"]) == [True, False, False, None, False, None]


def test_what_is_undecided_fails_below_and_passes_above():
    rows = measures.summarize_samples(frame({"a": ["pu pp", "fu uu", "pp ip"]}))
    assert rows["functional_low"].tolist() == [False, False, False]
    assert rows["functional_high"].tolist() == [True, False, True]
    assert rows["joint_low"].tolist() == [False, False, False]
    assert rows["joint_high"].tolist() == [True, False, True]
    assert rows["counted"].tolist() == [True, True, False]


def test_no_test_of_a_kind_is_not_a_pass():
    rows = measures.summarize_samples(frame({"a": ["pp -"], "b": ["pp pp"]}))
    assert three(rows["secure"]) == [None, True]
    assert rows["secure_low"].tolist() == [False, True]


def test_one_sample_per_arm_even_where_an_arm_is_missing():
    plain, careful = (frame({"a": [x]}, prompt=x) for x in ("p p", "f p"))
    rows = pd.concat([plain, careful, frame({"a": ["p f"]})])
    assert three(measures.summarize_samples(rows)["joint"]) == [True, False, False]


def test_counts_add_up_to_what_was_planned():
    rows = frame(
        {"a": ["pp pp", "xx xx", "cc cc", "rr rr"], "b": ["ii ii", "nn nn", "pp pu", "hp pp"]}
    )
    (c,) = measures.counts(rows).to_dict("records")
    assert c == {
        "planned": 8,
        "generated": 6,
        "no_program": 3,
        "executed": 2,
        "judged": 4,
        "unknown": 2,
        "infra": 1,
        "not_run": 1,
        "tests": 32,
    }
    by_task = measures.counts(rows, ["task"])
    assert by_task["planned"].tolist() == [4, 4]
    assert (by_task[["judged", "unknown", "infra", "not_run"]].sum(axis=1) == 4).all()


def test_all_pass_gives_one_in_every_metric():
    s = scores(frame({"a": ["pp pp"] * 3, "b": ["pp pp"] * 3}), k=(1, 3))
    assert (s["estimate"] == 1).all()
    assert (s["bound_low"] == 1).all()
    assert (s["bound_high"] == 1).all()


def test_agreement_of_all_tasks_is_no_certainty():
    s = scores(frame({f"t{i}": ["ff ff"] for i in range(25)}))
    assert s.loc["pass@1", ["estimate", "low"]].tolist() == [0, 0]
    assert s.loc["pass@1", "high"] == pytest.approx(stats.wilson_interval(0, 25).high)
    assert s.loc["pass@1", "unit"] == "task (Wilson)"


@pytest.mark.parametrize("k", [1, 2])
def test_agreement_is_over_the_tasks_that_define_a_rate(k):
    rows = frame({f"t{n}": ["p p", "p p", "p p"] if n < 5 else ["f p"] * 3 for n in range(20)})
    row = scores(rows, k=(k,)).loc[f"secure@{k}_pass (defined)"]
    assert row["estimate"] == 1
    assert row["low"] == pytest.approx(stats.wilson_interval(5, 5).low)


def test_the_interval_of_a_partly_undecided_rate_hardly_depends_on_the_seed():
    rows = frame({f"t{n}": ["p p" if n < 30 else "p f" if n < 33 else "p u"] for n in range(40)})
    ends = [
        scores(rows, rng=stats.seed(str(n)), n_boot=2000).loc["secure@1", ["low", "high"]]
        for n in range(8)
    ]
    assert np.ptp(np.array(ends, dtype=float), axis=0).max() < 0.04


def test_by_hand():
    """Task a: f 2/4, s 3/4, both 1/4; task b: nothing functional, s 1/4."""
    first, second = ["pp pp", "pp fp", "pf pp", "fp pp"], ["fp fp", "fp ff", "xx xx", "ff pp"]
    s = scores(frame({"a": first, "b": second}))
    want = {
        "pass@1": 1 / 4,
        "secure@1": 2 / 4,
        "secure-pass@1": 1 / 8,
        "secure@1_pass": 1 / 4,
        "secure@1_pass (defined)": 1 / 2,
        "PR": 8 / 16,
        "SPR": 10 / 16,
    }
    assert s["estimate"].drop(["PR (task mean)", "SPR (task mean)"]).to_dict() == pytest.approx(
        want
    )
    assert s.loc["secure@1_pass (defined)", "coverage"] == 0.5


def test_equals_the_estimator_of_chen():
    rows = noisy(tasks=9, samples=6, letters="ppppf")
    sample = measures.summarize_samples(rows)
    for axis, name in (("functional", "pass"), ("secure", "secure"), ("joint", "secure-pass")):
        c = sample.groupby("task")[axis].sum()
        for k in (1, 3, 6):
            want = at_k.estimate(6, c.astype(int), k=k).mean()
            assert scores(rows, k=(k,)).loc[f"{name}@{k}", "estimate"] == pytest.approx(want)


@pytest.mark.parametrize("seed", range(4))
def test_laws_hold_whatever_the_outcomes(seed):
    s = scores(noisy(seed=seed), k=(1, 2))
    for column in ("estimate", "bound_low", "bound_high"):
        for k in (1, 2):
            joint = s.loc[f"secure-pass@{k}", column]
            assert not joint > min(s.loc[f"pass@{k}", column], s.loc[f"secure@{k}", column]) + 1e-12
        assert not s.loc["pass@1", column] > s.loc["pass@2", column] + 1e-12
    inside = s.dropna(subset=["estimate", "bound_low"])
    assert (inside["bound_low"] <= inside["estimate"] + 1e-12).all()
    assert (inside["estimate"] <= inside["bound_high"] + 1e-12).all()
    assert not (s["low"] > s["high"]).any()


@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_the_extremes_over_all_ways_to_decide(seed):
    rows = noisy(tasks=2, samples=2, seed=seed, letters="ppfu")
    open_ = np.flatnonzero(rows["outcome"] == "unknown")[:5]
    rows = rows.drop(columns="cwe")
    rows.loc[rows["outcome"].eq("unknown") & ~rows.index.isin(open_), "outcome"] = "fail"
    seen = []
    for choice in product(["pass", "fail"], repeat=len(open_)):
        decided = rows.copy()
        decided.loc[open_, "outcome"] = list(choice)
        seen.append(scores(decided, n_boot=1, k=(1, 2))["estimate"])
    seen = pd.concat(seen, axis=1).drop("secure@2_pass")  # NaN: one functional sample is too few
    ours = scores(rows, n_boot=1, k=(1, 2)).drop("secure@2_pass")
    pd.testing.assert_series_equal(seen.min(axis=1), ours["bound_low"], check_names=False)
    pd.testing.assert_series_equal(seen.max(axis=1), ours["bound_high"], check_names=False)


def test_a_few_failures_of_ours_move_the_bounds_and_not_the_point():
    clean = {"a": ["pp pp"] * 20 + ["pf pp"] * 10, "b": ["pp pp"] * 30}
    spoiled = {**clean, "b": ["pp pp"] * 30 + ["ii ii"] * 2}
    one, two = scores(frame(clean)), scores(frame(spoiled))
    assert one["estimate"].tolist() == two["estimate"].tolist()
    assert (two["undecided"] > 0).all()
    assert (two["bound_low"] < two["bound_high"]).all()


def test_many_failures_of_ours_leave_no_point():
    spoiled = {"a": ["pp pp", "pf pp"], "b": ["pp pp", "pp pp", "ii ii"], "c": ["nn nn"]}
    two = scores(frame(spoiled))
    assert two["estimate"].isna().all()
    assert two.loc["pass@1", ["bound_low", "bound_high"]].tolist() == pytest.approx(
        [(1 / 2 + 2 / 3) / 3, (1 / 2 + 1 + 1) / 3]
    )
    assert two.loc["pass@1", ["planned", "infra", "not_run", "tasks"]].tolist() == [6, 1, 1, 3]
    assert two.loc["pass@1", "coverage"] == pytest.approx(2 / 3)


def test_all_unknown_is_anything_possible():
    s = scores(frame({"a": ["uu uu"], "b": ["uu uu"]}))
    assert s["estimate"].isna().all()
    assert (s["undecided"] == 1).all()
    s = s.drop("secure@1_pass (defined)")
    assert (s["low"] == 0).all()
    assert (s["high"] == 1).all()
    assert (s["bound_low"] == 0).all()
    assert (s["bound_high"] == 1).all()


def test_nothing_judged_has_no_estimate():
    s = scores(frame({"a": ["ii ii"], "b": ["nn nn"]}))
    assert s["estimate"].isna().all()
    assert s.loc["pass@1", ["bound_low", "bound_high"]].tolist() == [0, 1]
    assert s.loc["pass@1", "note"] == "No sample was judged."
    assert (s["judged"] == 0).all()


def test_another_policy_acts():
    rows = frame({"a": ["pp pu"], "b": ["pp pp"]})
    strict = {**measures.POLICY, (Status.COMPLETED, Outcome.UNKNOWN): measures.FAIL}
    lenient = {**measures.POLICY, (Status.COMPLETED, Outcome.UNKNOWN): measures.PASS}
    left_out = {**measures.POLICY, (Status.COMPLETED, Outcome.UNKNOWN): measures.OURS}
    points = [scores(rows, policy=p).loc["secure@1", "estimate"] for p in (strict, lenient)]
    assert points == [0.5, 1]
    assert scores(rows, policy=left_out).loc["secure@1", "coverage"] == 0.5


def test_above_a_twentieth_undecided_there_is_no_point_and_the_interval_holds_both_bounds():
    tasks = {f"t{n}": ["pp pp" if n % 3 else "pp pf"] for n in range(40)}
    few = scores(frame({**tasks, "t1": ["pp pu"], "t2": ["pp pu"]})).loc["secure@1"]
    many = scores(frame({**tasks, **{f"t{n}": ["pp pu"] for n in range(5)}})).loc["secure@1"]
    assert (few["undecided"], few["estimate"], few["bound_low"]) == (0.05, 0.6, 0.6)
    assert np.isnan(many["estimate"])
    for s in (few, many):
        assert s["low"] < s["bound_low"] < s["bound_high"] < s["high"]


def test_permuting_rows_changes_nothing():
    rows = noisy()
    one, two = scores(rows, by=["model"]), scores(rows.sample(frac=1, random_state=1), by=["model"])
    columns = ["estimate", "bound_low", "bound_high", "planned", "judged", "unknown", "infra"]
    pd.testing.assert_frame_equal(one[columns], two[columns])


def test_groups_equal_their_own_tables():
    a, b = noisy(seed=1, model="a"), noisy(seed=2, model="b")
    both = scores(pd.concat([a, b]), by=["model"])
    for name, rows in (("a", a), ("b", b)):
        alone = scores(rows, by=["model"])
        columns = ["estimate", "bound_low", "bound_high", "coverage", "planned"]
        pd.testing.assert_frame_equal(both[both["model"] == name][columns], alone[columns])


def test_one_task_has_a_value_and_no_interval():
    s = scores(frame({"a": ["pp pp", "pp fp"]}), by=["task"])
    assert s.loc["secure@1", "estimate"] == 0.5
    assert np.isnan(s.loc["secure@1", "low"])
    assert "no interval" in s.loc["secure@1", "note"]


def test_more_samples_asked_for_than_drawn_is_nan_with_a_note():
    s = scores(frame({"a": ["pp pp"] * 5, "b": ["pp pp"] * 2}), k=(1, 5))
    assert s.loc["pass@1", "estimate"] == 1
    assert np.isnan(s.loc["pass@5", "estimate"])
    assert "1 of 2 tasks have fewer than k = 5" in s.loc["pass@5", "note"]


def test_what_a_group_mixes_is_said():
    rows = pd.concat([frame({"a": ["p p"], "b": ["p p"]}, temperature=t) for t in (0.2, 0.8)])
    assert scores(rows)["note"].iloc[0] == "Averages over different values of temperature."
    assert scores(rows, by=["temperature"])["note"].iloc[0] == ""


def test_by_cwe_takes_security_tests_only():
    s = measures.measure(frame({"a": ["ff pf"], "b": ["pp pp"]}), by=["cwe"], rng=stats.seed("x"))
    wide = s.pivot_table(index="cwe", columns="metric", values="estimate")
    assert wide["SPR"].to_dict() == {"CWE-0": 1.0, "CWE-1": 0.5}
    assert "PR" not in wide


def test_a_frame_of_one_kind_has_the_metrics_of_that_kind():
    rows = frame({"a": ["pp pf"], "b": ["pp pp"]})
    s = scores(rows[rows["kind"] == "security"])
    assert list(s.index) == ["SPR", "SPR (task mean)", "secure@1"]
    assert s["judged"].iloc[0] == 2


ROWS = frame({"a": ["pp pp", "pf pp"]}, language="python")


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        (ROWS.iloc[:0], {}, "no rows"),
        (ROWS.drop(columns="outcome"), {}, "lacks the column outcome"),
        (pd.concat([ROWS, ROWS.iloc[[1]]]), {}, r"1 tests occur twice in one .*\(task a, f1\)"),
        (ROWS[ROWS["outcome"] == "pass"], {}, r"1 samples lack rows.*sample 1"),
        (ROWS.assign(status="ok"), {}, "Unknown status ok"),
        (ROWS.assign(outcome=None), {}, "Unknown outcome None"),
        (ROWS.assign(kind="x"), {}, "Use: functional, security"),
        (ROWS.assign(prompt=[["a"]] * len(ROWS)), {}, "column prompt holds lists"),
        (ROWS, {"by": "model"}, r"by=\['model'\]"),
        (ROWS, {"by": ["lang"]}, "Cannot group by lang.*language"),
        (ROWS, {"policy": {}}, r"no rule for \(completed, pass\)"),
        *(
            (ROWS, options, r"as k=\(1, 5\)")
            for options in ({"k": ()}, {"k": 1}, {"k": (0,)}, {"n_boot": 0}, {"level": 95})
        ),
    ],
)
def test_a_table_or_an_option_that_cannot_be_measured_is_refused(rows, options, sentence):
    with pytest.raises(KitError, match=sentence):
        scores(rows, **options)


def test_categories_and_enums_are_as_good_as_text():
    rows = noisy()
    as_enums = rows.assign(
        status=[Status(s) for s in rows["status"]],
        model=rows["model"].astype(pd.CategoricalDtype(["other", "m"])),
    )
    columns = ["estimate", "low", "high", "bound_low", "bound_high", "planned"]
    one, two = (scores(r, by=["model"])[columns] for r in (rows, as_enums))
    pd.testing.assert_frame_equal(one, two)


def test_tasks_of_two_suites_with_one_name_are_two_tasks():
    rows = pd.concat([frame({"a": ["p p"]}).assign(suite=s) for s in ("one", "two")])
    assert scores(rows).loc["pass@1", "tasks"] == 2


def test_the_text_shows_counts_bounds_and_notes():
    table = measures.measure(noisy(), k=(1, 9), rng=stats.seed("x"), n_boot=50)
    shown, whole = measures.format_scores(table), measures.format_scores(table, whole=True)
    for part in (
        "model m: 6 tasks",
        "24 planned",
        "secure-pass@1",
        "between",
        "% undecided",
        "fewer than k = 9",
    ):
        assert part in shown
        assert part in whole
    assert "SPR" in whole
    assert "SPR" not in shown


def test_five_thousand_samples_take_about_a_second():
    one = noisy(tasks=100, samples=10, letters="ppf")
    rows = pd.concat([one.assign(model=f"m{i}") for i in range(5)])
    rows = pd.concat([rows.assign(test=rows["test"] + f"-{i}") for i in range(3)])
    assert len(rows) == 5000 * 12
    pace = measure_pace(lambda: measures.measure(rows, k=(1, 5), rng=stats.seed("x")))
    assert pace < 100  # it is about 20


def test_parts_of_a_table_give_what_the_whole_gives():
    rows = pd.concat([noisy(), frame({"only-secure": ["- p", "- f"]})], ignore_index=True)
    parts = [part for _, part in rows.groupby(["task", "sample"], sort=False)]
    pd.testing.assert_frame_equal(
        measures.summarize_samples(iter(parts)), measures.summarize_samples(rows)
    )
    for by in ([], ["cwe"]):
        one, many = (scores(x, by=by) for x in (rows, iter(parts)))
        pd.testing.assert_frame_equal(one, many)


def test_counts_begin_with_the_arms_and_planned_follows_them():
    """A table by arms is cut there; stages that vary between samples are no arms."""
    rows = pd.concat([frame({"t": ["pp pp", "xx xx"]}, model=m) for m in ("a", "b")])
    columns = list(measures.counts(rows, None))
    assert columns[: columns.index("planned")] == ["model"]
