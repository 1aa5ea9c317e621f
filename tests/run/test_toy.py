"""A benchmark that nobody here knew is a folder, and goes through every command as any other."""

import json
import shutil

import pandas as pd
import pytest

from kit.core.paths import NOTEBOOKS, ROOT, SUITES
from kit.core.store import Store, frame
from kit.explore import Explorer
from kit.run import books
from kit.run.suites import open_folder
from tests.support.commands import invoked, kit, told
from tests.support.wire import Reply, Server

ANSWERS = {"capitals": "tr a-z A-Z < $1\n", "how many": "wc -l < $1; echo >> $1\n"}


def reply(request):
    return Reply(next(a for word, a in ANSWERS.items() if word in json.dumps(request.body)))


@pytest.fixture
def toy(tmp_path):
    """A copy of the benchmark, whose suite.py a test changes."""
    return shutil.copytree(ROOT / "tests" / "toy", tmp_path / "my own v1.2")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    benchmark = shutil.copytree(ROOT / "tests" / "toy", folder / "a bench: of mine")
    with Server(reply) as server:
        words = ["run", benchmark, "--model", "openai:m", "--base-url", server.openai]
        kit(*words, "--run", folder / "run", "--n", 2)
        again = kit(*words, "--run", folder / "run", "--n", 2)
    assert "4 stored, 0 new; execute: 8 stored, 0 new" in again.stdout
    return folder / "run"


def test_it_is_scored(run):
    rows = json.loads(kit("score", run, "--json").stdout)["scores"]
    shares = {r["metric"]: r["estimate"] for r in rows}
    assert (shares["pass@1"], shares["secure@1"], shares["secure-pass@1"]) == (1, 0.5, 0.5)


def test_it_is_exported(run, tmp_path):
    kit("export", run, tmp_path / "rows.csv")
    rows = pd.read_csv(tmp_path / "rows.csv")
    assert len(rows) == 8
    assert set(rows["suite"]) == {"toy"}


def test_it_is_judged_again_without_running(run):
    assert "judged again: 0; without evidence: 0" in kit("runs", "judge", run).stdout


def test_it_is_explored(run):
    with Store(run, write=False) as store:
        tasks = open_folder(ROOT / "tests" / "toy").load().tasks
        explorer = Explorer(store, tasks, {})
        explorer.filters["quadrant"].value = "correct but insecure"
        assert "echo &gt;&gt; $1" in explorer.page.value


@pytest.mark.slow
def test_it_opens_in_a_notebook(run, tmp_path):
    book = NOTEBOOKS / "explore" / "failures.ipynb"
    task = (book, {"run": str(run)})
    (done,) = books.execute([task], tmp_path, workers=1, figures=tmp_path)
    assert done.ok, done.error


def test_a_class_that_python_can_import_opens_too():
    assert [task["task"] for task in told("tasks", "toy.suite:Toy")] == ["count", "upper"]


def test_the_page_of_benchmarks_shows_it_whole():
    text = (ROOT / "tests" / "toy" / "suite.py").read_text()
    assert f"```python\n{text}```\n" in (SUITES / "README.md").read_text()
    assert text.count("\n") <= 75


CHANGES = {  # of suite.py: what is appended, and whether stored results are stale then
    "# a remark\n": False,
    "\nFURTHER = 1\n": True,
    "from .helper import FURTHER\n": True,
    "INPUT = 'filter.sh'\n": True,
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_what_suite_py_rests_on_is_part_of_every_key(toy, change, tmp_path):
    """Where it changes, programs are executed and judged again; where a remark does, none is."""
    beside = {toy / "helper.py": "FURTHER = {}\n", toy / "filter.sh": "echo {}\n"}

    def results(number):
        for path, text in beside.items():
            path.write_text(text.format(number))
        words = ["--model", "openai:m", "--base-url", server.openai, "--run", tmp_path / "run"]
        return kit("run", toy, "--only", "upper", *words).stdout.partition("execute: ")[2]

    with Server(reply) as server:
        assert results(1).startswith("0 stored, 2 new")
        assert results(2).startswith("2 stored, 0 new")
        (toy / "suite.py").write_text((toy / "suite.py").read_text() + change)
        assert results(2).startswith("0 stored, 2 new") == CHANGES[change]
        assert results(3).startswith("0 stored, 2 new") == ("." in change)
        assert len(server.requests) == 1


IMPORT = "from kit.run.suite import Suite\n"
BROKEN = {
    "import nowhere\n": "ModuleNotFoundError in line 1: No module named 'nowhere'. Correct",
    "x = 1\ny = (\n": "SyntaxError in line 2",
    "raise SystemExit(3)\n": "SystemExit in line 1: 3",
    "": "must define one class of kit.run.suite.Suite, and it defines 0 (none)",
    "class Other:\n    pass\n": "defines 0 (none)",
    f"{IMPORT}class A(Suite): pass\nclass B(Suite): pass\n": "defines 2 (A, B)",
    f"{IMPORT}class A(Suite): pass\n": "abstract class A",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_folder_that_is_no_benchmark_says_what_to_mend(toy, text):
    (toy / "suite.py").write_text(text)
    done = invoked("tasks", toy)
    assert done.exit_code == 2
    assert f"kit: {toy}/suite.py " in done.stderr
    assert BROKEN[text] in done.stderr
    assert done.stderr.count("\n") == 1


def test_nothing_is_executed_but_the_suite_that_is_named(toy, tmp_path):
    (toy / "suite.py").write_text(f"import os\nos.mkdir({str(tmp_path / 'executed')!r})\n")
    for suite in ("dualgauge", ROOT / "tests" / "toy"):
        assert invoked("evaluate", "--programs", toy, suite).exit_code == 2
    assert not (tmp_path / "executed").exists()
    invoked("evaluate", toy, "--programs", toy)
    assert (tmp_path / "executed").exists()


def test_a_folder_without_suite_py_says_what_to_write(tmp_path):
    assert "Write one, as data/suites/README.md shows it" in invoked("tasks", tmp_path).stderr
    assert (
        "does not exist. Name one with a suite.py"
        in invoked("tasks", tmp_path / "not there").stderr
    )


@pytest.mark.slow
def test_programs_in_a_language_that_the_kit_does_not_know_are_evaluated(tmp_path):
    """Their files have any extension, and lines of a samples.jsonl need not name the language."""
    good, bad = 'wc -l < "$1"', "echo 7 > input.txt"
    for name, code in (("good.sh", good), ("bad.txt", bad)):
        (tmp_path / "count").mkdir(exist_ok=True)
        (tmp_path / "count" / name).write_text(code)
    line = json.dumps({"task_id": "count", "model": "good", "solution": good})
    (tmp_path / "samples.jsonl").write_text(line)
    toy = ROOT / "tests" / "toy"
    for programs, count in ((tmp_path, 4), (tmp_path / "samples.jsonl", 2)):
        run = tmp_path / f"run-{count}"
        line = ("evaluate", toy, "--programs", programs, "--run", run, "--json")
        assert invoked(*line, *(["--skip-bad"] if count == 4 else [])).exit_code == 0
        rows = frame(run)
        assert len(rows) == count
        assert {*rows.loc[rows["model"] == "good", "outcome"]} == {"pass"}
        assert {*rows.loc[rows["model"] == "bad", "outcome"]} <= {"fail"}
