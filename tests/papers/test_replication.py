import numpy as np
import pandas as pd
import pytest

from kit import explore
from kit.core.errors import KitError
from kit.core.store import Store, frame
from kit.explore import plots
from kit.papers import audit, factors, published, replication
from kit.run.suites import open_suite
from kit.scoring import measures, stats
from kit.systems.ossbench import study as oss
from tests.support import judged
from tests.support.tables import read_table


@pytest.fixture
def scale():
    printed = published.table("dualgauge", 10)
    rows = replication.replicate("published", printed, counted=True).rows
    return factors.factor("scale").group_by_family(rows)


def test_the_printed_table_is_its_own_source():
    printed = published.table("dualgauge", 2)
    found = replication.replicate("published", printed)
    assert found.folder is None
    assert found.shown_rows["value"].equals(printed["value"])


def test_intervals_of_printed_shares_contain_them_and_widen_with_the_level():
    printed = published.table("dualgauge", 2)
    narrow, wide = (
        audit.add_intervals(printed, level=x).dropna(subset="ci_low") for x in (0.8, 0.99)
    )
    assert len(narrow) == 10 * 3 * 3
    assert narrow["value"].between(narrow["ci_low"] - 0.05, narrow["ci_high"] + 0.05).all()
    assert (wide["ci_low"] <= narrow["ci_low"]).all()
    assert (wide["ci_high"] >= narrow["ci_high"]).all()


def test_a_recording_and_another_suites_run_are_refused_with_what_to_type(tmp_path):
    with pytest.raises(KitError, match=r"kit run dualgauge --model replay:smollm2-135m"):
        replication.replicate("smollm2-135m", published.table("dualgauge", 2))
    with Store(tmp_path / "run") as store:
        store.set_meta(suite="dualgauge")
    with pytest.raises(KitError, match=r"is of the suite dualgauge, and this table is one of real"):
        replication.replicate(str(tmp_path / "run"), published.table("realsec", 2))
    with pytest.raises(KitError, match="reads one of ossbench"):
        oss.builds("smollm2-135m")


@pytest.mark.parametrize("bad", [{"level": 95.0}, {"level": 0.0}, {"n_boot": 0}, {"k": []}])
def test_a_parameter_out_of_its_range_is_refused(bad):
    with pytest.raises(KitError, match="Use "):
        replication.replicate("published", published.table("dualgauge", 2), **bad)


def test_where_there_is_no_interval_nothing_is_called_outside():
    printed = published.table("dualgauge", 9)
    ours = printed.assign(ci_low=np.nan, ci_high=np.nan)
    found = replication.Replication("a run", printed, ours)
    assert set(found.agree()["verdict"]) == {"no interval"}


def test_the_papers_rows_stand_below_a_runs():
    printed = published.table("dualgauge", 9)
    ours = printed.head(5).assign(model="mine")
    both = replication.Replication("a run", printed, ours).shown_rows
    assert list(both["of"].unique()) == ["a run", "published"]
    assert len(published.wide(both)) == 1 + 2


def test_a_printed_interval_tells_which_n_its_row_rests_on():
    table = published.table("dualgauge", 2)
    found = audit.reconstruct_counts(table).loc[("gpt-5-medium", "python")]
    assert (found["n"], found["n_most"], found["joint"]) == (264, 290, 39)
    row = audit.add_intervals(table).set_index(["model", "language", "metric"])
    ends = row.loc[("gpt-5-medium", "python", "secure-pass@1"), ["ci_low", "ci_high"]]
    assert [round(x, 1) for x in ends] == [10.6, 19.3]


def test_a_run_in_which_nothing_built_has_no_score_of_tests_or_memory():
    row = oss.builds("ossbench-cjson-smollm2").row.iloc[0]
    assert row["compilability"] == 0
    assert np.isnan(row[["functional test", "memory safety"]].astype(float)).all()


def test_an_unknown_factor_is_refused_with_those_that_there_are():
    with pytest.raises(KitError, match="Use one of: scale, thinking"):
        factors.factor("size")


def test_steps_are_differences_from_the_first_level(scale):
    steps = factors.printed_steps(scale, panel="family", level="size").set_index(
        ["family", "to", "metric"]
    )
    assert steps.loc[("qwen3", "32B", "pass@1"), "step"] == pytest.approx(31.1 - 8.4)
    shares = steps.dropna(subset="p_least")
    assert (shares["p_least"] <= shares["p_most"]).all()
    assert len(shares) == 2 * 3 * 3


