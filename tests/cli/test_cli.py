"""The command line as a person meets it: what it prints, what it refuses, how it ends."""

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kit.cli.main import emit
from kit.core import store
from kit.core.paths import REFERENCES, SUITES
from kit.core.records import Sample
from kit.run.suites import list_suites
from tests.support.commands import invoked as kit


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A folder of programs as somebody has it: one good, one that is no program, one empty."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "k01").mkdir()
    good = (REFERENCES / "k01" / "secure.py").read_text()
    (folder / "k01" / "good.py").write_text(good)
    (folder / "k01" / "broken.py").write_text("def serve(:\n")
    (folder / "k01" / "empty.py").write_text("")
    return folder


@pytest.fixture(scope="module")
def judged(programs, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "mine"
    done = kit(
        "evaluate", "dualgauge", "--programs", programs, "--only", "k01", "--run", run, "--json"
    )
    assert done.exit_code == 0, done.output
    return run, json.loads(done.stdout)


def test_every_program_of_a_folder_gets_a_verdict_for_every_test(judged):
    _, out = judged
    by_model = {}
    for row in out["tests"]:
        by_model.setdefault(row["model"], set()).add((row["status"], row["outcome"]))
    assert by_model["good"] == {("completed", "pass")}
    assert {s for s, _ in by_model["broken"]} == {"compile_error"}
    assert {s for s, _ in by_model["empty"]} == {"extraction_error"}


def test_scoring_says_what_the_denominator_was(judged):
    run, _ = judged
    done = kit("score", run, "--n-boot", 100)
    assert done.exit_code == 0, done.output
    assert "1 planned" in done.output
    assert "secure-pass@1" in done.output


def test_judging_again_executes_nothing(judged):
    run, _ = judged
    before = store.frame(run)
    done = kit("runs", "judge", run, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["fresh"] == 0
    assert store.frame(run)["outcome"].tolist() == before["outcome"].tolist()


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_export_writes_the_table(judged, tmp_path, suffix):
    run, out = judged
    done = kit("export", run, tmp_path / f"rows.{suffix}")
    assert done.exit_code == 0
    assert done.output.startswith(f"{len(out['tests'])} rows")


@pytest.fixture
def latin(tmp_path):
    """A folder that holds what is not meant: Latin-1 texts, an empty folder, a file."""
    (tmp_path / "empty").mkdir()
    for name in ("s.jsonl", "names.csv"):
        (tmp_path / name).write_bytes(b"\xff\xfe\n")
    (tmp_path / "other.csv").write_text("not,a,variant\n")
    (tmp_path / "idea.md").write_text("Add two numbers.")
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "units").mkdir()
    (tmp_path / "units" / "unit-0001.sqlite").write_text("no database")
    return tmp_path


DRAFT = "task draft dualgauge --prompt idea.md --model openai:any@http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("tasks dualgauge --data /nowhere", "/nowhere"),
        ("evaluate dualgauge --programs /nowhere", "No folder /nowhere"),
        ("evaluate dualgauge --programs /tmp --only zz", "No task zz"),
        ("score no-such-run", "No run at"),
        ("export no-such-run x.csv", "No run at"),
        ("run dualgauge --model gpt", "gpt"),
        ("run dualgauge --model replay:/nowhere", "/nowhere"),
        ("run dualgauge --model openai:x --run /proc/x --unvalidated", "cannot be created"),
        ("validate dualgauge --sandbox chroot", "chroot"),
        ("reproduce no/such*", "no/such"),
        ("runs judge no-such-run", "No run at"),
        ("evaluate dualgauge --programs s.jsonl", "s.jsonl is not UTF-8 text"),
        ("task draft dualgauge --prompt s.jsonl --model openai:x --out o", "s.jsonl is not UTF-8"),
        (f"{DRAFT} --out o --id ../../evil", "Leave slashes out"),
        (f"{DRAFT} --out o --id ..", "Leave slashes out"),
        (f"{DRAFT} --out /proc/x", "Use another --out"),
        ("course build o --variants names.csv", "names.csv is not UTF-8 text"),
        ("course check class --variants names.csv", "names.csv is not UTF-8 text"),
        ("course check class --variants other.csv", "other.csv names no student"),
        ("course check class --only lab_01 --csv no/x.csv", "No folder no. Create it first"),
        ("evaluate dualgauge --programs . --sarif no/a.sarif", "No folder no. Create it first"),
        ("evaluate dualgauge --programs . --junit no/a.xml", "No folder no. Create it first"),
        ("course check class --secret other.csv", "other.csv holds no secret"),
        ("tasks ossbench --checkout empty", "No cJSON.c in"),
        ("tasks json:JSONDecoder", "JSONDecoder is not a Suite"),
        ("run dualgauge --model openai:x --price -1 1 --dry-run", "not in the range"),
        ("run dualgauge --model openai:x --price nan 1 --dry-run", "is not a finite number"),
        ("cluster work units", "units/unit-0001.sqlite is not a batch"),
        ("cluster plan no-such-run o", "No run at"),
    ],
)
def test_a_mistake_gets_one_sentence_that_names_it(latin, monkeypatch, words, sentence):
    monkeypatch.chdir(latin)
    before = sorted(latin.rglob("*"))
    done = kit(*words.split())
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert "Traceback" not in done.output
    assert sorted(latin.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("score RUN --k x", "Use --k 1,5,10"),
        ("score RUN --k ''", "Use --k 1,5,10"),
        ("score RUN --n-boot 1000000000000", "not in the range"),
        ("runs executed RUN --by colour", "Cannot group by"),
        ("runs executed RUN --by language,language", "once each"),
        ("runs executed RUN --by ''", "Cannot group by"),
        ("show RUN k01 --sample 9", "has no sample '9'. Use words of one of"),
        ("export RUN /proc/rows.csv", "/proc/rows.csv"),
    ],
)
def test_what_makes_no_sense_for_a_run_is_refused(judged, words, sentence):
    done = kit(*(judged[0] if word == "RUN" else word for word in shlex.split(words)))
    assert done.exit_code == 2, done.output
    assert sentence in done.output


