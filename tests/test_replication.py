import numpy as np
import pandas as pd
import pytest

from kit import plots
from kit.errors import KitError
from kit.metrics import stats
from kit.papers import audit, factors, published, replication
from kit.store import Store
from kit.systems.ossbench import study as oss


@pytest.fixture
def scale():
    printed = published.table("dualgauge", 10)
    rows = replication.replicate("published", printed, counted=True).rows
    return factors.factor("scale").grouped(rows)


def test_the_printed_table_is_its_own_source():
    printed = published.table("dualgauge", 2)
    found = replication.replicate("published", printed)
    assert found.folder is None
    assert found.shown["value"].equals(printed["value"])


def test_intervals_of_printed_shares_contain_them_and_widen_with_the_level():
    printed = published.table("dualgauge", 2)
    narrow, wide = (audit.intervals(printed, level=x).dropna(subset="ci_low") for x in (0.8, 0.99))
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
    both = replication.Replication("a run", printed, ours).shown
    assert list(both["of"].unique()) == ["a run", "published"]
    assert len(published.wide(both)) == 1 + 2


def test_a_printed_interval_tells_which_n_its_row_rests_on():
    table = published.table("dualgauge", 2)
    found = audit.reconstructed(table).loc[("gpt-5-medium", "python")]
    assert (found["n"], found["n_most"], found["joint"]) == (264, 290, 39)
    row = audit.intervals(table).set_index(["model", "language", "metric"])
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
    low, high = factors.extremes(8, 3, 20)
    every = [stats.sign_test(np.repeat([1.0, -1.0], [8 - both, 3 - both])) for both in range(4)]
    assert (low, high) == (min(every), max(every))
    assert factors.extremes(5, 5, 9)[0] == 1.0


def test_a_family_is_where_a_name_begins():
    found = factors.family(["qwen3-4b", "codestral-22b", "phi"], ["qwen3", "mistral|codestral"])
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
