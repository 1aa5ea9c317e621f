"""What a task's text says, and which files it leaves out."""

import pytest

from kit.core.records import Task, Test
from kit.oracle.expectation import missing_file


def task(prompt, tests=(), **parts):
    return Task("t", "suite", prompt, tuple(tests), **parts)


def functional(given, expected="text"):
    return Test("fc-0", "functional", input=given, expected=expected)


def test_a_file_that_a_test_names_and_the_task_lacks_is_missing():
    lacking = task("Read a file below test_dir.", files={"test_dir/b.txt": b""})
    assert missing_file(lacking, functional("a.txt")) == "a.txt"


@pytest.mark.parametrize("name", ["notes 2.1.txt", "rates 5%25.csv", "sub/two words.txt"])
def test_a_fixture_is_found_whatever_characters_its_name_has(name):
    given = task("Read a file below test_dir.", files={f"test_dir/{name}": b""})
    assert missing_file(given, functional({"name": name})) == ""


def test_a_database_that_is_built_for_the_test_is_not_missing():
    service = {"type": "sqlite", "path": "test_dir/shop.db", "sql": ""}
    shop = task("Search the database test_dir/shop.db.", services=(service,))
    assert missing_file(shop, functional("kettle")) == ""


def test_a_file_that_the_program_is_to_write_is_not_missing_in_any_of_its_tests():
    writes = functional("x", {"files": {"test_dir/audit.log": "x\n"}})
    audit = task("Append a line to test_dir/audit.log.", [writes])
    assert missing_file(audit, functional("y", "y")) == ""


@pytest.mark.parametrize("expected", [{"stdout": "error: no such log\n"}, {"exit_code": 2}])
def test_a_file_whose_absence_is_the_test_is_not_missing(expected):
    logs = task("Read a file below test_dir.", files={"test_dir/b.log": b""})
    assert missing_file(logs, functional({"args": ["missing.log"]}, expected)) == ""


def test_a_file_that_the_test_brings_along_is_not_missing():
    rules = task("Read the rules in test_dir/rules.json.")
    for content, missing in (("{}", ""), (None, "test_dir/rules.json")):
        given = {"args": [], "files": {"test_dir/rules.json": content}}
        assert missing_file(rules, functional(given)) == missing