def test_only_picks_from_a_folder_that_holds_more(tmp_path):
    (tmp_path / "k02").mkdir()
    (tmp_path / "k02" / "other.py").write_text("x = 1\n")
    done = kit("evaluate", "dualgauge", "--programs", tmp_path, "--only", "k01")
    assert done.exit_code == 2, done.output
    assert "has no programs for k01" in done.output
    (tmp_path / "k01").mkdir()
    (tmp_path / "k01" / "empty.py").write_text("")
    run = tmp_path / "run"
    words = ("--programs", tmp_path, "--only", "k01", "--run", run)
    done = kit("evaluate", "dualgauge", *words)
    assert done.exit_code == 0, done.output
    assert set(store.frame(run)["task"]) == {"k01"}


def test_programs_never_take_the_place_of_a_models_answers(programs, tmp_path):
    answer = Sample("k01", "m", code="x = 1", created="2026-01-01T00:00:00")
    with store.Store(tmp_path / "run") as s:
        s.plan([], [answer])
        s.put_sample(answer)
    run = ("--run", tmp_path / "run")
    done = kit("evaluate", "dualgauge", "--programs", programs, *run)
    assert done.exit_code == 2, done.output
    assert "has answers of a model" in done.output
    with store.Store(tmp_path / "run") as s:
        assert list(s.samples()) == [answer]


def test_a_damaged_file_of_a_run_is_named_as_such(judged, tmp_path):
    whole = (judged[0] / "run.sqlite").read_bytes()
    (tmp_path / "run.sqlite").write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    done = kit("score", tmp_path)
    assert done.exit_code == 2, done.output
    assert "Move it away" in done.output


RECORDS = {
    "evidence": "data",
    "samples": "data",
    "verdicts": "data",
    "meta": "value",
    "slots": "arm",
    "facts": "data",
}
ON_A_RUN = [
    "evaluate dualgauge --programs PROGRAMS --only=k01 --run RUN",
    "score RUN --n-boot 10",
    "show RUN k01 fc-0",
    "export RUN a.csv",
    "export RUN --html a.html",
]


