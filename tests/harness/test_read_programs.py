"""Programs that are given instead of generated: a folder becomes samples, each with its status."""

import json
import os

import pytest

from kit.core.errors import KitError
from kit.core.records import Status, Task
from kit.run import validate

TASKS = [Task("1", "s", "one", ()), Task("2", "s", "two", ())]


def programs(source, tasks, **how):
    return [sample for sample, _ in validate.read_programs(source, tasks, **how)]


def put(folder, name, data=b"x = 1\n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_a_folder_of_programs_becomes_samples(tmp_path):
    names = (
        "1/alice.py",
        "1/bob/2.py",
        "1/alice.js",
        "2/0.cpp",
        "2/gpt-4.py",
        "2/gpt-4.1.py",
        "1/qwen2.5-7b.py",
        "1/qwen2.5-7b/12.py",
        "1/phi.2/0.py",
    )
    for name in names:
        put(tmp_path, name)
    got = {(s.task, s.model, s.index, s.language) for s in programs(tmp_path, TASKS)}
    assert got == {
        ("1", "alice", 0, "python"),
        ("1", "bob", 2, "python"),
        ("1", "alice", 0, "javascript"),
        ("2", tmp_path.name, 0, "cpp"),
        ("2", "gpt-4", 0, "python"),
        ("2", "gpt-4.1", 0, "python"),
        ("1", "qwen2.5-7b", 0, "python"),
        ("1", "qwen2.5-7b", 12, "python"),
        ("1", "phi.2", 0, "python"),
    }


@pytest.mark.parametrize("names", [["a.1.py", "a.2.py"], ["m.py", "m.0.js"], ["gpt-4.1.2.py"]])
def test_a_name_that_could_be_a_sample_or_a_model_is_refused_and_says_how_to_rename(
    tmp_path, names
):
    for name in names:
        put(tmp_path, f"1/{name}")
    with pytest.raises(KitError, match=r"rename it to \S+/1/\S+/\d\.\w+ for sample \d of \S+, or"):
        programs(tmp_path, TASKS)


def test_a_program_is_taken_as_it_is_and_not_extracted(tmp_path):
    text = "s = '''\n```python\ny\n```\n'''\r\n"
    put(tmp_path, "1/a.py", b"\xef\xbb\xbf" + text.encode())
    (sample,) = programs(tmp_path, TASKS)
    assert (sample.code, sample.status) == (text.replace("\r\n", "\n"), Status.COMPLETED)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"#" * 5_000_000, "5,000,000 bytes"),
        (b"x = '\xff\xfe'", "not UTF-8 text (byte 5)"),
        (b" \n", "is empty"),
    ],
    ids=["too large", "not text", "empty"],
)
def test_a_file_that_is_no_program_is_a_sample_with_a_sentence(tmp_path, data, words):
    put(tmp_path, "1/a.py", data)
    (sample,) = programs(tmp_path, TASKS)
    assert (sample.status, sample.code) == (Status.EXTRACTION_ERROR, "")
    assert words in sample.note


def test_links_are_read_where_they_lead_to_programs_and_nothing_else_is(tmp_path):
    put(tmp_path, "cache/elsewhere.py")
    put(tmp_path, "cache/" + "0f" * 32)
    put(tmp_path, "cache/secret")
    folder = tmp_path / "programs"
    for model, target in (("dvc", "elsewhere.py"), ("hub", "0f" * 32)):
        put(folder, "1/.place").with_name(f"{model}.py").symlink_to(tmp_path / "cache" / target)
    assert [(s.model, s.code) for s in programs(folder, TASKS)] == [
        ("dvc", "x = 1\n"),
        ("hub", "x = 1\n"),
    ]
    for model, target in (("a", "secret"), ("b", "gone.py"), ("c", "/etc/passwd"), ("d", "d.py")):
        (folder / f"1/{model}.py").symlink_to(tmp_path / "cache" / target)
    (folder / "1/e.py").symlink_to("e.py")
    os.mkfifo(folder / "1/pipe.py")
    with pytest.raises(KitError, match="6 files are not programs") as refused:
        programs(folder, TASKS)
    for model in ("a", "b", "c", "d", "e", "pipe"):
        assert f"/1/{model}.py is " in str(refused.value)


def test_a_file_that_vanishes_is_our_failure(tmp_path):
    sample = validate.read_program(tmp_path / "1/gone.py", tmp_path)
    assert sample.status == Status.INFRA_ERROR
    assert "cannot be read" in sample.note


def test_every_ignored_file_but_hidden_ones_is_named_once(tmp_path, capsys):
    ignored = ["top.py", "1/labels.json", "1/sub/deep.py", "1/a/0/b.py", "nowhere/notes.txt"]
    for name in (*ignored, "1/.a.py", "1/__pycache__/a.pyc", "1/a.py"):
        put(tmp_path, name)
    assert [s.model for s in programs(tmp_path, TASKS)] == ["a"]
    listed = capsys.readouterr().err.rstrip(".\n").removeprefix("kit: ignored, no programs: ")
    assert set(listed.split(", ")) == {*ignored, "1/a/0"} - {"1/a/0/b.py"}


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "No programs in"),
        (["1/README.md"], "No programs in"),
        (["9/a.py"], "Tasks: 1, 2"),
        (["1/a.rb"], "Use one of: .c, .cc"),
        (["1/a.cpp", "1/a.cc"], "are the same sample"),
        (["1/a.py", "1/a/0.py"], "are the same sample"),
    ],
)
def test_a_folder_that_cannot_be_meant_is_the_users_mistake(tmp_path, names, words):
    for name in names:
        put(tmp_path, name)
    with pytest.raises(KitError, match=words):
        programs(tmp_path, TASKS)


def test_no_folder_is_the_users_mistake(tmp_path):
    with pytest.raises(KitError, match="No folder"):
        programs(tmp_path / "none", TASKS)


def test_a_name_that_is_not_utf8_is_refused_before_anything_is_written(tmp_path):
    path = put(tmp_path, os.fsdecode(b"t1/odd\xff.py"))
    with pytest.raises(KitError, match="not UTF-8; rename it"):
        validate.read_program(path, tmp_path)


def test_lines_as_the_field_writes_them_are_programs(tmp_path):
    chat = "Here it is:\n```python\nx = 3\n```\nIt sets x."
    rows = [
        {"task_id": "1", "solution": "x = 1\n"},
        {"task_id": "1", "completion": "x = 2\n"},
        {"task_id": "1", "solution": chat, "model": "gpt-4.1"},
    ]
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = programs(file, TASKS, model="m")
    assert [(s.model, s.index, s.code) for s in found] == [
        ("m", 0, "x = 1\n"),
        ("m", 1, "x = 2\n"),
        ("gpt-4.1", 0, "x = 3\n"),
    ]
    file.write_text('{"task_id": "nowhere", "solution": ""}\n[]\n')
    with pytest.raises(KitError, match="2 files are not programs") as refused:
        programs(file, TASKS)
    assert "line 1: nowhere is no task" in str(refused.value)


def test_odd_files_are_listed_at_once_or_left_out(tmp_path):
    for name in ("1/a.py", "1/b.zig", "elsewhere/c.py"):
        put(tmp_path, name)
    with pytest.raises(KitError, match="2 files are not programs") as refused:
        programs(tmp_path, TASKS)
    for words in ("elsewhere is not a task", "unknown extension"):
        assert words in str(refused.value)
    found = programs(tmp_path, TASKS, skip_bad=True, model="m")
    assert [(s.model, s.arm) for s in found] == [("m", {"program": "a.py"})]
