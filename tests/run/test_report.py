"""What a run says of itself, and what is printed and exported of it, whatever it holds."""

import json
import re
from dataclasses import replace

import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.records import Evidence, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.core.store import Store, slot_of
from kit.run import export, report
from tests.support.commands import told
from tests.support.judged import answered

TASK = Task(
    "t", "demo", "Do.", (Test("fc-0", "functional"), Test("sec-0", "security", cwe="CWE-22"))
)
CODE = "=cmd()\x1b[31m\u202e\n"
SAMPLE = Sample("t", "m", code=CODE, response="=1+1", output_tokens=7)


@pytest.fixture
def run(tmp_path):
    passed = Verdict("fc-0", Outcome.PASS, Reason.EXACT, "It \x07 agrees.", "match")
    with answered(tmp_path / "run", [TASK], [SAMPLE]) as store:
        store.put_evidence("e", Evidence(Status.COMPLETED, note="short"))
        store.put_verdict("v", passed)
        store.put_cells([(slot_of(SAMPLE), "fc-0", "e", "v", False)])
        store.set_meta(suite="demo", date="2026-01-01", commit="abcdef0123456789")
    return tmp_path / "run"


def test_an_export_holds_what_stands_behind_a_row(run, tmp_path):
    assert export.write_rows(run, tmp_path / "rows.jsonl") == 2
    first, second = map(json.loads, (tmp_path / "rows.jsonl").read_text().splitlines())
    assert [first[n] for n in ("sentence", "note", "evidence")] == ["It \x07 agrees.", "short", "e"]
    assert (first["code"], first["output_tokens"], second["sentence"]) == (CODE, 7, "")


def test_a_spreadsheet_finds_no_formula_and_a_terminal_no_command(run, tmp_path):
    export.write_rows(run, tmp_path / "rows.csv")
    text = (tmp_path / "rows.csv").read_text()
    assert not set("\x1b\x07\u202e") & set(text)
    assert pd.read_csv(tmp_path / "rows.csv")["response"][0] == "'=1+1"
    with Store(run, write=False) as store:
        shown = report.format_samples(report.collect_samples(store, "t", "fc-0"))
    assert "\x1b" not in shown
    assert "It \\u0007 agrees." in shown


def test_a_run_says_what_it_was(run):
    with Store(run, write=False) as store:
        said = report.format_provenance(report.read_provenance(store))
    assert said == "suite demo, date 2026-01-01, commit abcdef0123, 7 output tokens"


def test_unknown_tasks_and_tests_are_refused_by_name(run):
    with Store(run, write=False) as store:
        with pytest.raises(KitError, match="Use one of: t"):
            report.collect_samples(store, "k99")
        with pytest.raises(KitError, match="Use one of: fc-0, sec-0"):
            report.collect_samples(store, "t", "fc-9")


def test_an_answer_without_program_is_explained_once_and_a_sample_can_be_chosen(tmp_path):
    lost = Sample(
        "t",
        "n",
        1,
        arm={"prompt": "plain"},
        status=Status.REFUSED,
        note="It refused.",
        response="No.",
    )
    with answered(tmp_path / "run", [TASK], [SAMPLE, lost]) as store:
        first, *whole = report.format_samples(report.collect_samples(store, "t")).splitlines()
        assert first.startswith("2 of 2 samples of t. To choose: --sample NUMBER")
        assert "t  n #1 · prompt plain · python  refused" in whole
        why = "No program: It refused. It counts as neither correct nor secure."
        assert whole[-2:] == [why, "No."]
        for chosen in ("1", "n plain"):
            assert [
                s["model"] for s in report.collect_samples(store, "t", "", chosen)["samples"]
            ] == ["n"]
        with pytest.raises(KitError, match="Use words of one of: m #0 · python; n #1 · prompt"):
            report.collect_samples(store, "t", "fc-0", "nobody")


def test_a_run_without_all_answers_says_how_many_are_missing(tmp_path):
    later = Sample("t", "m", 1, status=Status.NOT_RUN)
    with answered(tmp_path / "run", [TASK], [SAMPLE]) as store:
        store.plan([TASK], [SAMPLE, later])
        assert "1 of 2 samples have no answer yet: rerun the command" in report.describe_endings(
            store
        )
        assert set(store.frame()["label"]) == {""}


def test_columns_do_not_touch_however_wide_their_cells_are(tmp_path):
    long = "a-test-with-a-long-name"
    task = replace(TASK, tests=(Test(long, "functional"), *TASK.tests))
    with answered(tmp_path / "run", [task], [SAMPLE]) as store:
        lines = report.format_samples(report.collect_samples(store, "t")).splitlines()
    cells = [re.split("  +", line)[0] for line in lines if "not judged" in line]
    assert cells == [long, "fc-0", "sec-0"]


def test_runs_are_listed(run, monkeypatch):
    for name in ("RUNS", "RECORDED"):
        monkeypatch.setattr(f"kit.core.paths.{name}", run.parent)
    (listed,) = told("runs")
    assert [listed[n] for n in ("run", "suite", "planned", "answered")] == ["run", "demo", 1, 1]


@pytest.mark.parametrize("suffix", export.KINDS)
def test_an_export_in_parts_is_the_export_in_one(run, tmp_path, monkeypatch, suffix):
    read = {
        ".parquet": pd.read_parquet,
        ".csv": pd.read_csv,
        ".jsonl": lambda p: pd.read_json(p, lines=True),
    }[suffix]
    other = Sample("t", "other", arm={"temperature": 0.5, "top": 3}, code="x")
    with Store(run) as store:
        store.plan([TASK], [Sample("t", "m", code=CODE, response="=1+1"), other])
        store.put_sample(other)
    with pytest.raises(KitError, match=r"\.parquet, \.csv, \.jsonl"):
        export.write_rows(run, tmp_path / "rows.xls")
    tables = []
    for size in (2000, 1):
        monkeypatch.setattr("kit.core.store.PART", size)
        assert export.write_rows(run, tmp_path / f"{size}{suffix}") == 4
        tables.append(read(tmp_path / f"{size}{suffix}"))
    pd.testing.assert_frame_equal(*tables)
    assert tables[0]["top"].tolist()[2:] == [3, 3]