@pytest.mark.slow
@pytest.mark.parametrize("command", ON_A_RUN)
def test_a_damaged_record_is_one_sentence_in_every_command(
    judged, programs, tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    refused = 0
    for table, column in RECORDS.items():
        run = tmp_path / table
        shutil.copytree(judged[0], run)
        with closing(sqlite3.connect(run / "run.sqlite")) as file, file:
            half = f"substr({column}, 1, length({column}) / 2)"
            file.execute(f"UPDATE OR IGNORE {table} SET {column} = {half}")
        places = {"RUN": run, "PROGRAMS": programs}
        done = kit(*(places.get(word, word) for word in command.split()))
        assert isinstance(done.exception, SystemExit | None), (table, done.exception)
        if done.exit_code == 2:
            refused += 1
            assert "damaged" in done.output, (table, done.output)
    assert refused > 0


def test_a_forecast_is_json_when_asked():
    words = ("--model", "openai:any", "--only", "k01", "--dry-run", "--json")
    assert "1 calls" in json.loads(kit("run", "dualgauge", *words).stdout)["forecast"]


def test_doctor_names_every_tier_and_no_secret(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    done = kit("doctor", "--json")
    rows = {r["name"]: r for r in json.loads(done.stdout)}
    assert {"bwrap", "docker", "bare", "local"} <= set(rows)
    assert rows["OPENAI_API_KEY"]["found"] == "set"
    assert "very-secret" not in done.output
    assert all(r["found"] or r["install"] for r in rows.values())


@pytest.mark.slow
def test_the_command_starts_from_any_folder(tmp_path):
    done = subprocess.run(
        [Path(sys.executable).with_name("kit"), "tasks", "dualgauge", "--json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    assert len(json.loads(done.stdout)) >= 12


def test_tasks_without_a_suite_lists_the_suites():
    rows = json.loads(kit("tasks", "--json").stdout)
    assert [row["suite"] for row in rows] == list_suites()
    assert all(row["tasks are"] for row in rows)


def test_an_unknown_suite_is_told_the_nearest_and_all():
    done = kit("tasks", "codegard")
    assert done.exit_code == 2, done.output
    assert "Do you mean codeguard?" in done.stderr
    assert ", ".join(list_suites()) in done.stderr
    assert "site-packages" not in done.stderr
    assert str(SUITES) not in done.stderr


@pytest.mark.parametrize("suite", ["codeguard", "realsec"])
def test_columns_of_tasks_do_not_touch(suite):
    tasks = {row["task"]: row["domain"] for row in json.loads(kit("tasks", suite, "--json").stdout)}
    cells = [re.split("  +", line)[:2] for line in kit("tasks", suite).stdout.splitlines()]
    assert cells == [list(pair) for pair in tasks.items()]


def test_numbers_that_are_none_are_null_in_json(capsys):
    emit({"a": [float("nan"), 1.5], "b": {"c": float("inf")}}, True, "")
    assert json.loads(capsys.readouterr().out) == {"a": [None, 1.5], "b": {"c": None}}


def test_the_ten_options_that_everybody_needs_come_first():
    text = kit("run", "dualgauge", "--help").stdout
    sections = re.split(r"^(\S.*):$", text, flags=re.MULTILINE)
    flags = {
        name: re.findall(r"^  (?:-h, )?(--[\w-]+)", rows, re.MULTILINE)
        for name, rows in zip(sections[1::2], sections[2::2], strict=True)
    }
    first = "model n only limit budget dry-run run sandbox workers json help".split()
    assert flags["Options"] == [f"--{name}" for name in first]
    assert len(flags) == 9
    assert "--temperature" in flags["Settings of dualgauge"]
    assert " run SUITE --help" in re.sub(r"\s+", " ", kit("run", "--help").stdout)


def test_items_that_are_all_broken_are_named_and_nothing_else_is_run(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "tests.json").write_text("{")
    done = kit("tasks", "dualgauge", "--data", tmp_path, "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (1, [])
    assert "x/tests.json: is not JSON" in done.stderr
    done = kit("validate", "oracle", "--data", tmp_path)
    assert done.exit_code == 2, done.output
    assert done.stderr.count("\n") == 1
    assert "No item in" in done.stderr


def test_the_module_of_the_command_prints_its_help():
    words = [sys.executable, "-m", "kit.cli.main", "--help"]
    assert "Commands:" in subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("words", ["validate oracle", "task draft realsec", "import inspect-log"])
def test_help_names_the_whole_command(words):
    assert f" {words} [OPTIONS]" in kit(*words.split(), "--help").stdout


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["codeguard", "realsec"])
def test_a_task_of_ones_own_begins_with_one_that_validates(tmp_path, suite):
    mine = tmp_path / "mine"
    words = json.loads(kit("task", "new", mine, "--suite", suite, "--json").stdout)["validate"]
    measured = json.loads(kit(*words.split()[1:], "--json").stdout)
    assert measured["both"]["f1"] == 1
    assert measured["programs"] > 1
