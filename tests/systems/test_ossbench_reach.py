"""Which functions each single test reaches, and iterations that run only the tests that matter."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kit.systems.ossbench import mock_models, php, reach, scores
from kit.systems.ossbench.builds import SwitchedProject
from kit.systems.ossbench.extract import find_functions
from kit.systems.ossbench.original import Original
from kit.systems.ossbench.project import ProjectProgram, TestRun, Unit
from kit.systems.ossbench.toolchain import Workshop
from tests.support.small_project import edit_of, go

LOG = (Path(__file__).parents[1] / "files/run-tests.log").read_text()


def narrow(run, tests):
    """A run of each.c, which is told its tests by name."""
    return replace(run, argv=tuple(test.removeprefix("each/") for test in tests))


@pytest.fixture(scope="module")
def narrowable(world):
    """The small project with a third program, whose tests are processes of their own."""
    project = world[1]
    unit = Unit("each.c", ("-std=gnu99",))
    program = ProjectProgram("each", ("lib.c", "each.c"), ("-lm",))
    run = TestRun("each", "each", wall_s=5.0, serial=("fact", "none", "sum", "twice"))
    return replace(
        project,
        units=(*project.units, unit),
        programs=(*project.programs, program),
        runs=(*project.runs, run),
        narrow=narrow,
    )


@pytest.fixture(scope="module")
def table(narrowable):
    return find_functions(narrowable, tokens=(0, 1000))


@pytest.fixture(scope="module")
def work(world, narrowable, table):
    """The project with edits that one test reaches, that the runner itself does, that a few do."""
    changes = {
        "fact": lambda text: text.replace("return 1", "return 2"),
        "add": lambda text: text.replace("a + b", "a + b + 1"),
        "at": lambda text: mock_models.sabotage(text, "spatial"),
    }
    rows = {row["function_index"]: row for row in table.to_dict("records")}
    edits = [edit_of(table, name, change) for name, change in changes.items()]
    shop = Workshop(world[0], narrowable)
    return SwitchedProject(shop, rows, {edit.index: edit for edit in edits})


@pytest.fixture(scope="module")
def original(work):
    return Original.of(work.baseline().observed.value, work.coverage().observed.value)


@pytest.fixture(scope="module")
def numbers(work):
    return {row["name"]: number for number, row in work.rows.items()}


REACHING = {
    "fact": {"fact"},
    "sum": {"none", "sum"},
    "at": {"sum"},
    "twice": {"twice"},
    "add": {"fact", "none", "sum", "twice"},  # which the runner calls between its tests
    "unused": set(),
}


@pytest.mark.parametrize("name", REACHING)
def test_a_function_is_reached_by_the_tests_that_run_it(original, numbers, name):
    plan = original.plan_tests([numbers[name]])
    assert {test.removeprefix("each/") for test in plan.get("each", [])} == REACHING[name]
    assert set(original.by_test) == {"each"}


@pytest.mark.parametrize("name", ["fact", "add", "at"])
def test_a_narrowed_iteration_shows_of_an_edit_what_a_whole_one_shows(
    work, original, numbers, name
):
    whole, narrowed = (
        work.run_iteration([numbers[name]], "schemata", original, only_reaching=only).observed.value
        for only in (False, True)
    )
    assert whole["failed"] == narrowed["failed"] != []
    for fact in ("executed", "ended", "rate", "planned"):
        assert whole[fact] == narrowed[fact]
    assert {row[0] for row in whole["alerts"]} == {row[0] for row in narrowed["alerts"]}


def test_only_the_tests_of_an_edit_are_run(work, original, numbers):
    suite = work.switched
    plan = original.plan_tests([numbers["at"]])
    result = suite.run((), list(plan), tests=original.select_narrowed(plan))
    assert set(result.tests) == {"sums/sum", "sums/none", "each/sum"}
    said = original.describe_selection("schemata", [numbers["at"]])
    assert said == f"schemata, 3 of {len(original.passing)} tests"


def test_a_test_that_the_coverage_does_not_know_is_run(original, numbers):
    known = original.by_test["each"]
    fewer = reach.ReachByTest(known.tests[:-1], known.lines)
    less = replace(original, by_test={"each": fewer})
    last = known.tests[-1]
    assert last not in original.plan_tests([numbers["at"]])["each"]
    assert last in less.plan_tests([numbers["at"]])["each"]


def test_a_run_that_was_cut_short_counts_as_reaching_in_all_of_its_tests(
    work, original, numbers, monkeypatch
):
    monkeypatch.setattr(reach, "CHANNEL_KB", 0)
    value = reach.measure_reach(work.marked_tests).observed.value
    assert (value["reached"], value["tests"]) == ({}, {})
    cut = replace(original, reached={}, by_test={})
    assert cut.plan_tests([numbers["unused"]]) == cut.tests_by_run


def test_a_run_of_the_command_says_how_many_tests_it_ran(narrowable, table, tmp_path):
    go(narrowable, table, tmp_path, iterations=4, share=0.2)
    go(narrowable, table, tmp_path, iterations=4, share=0.2, only_reaching=True)
    tables = scores.load_tables(tmp_path)
    assert scores.count_agreements(tables) == {"compared": 4, "agree": 4}
    said = set(tables.iterations["mode"]) - {"schemata", "original"}
    assert said
    assert all(re.fullmatch(r"schemata, \d of 9 tests", mode) for mode in said)


def test_what_is_recorded_of_many_tests_is_small_and_the_same():
    rng = np.random.default_rng(0)
    by_test = {f"x/{n}": np.unique(rng.integers(1500, 3000, 300)) for n in range(400)}
    value = reach.pack_reach(by_test, range(1500))
    assert len(value["bits"]) < 400 * 1800 / 8 * 2
    known = reach.ReachByTest.unpack(value)
    for function in (0, 1499, 1500, 2999, 5000):
        reaching = {
            test for test, numbers in by_test.items() if function < 1500 or function in numbers
        }
        assert {*by_test} - known.find_unconcerned([function]) == reaching
    assert known.find_unconcerned([]) == set(by_test)


def test_a_narrowed_run_of_php_names_the_files_of_its_tests(tmp_path):
    """The names of a log, back to the paths that the log says."""
    paths = re.findall(r"^(?:PASS|FAIL) .*\[(\S+)\]", LOG, re.M)
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    adapter = php.Php(tmp_path)
    run = TestRun("basic", "php", ("-n", "run-tests.php", "-j2", "tests/basic"))
    names = list(adapter.read_results("basic", LOG))
    assert adapter.narrow(run, names).argv == ("-n", "run-tests.php", "-j2", *paths)
    assert adapter.narrow(run, [*names, "basic/of another folder"]) == run
    assert adapter.narrow(run, names * 2000) == run


def test_a_test_belongs_to_its_run_whichever_of_both_has_slashes_in_its_name():
    passing = ["x/a/001", "x/002", "valid/a/exit code"]
    original = Original(passing, {"x": 1.0, "valid/a": 2.0}, {}, {})
    assert original.tests_by_run == {"x": ["x/a/001", "x/002"], "valid/a": ["valid/a/exit code"]}
    assert original.runs == ["valid/a", "x"]
