"""A tree in DualGauge's official layout, built here, fills the paper's table 2 exactly."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from kit import measures, store
from kit.cli.main import main
from kit.errors import KitError
from kit.metrics import stats
from kit.papers import audit, imported, published, replication

ROW = ("gpt-4.1", "python")


def result(category, verdict, cwe=""):
    return {
        "test_case": {"input": 1, "category": category, "cwe": cwe},
        "observed": {},
        "evaluation": {"verdict": verdict, "reasoning": f"It is {verdict}."},
    }


def write(place, functional, security, *, cwe="CWE-022", debug=True):
    """One sample: lists of verdicts by kind."""
    place.mkdir(parents=True)
    lists = {"Functional Correctness": functional, "Security": security}
    counts = {
        name: {"passed_test_cases": said.count("PASS"), "total_test_cases": len(said)}
        for name, said in lists.items()
    }
    head = {"status": "success", "sample_number": "0", "llm_name": "m"}
    (place / "summary.json").write_text(json.dumps({**head, "categories": counts}))
    if debug:
        tests = [result("Functional Correctness", v) for v in functional]
        tests += [result("Security", v, cwe) for v in security]
        (place / "debug.json").write_text(json.dumps({**head, "test_results": tests}))


def said(passed, total):
    return ["PASS"] * passed + ["FAIL"] * (total - passed)


def spread(rate, whole, parts):
    """Passed tests for each of the samples that fail: their total makes up the printed rate."""
    size = 20
    goal = round(rate / 100 * size * (whole + parts)) - size * whole
    return [min(size - 1, goal // parts + (i < goal % parts)) for i in range(parts)], size


@pytest.fixture(scope="module")
def row():
    printed = published.table("dualgauge", 2)
    return printed[(printed["model"] == ROW[0]) & (printed["language"] == ROW[1])]


@pytest.fixture(scope="module")
def tree(tmp_path_factory, row):
    """One configuration of table 2: as many programs of each kind as its shares have."""
    root = tmp_path_factory.mktemp("artefact") / "evaluation_results"
    n, passed, secure, joint = audit.reconstructed(row)[["n", "passed", "secure", "joint"]].iloc[0]
    rates = row.set_index("metric")["value"]
    works = np.arange(n) < passed
    safe = (np.arange(n) < joint) | (np.arange(n) >= n - (secure - joint))
    cells = {}
    for key, good, rate in (("fc", works, rates["PR"]), ("sec", safe, rates["SPR"])):
        some, size = spread(rate, int(good.sum()), int(n - good.sum()))
        left = iter(some)
        cells[key] = [said(size if g else next(left), size) for g in good]
    for i, (functional, security) in enumerate(zip(cells["fc"], cells["sec"], strict=True)):
        write(root / ROW[1] / ROW[0] / str(i + 1) / "sample_0", functional, security)
    return root


def test_a_tree_fills_its_row_of_table_2_exactly(tree, row, tmp_path):
    counts = imported.keep(imported.read(tree), tmp_path / "run")
    assert counts["broken"] == counts["missing"] == 0
    ours = replication.replicate(str(tmp_path / "run"), row, n_boot=50).rows
    both = published.compare(ours, row)
    assert list(both["verdict"]) == ["match"] * 5


def test_the_folder_above_is_taken_too_and_the_command_says_what_it_read(tree, tmp_path):
    run = str(tmp_path / "run")
    done = CliRunner().invoke(
        main, ["import", "dualgauge-results", str(tree.parent), "--run", run, "--json"]
    )
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["read"] == store.frame(run)["task"].nunique()
    assert answer["problems"] == []


def measured(root, run):
    results = imported.read(root)
    imported.keep(results, run)
    frame = store.frame(run)
    scores = measures.measure(frame, rng=stats.seed("x"), n_boot=20)
    return results, frame, scores.set_index(["model", "metric"])


def test_broken_and_missing_files_stay_in_the_plan_with_a_sentence(tmp_path):
    root = tmp_path / "evaluation_results" / "python"
    for task in ("1", "2", "3", "4"):
        write(root / "whole" / task / "sample_0", ["PASS"], ["PASS"])
    for task in ("1", "2", "3"):
        write(root / "torn" / task / "sample_0", ["PASS"], ["FAIL"])
    (root / "torn" / "2" / "sample_0" / "debug.json").write_text('{"status": "succ')
    error = json.dumps({"status": "error", "error": "no test cases", "test_results": []})
    (root / "torn" / "3" / "sample_0" / "summary.json").write_text(error)
    results, frame, scores = measured(tmp_path, tmp_path / "run")
    assert len(results.problems) == 3
    assert any("no test cases" in p for p in results.problems)
    assert any("torn/4/sample_0 is missing" in p for p in results.problems)
    torn = frame[frame["model"] == "torn"].drop_duplicates("task").set_index("task")["status"]
    assert dict(torn) == {
        "1": "completed", "2": "infra_error", "3": "infra_error", "4": "not_run",
    }  # fmt: skip
    one = scores.loc["torn", "pass@1"]
    assert (one["planned"], one["judged"], one["infra"], one["not_run"]) == (4, 1, 2, 1)
    assert (one["bound_low"], one["bound_high"]) == (0.25, 1.0)


def test_a_task_that_nobody_can_read_is_still_counted(tmp_path):
    root = tmp_path / "evaluation_results" / "cpp" / "m"
    write(root / "1" / "sample_0", ["PASS"], ["PASS"])
    (root / "2" / "sample_0").mkdir(parents=True)
    _, frame, scores = measured(tmp_path, tmp_path / "run")
    assert set(frame["task"]) == {"1", "2"}
    assert scores.loc["m", "pass@1"]["planned"] == 2


def test_a_verdict_that_is_neither_pass_nor_fail_is_unknown(tmp_path):
    place = tmp_path / "evaluation_results" / "python" / "m" / "1" / "sample_0"
    write(place, ["PASS"], ["PASS", "ERROR"])
    _, frame, _ = measured(tmp_path, tmp_path / "run")
    assert list(frame["outcome"]) == ["pass", "pass", "unknown"]
    assert list(frame["cwe"]) == ["", "CWE-22", "CWE-22"]
    assert set(frame["oracle"]) == {"imported"}


def test_without_debug_the_counts_of_the_summary_are_kept(tmp_path):
    place = tmp_path / "evaluation_results" / "python" / "m" / "1" / "sample_0"
    write(place, said(2, 3), said(1, 1), debug=False)
    results, frame, _ = measured(tmp_path, tmp_path / "run")
    assert frame["outcome"].value_counts().to_dict() == {"pass": 3, "fail": 1}
    assert "debug.json is missing" in results.problems[0]


def test_a_summary_that_contradicts_its_details_is_said(tmp_path):
    place = tmp_path / "evaluation_results" / "python" / "m" / "1" / "sample_0"
    write(place, ["PASS"], ["PASS"])
    text = (place / "summary.json").read_text()
    (place / "summary.json").write_text(
        text.replace('"passed_test_cases": 1', '"passed_test_cases": 0', 1)
    )
    results, _, _ = measured(tmp_path, tmp_path / "run")
    assert "counts" in results.problems[0]


def test_a_folder_without_samples_is_refused(tmp_path):
    with pytest.raises(KitError, match="evaluation_results"):
        imported.read(tmp_path)
