"""Projects by their adapters: a stranger's, opened by its path; the kit's own; choices of tests."""

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.run.job import read_answers
from kit.sandbox import Limits, open_sandbox
from kit.systems.ossbench.builds import SwitchedProject
from kit.systems.ossbench.extract import kept_functions
from kit.systems.ossbench.original import Original
from kit.systems.ossbench.project import Adapter, open_adapter, open_project
from kit.systems.ossbench.source import function_key, index_of
from kit.systems.ossbench.suite import CProjectSettings, CProjectSuite
from kit.systems.ossbench.toolchain import Workshop

JANSSON = Path(__file__).parents[1] / "jansson"
BROKEN = {
    "import nowhere": "ModuleNotFoundError in line 1",
    "x = 1": "must define one class",
    "from kit.systems.ossbench.project import Adapter\nclass P(Adapter):\n    ...": "abstract",
}


def test_an_adapter_has_eight_methods_at_the_most():
    methods = [name for name, _ in inspect.getmembers(Adapter, inspect.isfunction)]
    assert len([name for name in methods if not name.startswith("_")]) <= 8


def test_the_adapter_on_the_page_is_short():
    lines = (JANSSON / "project.py").read_text().splitlines()
    assert len(lines) < 120


@pytest.mark.parametrize("text", BROKEN)
def test_an_adapter_that_is_wrong_says_where(tmp_path, text):
    (tmp_path / "project.py").write_text(text)
    with pytest.raises(KitError, match=BROKEN[text]):
        open_adapter(str(tmp_path))


def test_an_unknown_project_is_told_with_the_known_ones(tmp_path):
    for name in ("nothing", str(tmp_path)):
        with pytest.raises(
            KitError, match=r"cjson, sqlite, php, php_whole, or a folder with a project\.py"
        ):
            open_adapter(name)


@pytest.mark.slow
def test_tests_are_chosen_by_name_or_pattern():
    counts = {}
    for choice in ("quick", "all", "valid/*"):
        project = open_project(str(JANSSON), tests=choice)
        counts[choice] = (len(project.runs), project.suite_runs)
    assert counts == {"quick": (18, 246), "all": (246, 246), "valid/*": (68, 246)}
    with pytest.raises(KitError, match="No test run matches 'no'"):
        open_project(str(JANSSON), tests="no")


@pytest.mark.slow
def test_a_strangers_project_is_built_and_passes_its_tests():
    project = open_project(str(JANSSON), tests="*valid/*c*")
    rows = {row["function_index"]: row for row in kept_functions(project).to_dict("records")}
    with open_sandbox("bwrap", Limits(ptrace=True)) as box:
        quick = replace(project, runs=(*project.runs, *open_project(str(JANSSON)).runs[:3]))
        work = SwitchedProject(Workshop(box, quick), rows, {})
        original = Original.of(work.baseline().observed.value, work.coverage().observed.value)
    assert original.ended == {}
    assert len(original.passing) == len(quick.runs)
    assert set(original.reached) == {run.name for run in quick.runs}
    reached = set().union(*original.reached.values())
    assert len(reached) > len(rows) / 2


@pytest.mark.slow
def test_sqlites_permutations_are_choices():
    every, full = (open_project("sqlite", tests=choice) for choice in ("all", "full"))
    assert len(every.runs) == every.suite_runs == 1110
    assert len(full.runs) == 1304
    assert full.runs[0].argv[1] == "full"
    names = {run.name for run in full.runs}
    assert {run.name for run in every.runs} <= names
    assert len(names) == len(full.runs)


@pytest.mark.slow
def test_answers_to_one_release_are_those_to_the_same_functions_of_another():
    recorded = read_answers("ossbench-cjson")[0]
    older = CProjectSuite(CProjectSettings())
    newer = CProjectSuite(CProjectSettings(source_version="1.7.18-3.1+deb13u1"))
    assert older.adopt_answers(recorded) == recorded
    adopted = newer.adopt_answers(recorded)
    code = {sample.task: sample.code for sample in recorded}
    numbers = {function_key(row): index for index, row in older.rows.items()}
    for sample in adopted:
        row = newer.rows[index_of(sample.task)]
        number = numbers[function_key(row)]
        assert sample.code == code[f"cjson:{number:05d}"]
        assert sample.arm["source_version"] == newer.project.version
    same = {function_key(row) for row in newer.rows.values()} & set(numbers)
    assert len(recorded) > len(adopted) == len(same) > 100  # none to a changed function
