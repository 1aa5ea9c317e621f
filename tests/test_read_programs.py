"""Programs that are given instead of generated: a folder becomes samples, each with its status."""

import json
import os

import pytest

from kit.errors import KitError
from kit.records import Status, Task
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
    for name in ("1/alice.py", "1/bob.2.py", "1/alice.js", "2/0.cpp", "2/gpt-4.py"):
        put(tmp_path, name)
    got = {(s.task, s.model, s.index, s.language) for s in programs(tmp_path, TASKS)}
    assert got == {
        ("1", "alice", 0, "python"),
        ("1", "bob", 2, "python"),
        ("1", "alice", 0, "javascript"),
        ("2", tmp_path.name, 0, "cpp"),
        ("2", "gpt-4", 0, "python"),
    }


def test_a_program_is_taken_as_it_is_and_not_extracted(tmp_path):
    text = "s = '''\n```python\ny\n```\n'''\r\n"
    path = put(tmp_path, "1/a.py", b"\xef\xbb\xbf" + text.encode())
    sample = validate.read_program(path)
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


def test_links_folders_and_pipes_are_not_read(tmp_path):
    (tmp_path / "1/folder.py").mkdir(parents=True)
    (tmp_path / "1/link.py").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "1/pipe.py")
    samples = programs(tmp_path, TASKS)
    assert [s.code for s in samples] == ["", "", ""]
    assert all("not a regular file" in s.note for s in samples)


def test_a_file_that_vanishes_is_our_failure(tmp_path):
    sample = validate.read_program(tmp_path / "gone.py")
    assert sample.status == Status.INFRA_ERROR
    assert "cannot be read" in sample.note


def test_notes_and_hidden_files_are_no_programs(tmp_path):
    for name in ("1/README.md", "1/labels.json", "1/.a.py", "1/__pycache__/a.pyc", "1/a.py"):
        put(tmp_path, name)
    assert [s.model for s in programs(tmp_path, TASKS)] == ["a"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "No programs in"),
        (["1/README.md"], "No programs in"),
        (["9/a.py"], "Tasks: 1, 2"),
        (["1/a.rb"], "Use one of: .c, .cc"),
        (["1/a.cpp", "1/a.cc"], "are the same sample"),
        (["1/a.py", "1/a.0.py"], "are the same sample"),
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
        validate.read_program(path)


def test_lines_as_the_field_writes_them_are_programs(tmp_path):
    rows = [{"task_id": "1", "solution": "x = 1\n"}, {"task_id": "1", "completion": "x = 2\n"}]
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = programs(file, TASKS, model="m")
    assert [(s.model, s.index, s.code) for s in found] == [("m", 0, "x = 1\n"), ("m", 1, "x = 2\n")]
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
