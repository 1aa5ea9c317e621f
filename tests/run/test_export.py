"""An exported table gives the printed numbers again, whatever the suite; a second arm is apart."""

import html
import json
import re

import pandas as pd
import pytest

from kit.papers import published, replication
from kit.run.suites import open_suite
from kit.scoring import measures
from tests.support import judged
from tests.support.commands import invoked, kit

AXES = {"pass@1": "functional", "secure@1": "secure", "secure-pass@1": "joint"}
SUITES = ("dualgauge", "codeguard", "realsec", "ossbench")
FEW = ("pp", "pf", "fp", "x", "r", "pp", "hp", "n", "pp", "ip") + ("pp", "ff") * 9
MANY = ("pp", "pu", "up", "x", "r", "hf")  # too much undecided for a point


def printed(run, *by):
    words = ["--by", ",".join(by)] if by else []
    return pd.DataFrame(
        json.loads(kit("score", run, "--json", "--n-boot", 20, *words).stdout)["scores"]
    )


def exported(run, folder, suffix="csv"):
    kit("export", run, folder / f"rows.{suffix}")
    read = {"csv": pd.read_csv, "parquet": pd.read_parquet}[suffix]
    return read(folder / f"rows.{suffix}")


def again(rows, column):
    """What a stranger types: the mean over tasks of the samples that count, and both bounds."""
    every = rows.drop_duplicates("slot")
    counted = every[every["in_denominator"]]
    mean = counted[column].fillna(0).groupby(counted["task"]).mean().mean()
    ends = [every[column].fillna(x).where(every["in_denominator"], x) for x in (0, 1)]
    return [mean, *(end.astype(float).groupby(every["task"]).mean().mean() for end in ends)]


def pooled(rows, kind):
    counted = rows[rows["in_denominator"] & (rows["kind"] == kind)]
    return counted["passed"].fillna(0).mean()


def run_of(name, folder, letters, arms=({},)):
    suite = open_suite(name)
    tasks = [t for t in suite.load().tasks if len({x.kind for x in t.tests}) == 2][:4]
    size = -(-len(letters) // len(tasks))
    answers = [
        (tasks[n // size], "m", n % size, arm, word)
        for arm in arms
        for n, word in enumerate(letters)
    ]
    return judged.run(folder / name, suite, answers)


def assert_equal(rows, scores):
    """Each group of the scores has the numbers of the rows of its arm."""
    by = list(scores.columns[: list(scores.columns).index("metric")])
    for arm, part in scores.groupby(by, dropna=False):
        mine = rows
        for column, value in zip(by, arm, strict=True):
            mine = mine[mine[column].isna() if pd.isna(value) else mine[column] == value]
        assert_group(mine, part)


def assert_group(rows, scores):
    scores = scores.set_index("metric")
    for metric, column in AXES.items():
        if metric in scores.index:
            ours, told = again(rows, column), scores.loc[metric]
            assert ours[1:] == pytest.approx([told["bound_low"], told["bound_high"]])
            if told["undecided"] <= measures.MOST_UNDECIDED:
                assert told["estimate"] == pytest.approx(ours[0])
            else:
                assert pd.isna(told["estimate"])
    for metric, kind in (("PR", "functional"), ("SPR", "security")):
        if not pd.isna(scores.loc[metric, "estimate"]):
            assert scores.loc[metric, "estimate"] == pytest.approx(pooled(rows, kind))


@pytest.mark.parametrize("letters", [FEW, MANY], ids=["few undecided", "many undecided"])
@pytest.mark.parametrize("suite", SUITES[:3])
def test_a_group_by_of_the_export_gives_the_printed_numbers(suite, letters, tmp_path):
    run = run_of(suite, tmp_path, letters)
    rows = exported(run, tmp_path)
    assert_equal(rows, printed(run))
    none = rows[rows["status"].isin(["extraction_error", "refused"])]
    assert (none["outcome"] == "unknown").all()
    assert none["in_denominator"].all()
    assert (none[["passed", "functional", "secure", "joint"]] == 0).all(axis=None)
    assert rows.loc[rows["status"] == "not_run", "passed"].isna().all()


def test_the_recorded_runs_export_what_is_printed_of_them(tmp_path):
    assert_equal(exported("labelled-dualgauge", tmp_path, "parquet"), printed("labelled-dualgauge"))
    for run in ("ossbench-cjson", "ossbench-cjson-smollm2"):
        rows, scores = exported(run, tmp_path), printed(run).set_index("metric")
        built = rows.loc[(rows["test"] == "build") & rows["in_denominator"], "passed"].dropna()
        assert built.mean() == pytest.approx(scores.loc["compilability", "estimate"])


def test_a_second_arm_is_never_pooled_unless_that_is_asked_and_then_said_once(tmp_path):
    letters = ("pp", "fp", "pf", "ff") * 2
    run = run_of("dualgauge", tmp_path, letters, ({}, {"hint": "generic"}))
    scores = printed(run)
    assert set(scores["hint"].dropna()) == {"generic"}
    assert_equal(exported(run, tmp_path), scores)
    assert set(scores["planned"]) == {8}
    said = kit("score", run, "--by", "model", "--k", "1,5").stdout
    assert said.count("Averages over different values of hint.") == 1
    assert "Pools" not in kit("score", run).stdout
    assert "hint generic" in kit("score", run).stdout


def test_a_printed_tables_rows_from_a_run_are_apart_for_each_arm(tmp_path):
    run = run_of("dualgauge", tmp_path, FEW, ({}, {"hint": "generic"}))
    found = replication.replicate(str(run), published.table("dualgauge", 2), n_boot=20)
    arms = found.rows[["model", "hint"]].drop_duplicates().to_numpy().tolist()
    assert arms == [["m", "not set"], ["m", "generic"]]
    assert published.wide(found.shown_rows).index.names == ["of", "model", "language", "hint"]
    assert set(found.rows["planned"]) == {len(FEW)}


def test_a_c_project_with_a_second_arm_is_refused_with_what_to_do(tmp_path):
    run = run_of("ossbench", tmp_path, ("pp",) * 4, ({}, {"hint": "generic"}))
    done = invoked("score", str(run))
    assert (done.exit_code, "--by model" in done.output) == (2, True)


def test_the_page_has_the_numbers_the_unit_and_the_interval_of_kit_score(tmp_path):
    run = run_of("dualgauge", tmp_path, FEW, ({}, {"hint": "generic"}))
    kit("export", run, "--html", tmp_path / "run.html")
    text = (tmp_path / "run.html").read_text()
    table = text.partition("<summary>All scores")[2].split("</table>")[1]
    names = re.findall("<th>(.*?)</th>", table)
    rows = [re.findall("<td>(.*?)</td>", row) for row in table.split("</thead>")[1].split("</tr>")]
    at = names.index("metric")
    shown = [html.unescape(f"{row[at]} {row[at + 1]}") for row in rows if row]
    lines = [" ".join(line.split()) for line in kit("score", run, "--all").stdout.splitlines()]
    lines = [line for line in lines if line.startswith(("PR", "SPR", "pass@", "secure"))]
    assert [" ".join(line.split()) for line in shown] == lines
    assert len(lines) == 18
