import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from kit.core import records, store
from kit.core.errors import KitError
from kit.core.records import Evidence, Finding, Outcome, Reason, Sample, Status, Task, Test, Verdict
from kit.core.store import VERSION, Store, slot_of
from kit.run import report
from tests.support.judged import answered

TASK = Task(
    "t1", "demo", "Say hi.", (Test("fc-0", "functional"), Test("sec-0", "security", cwe="CWE-22"))
)
SAMPLE = Sample("t1", "m", arm={"prompt": "plain"}, code="print('hi')\n")
EVIDENCE = Evidence(
    Status.COMPLETED,
    exit_code=0,
    stdout=b"\xff\x00hi\n",
    files={"out.bin": bytes(range(256))},
    events=(records.Event("open", "/etc/passwd", "r", -13, "EACCES"),),
    observed=records.Observed("value", {"a": [1, None, "\u2028"]}, lines=(1, 2)),
)
VERDICT = Verdict("fc-0", Outcome.PASS, Reason.EXACT, "equal", "match", ("value",))


def filled(path):
    s = answered(path, [TASK], [SAMPLE])
    s.put_evidence("e", EVIDENCE)
    s.put_verdict("v", VERDICT)
    s.put_cells([(slot_of(SAMPLE), "fc-0", "e", "v", False)])
    return s


def test_what_goes_in_comes_out_byte_for_byte(tmp_path):
    with filled(tmp_path / "run") as s:
        assert s.evidence("e") == EVIDENCE
        assert s.verdict("v") == VERDICT
        assert list(s.samples()) == [SAMPLE]
        assert s.cell(slot_of(SAMPLE), "fc-0") == (EVIDENCE, VERDICT)


def test_the_frame_has_a_row_for_every_planned_test_run_or_not(tmp_path):
    with filled(tmp_path / "run") as s:
        frame = s.frame()
    assert frame[["test", "status", "outcome", "prompt"]].to_numpy().tolist() == [
        ["fc-0", "completed", "pass", "plain"],
        ["sec-0", "not_run", "unknown", "plain"],
    ]


def test_evidence_that_a_run_ships_without_is_executed_again(tmp_path):
    with filled(tmp_path / "run") as s:
        s.db.execute("UPDATE evidence SET data = NULL")
        assert s.cell(slot_of(SAMPLE), "fc-0") == (None, VERDICT)
        assert not s.find_settled()


def test_a_sample_without_a_program_keeps_its_rows(tmp_path):
    with Store(tmp_path / "run") as s:
        s.plan([TASK], [SAMPLE])
        s.put_sample(Sample("t1", "m", arm={"prompt": "plain"}, status=Status.EXTRACTION_ERROR))
        frame = s.frame()
    assert list(frame["status"]) == ["extraction_error"] * 2
    assert set(frame["reason"]) == {"no_program"}


def test_writing_twice_changes_nothing_whatever_signs_the_runs_name_has(tmp_path):
    path = tmp_path / "50% of #1? ü"
    with filled(path) as s:
        before = s.frame()
    with filled(path) as s:
        pd.testing.assert_frame_equal(before, s.frame())
    pd.testing.assert_frame_equal(before, store.frame(path))


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path):
    with filled(tmp_path / "run"):
        with pytest.raises(KitError, match="being written by process"):
            Store(tmp_path / "run")
        assert len(store.frame(tmp_path / "run")) == 2