def test_the_least_and_the_greatest_p_enclose_every_overlap():
    low, high = factors.extreme_p_values(8, 3, 20)
    every = [stats.sign_test(np.repeat([1.0, -1.0], [8 - both, 3 - both])) for both in range(4)]
    assert (low, high) == (min(every), max(every))
    assert factors.extreme_p_values(5, 5, 9)[0] == 1.0


def test_a_family_is_where_a_name_begins():
    found = factors.match_families(
        ["qwen3-4b", "codestral-22b", "phi"], ["qwen3", "mistral|codestral"]
    )
    assert found == ["qwen3", "mistral / codestral", "phi"]


def test_the_papers_sign_test_has_no_reverse_and_the_others_can_come_out_either_way():
    tallies = replication.tallies("published", published.table("dualgauge", 2))
    tests = replication.sign_tests(tallies)
    assert (tests["pass without joint"]["joint without pass"] == 0).all()
    for name in ("function against security", "dependence"):
        assert set(tests[name]["below alpha"]) == {"yes", "no"}, name


def test_drawn_and_exact_intervals_agree():
    whole = pd.DataFrame({"n": [290], "passed": [100], "secure": [90], "joint": [43]})
    found = replication.intervals(whole, n_boot=4000).iloc[0]
    assert found["joint"] == pytest.approx(100 * 43 / 290)
    assert found["drawn low"] == pytest.approx(found["exact low"], abs=0.5)
    assert found["drawn high"] == pytest.approx(found["exact high"], abs=0.5)


def test_shares_of_a_printed_table_come_back_from_their_counts():
    rows = published.table("realsec", 6)
    rows = rows[rows["model"] != "Average"]
    found = replication.shares(rows, n=105)
    assert (found["recomputed"] - found["value"]).abs().max() <= 0.005 + 1e-9
    assert found["recomputed"].between(found["ci_low"], found["ci_high"]).all()


def test_composition_counts_a_suite_of_ours():
    found = replication.composition("dualgauge").set_index("property")["dualgauge"]
    assert int(found["Specification-only prompts"]) >= 12


def test_a_small_p_is_never_printed_as_zero():
    html = plots.show(pd.DataFrame({"p": [1e-9, 0.5]}), digits=4).to_html()
    assert "&lt;0.0001" in html or "<0.0001" in html
    assert "0.5000" in html


SHAPES = {
    "one model": (["m"], [{}]),
    "two models, three arms": (["m", "openai:n"], [{}, {"hint": "generic"}, {"prompt": "bm25"}]),
}


