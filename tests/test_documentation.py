"""The documentation of a task is what the code reads; a task begun by the command validates."""

import json

import jsonschema
import pytest
from click.testing import CliRunner

from kit.cli.main import main
from kit.paths import SUITES
from kit.suites.spec import authoring

SCHEMA = authoring.schema()
TASKS = sorted(SUITES.glob("dualgauge/*/tests.json"))


def test_the_page_and_the_schema_in_the_repository_are_those_of_the_code():
    assert (SUITES / "README.md").read_text() == authoring.page(), "run kit task docs --write"
    assert (SUITES / "tests.schema.json").read_text() == authoring.text_of_schema()


def test_every_task_of_ours_fits_the_schema():
    check = jsonschema.Draft202012Validator(SCHEMA)
    for path in TASKS:
        assert [e.message for e in check.iter_errors(json.loads(path.read_text()))] == [], path


def test_what_the_reader_refuses_the_schema_refuses_too():
    item = json.loads(TASKS[0].read_text())
    item["sec_tests"][0]["probes"] = [{"probe": "no_opne"}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(item, SCHEMA)


@pytest.mark.slow
def test_a_task_begun_by_the_command_validates_as_it_is(tmp_path):
    begun = CliRunner().invoke(main, ["task", "new", str(tmp_path / "mine"), "--json"])
    line = json.loads(begun.stdout)["validate"].split()[1:]
    done = CliRunner().invoke(main, [*line, "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["both"]["coverage"] == 1
    again = CliRunner().invoke(main, ["task", "new", str(tmp_path / "mine")])
    assert "is not empty" in again.stderr