def test_a_missing_run_and_a_folder_in_its_place_are_named_and_nothing_is_made(tmp_path):
    with pytest.raises(KitError, match="No run at"):
        store.frame(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()
    (tmp_path / "run.sqlite").mkdir()
    with pytest.raises(KitError, match="No run at"):
        store.frame(tmp_path)


def test_failures_of_ours_are_not_settled_and_responses_are_a_mapping(tmp_path):
    with filled(tmp_path / "run") as s:
        s.put_evidence("lost", Evidence(Status.INFRA_ERROR))
        assert s.find_settled() == {"e"}
        cache = s.response_cache()
        assert "k" not in cache
        cache["k"] = {"text": "é"}
        assert dict(cache) == {"k": {"text": "é"}}


def test_threads_that_read_at_once_each_get_their_own_rows(tmp_path):
    """Python 3.13 mixes them up where two threads share a prepared statement; 3.11 does not."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with Store(tmp_path / "run") as s, ThreadPoolExecutor(8) as threads:
            cache = s.response_cache()
            for n in range(50):
                cache[str(n)] = {"n": n}
            asked = [n % 60 for n in range(8000)]
            answers = list(threads.map(lambda n: cache.get(str(n)), asked))
    finally:
        sys.setswitchinterval(interval)
    assert answers == [{"n": n} if n < 50 else None for n in asked]


def test_content_keys_see_content_only():
    assert records.content_key({"a": 1, "b": b"x"}) == records.content_key({"b": b"x", "a": 1})
    assert records.content_key("a") != records.content_key("b")
    assert records.content_key(["a"], "b") != records.content_key("a", ["b"])


def test_a_folder_that_cannot_be_made_and_a_file_that_is_no_run_are_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(KitError, match="cannot be created"):
        Store(tmp_path / "file" / "run")
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "run.sqlite").write_bytes(b"no database at all, but long enough" * 9)
    with pytest.raises(KitError, match="is not a run's file"):
        Store(tmp_path / "odd")


@pytest.mark.parametrize("write", ["", "CREATE TABLE x (a)"])
def test_reading_what_never_was_a_run_is_refused_and_changes_nothing(tmp_path, write):
    file = tmp_path / "run.sqlite"
    file.touch()
    with closing(sqlite3.connect(file)) as db:
        db.execute(write)
    before = file.read_bytes()
    with pytest.raises(KitError, match="is not a run's file"):
        store.frame(tmp_path)
    assert file.read_bytes() == before


def test_a_folder_of_programs_is_no_runs_folder(tmp_path):
    (tmp_path / "evil" / "1").mkdir(parents=True)
    (tmp_path / "evil" / "1" / "a.py").write_text("x = 1\n")
    with pytest.raises(KitError, match="has other files"):
        Store(tmp_path / "evil")
    assert [p.name for p in (tmp_path / "evil").iterdir()] == ["1"]
    (tmp_path / "new").mkdir()
    Store(tmp_path / "new").close()
    Store(tmp_path / "new").close()


@pytest.mark.parametrize("write", [True, False])
def test_a_file_of_a_newer_kit_is_refused_and_kept_as_it_is(tmp_path, write):
    Store(tmp_path / "run").close()
    path = tmp_path / "run" / "run.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    db.close()
    before = path.read_bytes()
    with pytest.raises(KitError, match="Update the kit"):
        Store(tmp_path / "run", write=write)
    assert path.read_bytes() == before


def test_a_run_of_another_suite_is_refused_and_every_invocation_is_kept(tmp_path):
    asked = [{"suite": "dualgauge", "n": 1, "base_url": "http://a"}]
    asked += [{"suite": "dualgauge", "n": 4, "base_url": "http://b"}] * 2
    with Store(tmp_path / "run") as store:
        for values in asked:
            store.begin(**values)
        before = store.meta()
        with pytest.raises(KitError, match="is of the suite dualgauge, not codeguard"):
            store.begin(suite="codeguard", n=2)
        assert store.meta() == before
        assert before["invocations"] == asked[:2]
        assert report.read_provenance(store)["invocations"] == asked[:2]
        assert "2 invocations" in report.format_provenance(report.read_provenance(store))


def test_what_is_not_kept_is_forgotten_but_its_evidence_stays(tmp_path):
    with filled(tmp_path / "run") as s:
        other = Sample("t1", "other")
        s.plan([TASK], [other])
        s.keep([other])
        assert set(s.frame()["model"]) == {"other"}
        assert list(s.samples()) == []
        assert s.find_settled() == {"e"}


OLD = Path(__file__).parents[1] / "files" / "run-version-1.sqlite"


@pytest.mark.parametrize("write", [False, True])
def test_a_file_of_the_first_version_opens_as_one_of_today(tmp_path, write):
    copied = tmp_path / "run.sqlite"
    copied.write_bytes(OLD.read_bytes())
    with Store(copied, write=write) as store:
        rows = store.frame()
        assert rows[["test", "outcome", "reason"]].to_numpy().tolist() == [
            ["fc-0", "pass", "exact"],
            ["sec-0", "unknown", "no_evidence"],
        ]
        assert store.evidence("e").events[0].target == "/etc/passwd"
        assert store.repeats().empty
        assert store.opinions().empty
        assert store.trials() == []
        assert store.findings().empty


def test_findings_come_back_with_whose_they_are(tmp_path):
    found = Finding("gcc", "r", "CWE-787", "a.c", 3, flow=("a.c:1 f", "a.c:3 f"), key="k")
    with Store(tmp_path / "run") as store:
        store.put_findings("trial", [found, found], [("s1",), ("s1", "s2")])
        store.put_findings("trial", [found], [("s2",)])
        (row,) = store.findings().to_dict("records")
    assert (row["trial"], row["slots"], row["cwe"]) == ("trial", ["s2"], "CWE-787")
    assert row["flow"] == ["a.c:1 f", "a.c:3 f"]


def test_a_slot_that_nobody_asks_for_any_more_leaves_the_plan_unless_it_was_answered(tmp_path):
    task = Task("t", "s", "p", (Test("fc-0", "functional"), Test("fc-1", "functional")))
    first = [Sample("t", "m", i, status=Status.NOT_RUN) for i in range(3)]
    with Store(tmp_path / "run") as store:
        store.plan([task], first)
        store.put_sample(replace(first[0], status=Status.COMPLETED))
        shorter = replace(task, tests=task.tests[:1])
        assert store.plan([shorter], first[1:2]) == 1
        rows = store.frame()
    assert sorted(zip(rows["sample"], rows["test"], strict=True)) == [(0, "fc-0"), (1, "fc-0")]