def made(folder, name, models, arms, letters=("pp", "pf", "x", "pp", "fp", "r")):
    """A run of three tasks with two samples each, whose outcomes are chosen."""
    suite = open_suite(name)
    tasks = [t for t in suite.load().tasks if len({x.kind for x in t.tests}) == 2][:3]
    answers = [
        (tasks[n // 2], model, n % 2, arm, word)
        for model in models
        for arm in arms
        for n, word in enumerate(letters)
    ]
    return str(judged.run(folder / name, suite, answers))


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("paper", "number", "columns"), read_table("replication", "tables"))
def test_each_model_and_arm_of_a_run_has_rows_at_its_own_name(
    paper, number, columns, shape, tmp_path
):
    models, arms = SHAPES[shape]
    run = made(tmp_path, paper, models, arms)
    table = published.table(paper, number)
    found = replication.replicate(run, table, columns=columns, n_boot=20)
    by = [*published.key_columns(found.rows)]
    assert set(found.rows["model"]) == set(models)
    assert not found.rows[by].isin(["–", "nan", ""]).any(axis=None)
    assert len(found.rows[["model", *found.further]].drop_duplicates()) >= len(models)
    assert not found.rows.duplicated([*by, "metric"]).any()
    first = found.rows[found.rows["metric"].isin(["pass@1", "SPR"])].iloc[0]
    rows = frame(run).astype({"task": str})
    for key in by:
        column = columns.get(key, key)
        if column in rows:
            label = rows[column].astype(object).where(rows[column].notna(), "not set")
            rows = rows[label.astype(str) == first[key]]
    kind = "functional" if first["metric"] == "pass@1" else "security"
    rows = rows[rows["kind"] == kind]
    right = rows["outcome"].eq("pass")
    if kind == "functional":
        samples = right.groupby([rows["task"], rows["slot"]]).all()
        assert first["value"] == pytest.approx(100 * samples.groupby("task").mean().mean())
    else:
        assert first["value"] == pytest.approx(100 * right.mean())
    published.wide(found.shown_rows)
    assert len(found.agree()) == len(found.rows)


def test_hops_are_a_fact_of_the_task_and_no_arm(tmp_path):
    rows = frame(made(tmp_path, "realsec", ["m"], [{}]))
    about = {i: t.facts for i, t in ((t.id, t) for t in open_suite("realsec").load().tasks)}
    assert (rows["task_hops"] == rows["task"].map(lambda task: about[task]["hops"])).all()
    assert "task_hops" not in measures.arm_columns(rows)
    by_hops = measures.measure(rows, by=["task_hops"], rng=stats.seed(""), n_boot=2)
    assert set(by_hops["task_hops"]) == set(rows["task_hops"])


def test_a_column_that_a_run_lacks_is_refused_with_those_that_it_has(tmp_path):
    run, table = made(tmp_path, "realsec", ["m"], [{}]), published.table("realsec", 6)
    for columns in ({"retriever": "nonsense"}, {}):
        with pytest.raises(KitError, match=r"for the table's retriever. Use one of: model.*hops"):
            replication.replicate(run, table, columns=columns)
    with pytest.raises(KitError, match="has no key category. It has: retriever, model"):
        replication.replicate(run, table, columns={"category": "domain"})


def test_k_may_be_the_text_that_a_command_line_gives(tmp_path):
    run, table = made(tmp_path, "dualgauge", ["m"], [{}]), published.table("dualgauge", 2)
    found = replication.replicate(run, table, k="[1, 2]", n_boot=20)
    assert (found.k, "pass@2" in set(found.rows["metric"])) == ((1, 2), True)
    for wrong in ("1,2", "[0]", "[1.5]", 2, '["a"]'):
        with pytest.raises(KitError, match="Use whole numbers from 1"):
            replication.replicate(run, table, k=wrong)


@pytest.mark.slow
def test_where_too_much_is_undecided_there_are_bounds_and_no_test_anywhere(tmp_path):
    sure = ("pp", "pf", "pp", "pp", "fp", "pp")
    open_ = ("pp", "pu", "pp", "pp", "fp", "pp")
    suite = open_suite("dualgauge")
    tasks = suite.load().tasks[:3]
    answers = [
        (tasks[n // 2], model, n % 2, {}, word)
        for model, words in (("m", sure), ("n", open_))
        for n, word in enumerate(words)
    ]
    run = str(judged.run(tmp_path / "both", suite, answers))
    each = [
        str(judged.run(tmp_path / m, suite, [a for a in answers if a[1] == m])) for m in ("m", "n")
    ]
    found = replication.replicate(run, published.table("dualgauge", 2), n_boot=20)
    flat = published.wide(found.rows).droplevel("language")
    assert flat.loc["n", "secure@1"] == pytest.approx((500 / 6, 100))
    assert flat.loc["m", "secure@1"] == pytest.approx(500 / 6)
    assert "no point estimate" in found.note
    kind = factors.factor("scale")
    table, columns = published.table("dualgauge", 10), {"size": "model"}
    rows = replication.replicate(run, table, columns=columns, n_boot=20).rows
    steps = kind.steps(run, rows, column="model", n_boot=20).set_index("metric")
    compared = explore.Explorer.of(each[0]).compare(explore.Explorer.of(each[1])).tests(n_boot=20)
    compared = compared.set_index("metric")
    for metric, told in (("pass@1", True), ("secure@1", False), ("secure-pass@1", False)):
        assert pd.notna(steps.loc[metric, ["step", "p", "p (Holm)"]]).all() == told
        assert pd.notna(compared.loc[metric, ["difference", "p", "p (Holm)"]]).all() == told
        assert ("undecided" in steps.loc[metric, "note"]) != told
        for end in ("bound_low", "bound_high"):
            assert steps.loc[metric, end] == pytest.approx(100 * compared.loc[metric, end])
    counts = replication.tallies(run, published.table("dualgauge", 2))
    assert counts["undecided"].tolist() == [0, 0]  # the first sample of each task is decided


def test_signs_are_counted_over_models_with_the_exact_p():
    table = published.table("realsec", 6)
    signs = replication.replicate("published", table).count_signs("retriever")
    assert {*signs["from"]} == {"origin"}
    row = signs[(signs["metric"] == "pass@1") & (signs["to"] == "bm25")].iloc[0]
    assert row[["models", "above", "below"]].tolist() == [5, 5, 0]
    assert row["p"] == pytest.approx(2 / 2**5)
    assert (signs["p (Holm)"] >= signs["p"]).all()
    here = replication.Replication(
        "mine", table, table.iloc[::-1].assign(retriever=table["retriever"])
    )
    assert {*here.count_signs("retriever")["from"]} == {"origin"}  # in whatever order a run is
    one = table[table["model"] == "GPT-4.1"]
    one.attrs = dict(table.attrs)
    assert replication.replicate("published", one).count_signs("retriever").empty
