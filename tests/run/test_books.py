import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import papermill
import psutil
import pytest
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from kit.core import notes
from kit.core.errors import KitError
from kit.core.paths import FIGURES
from kit.papers import published
from kit.run import books

RUNS = """\
n_boot: int = 5000  # resamples
share: float = 0.5
model = "small"
flag: bool = False
k: list[int] = [1, 5]
seed: int | None = None
each: dict[str, int] = {}
"""
DECLARED = RUNS + 'text: Optional[str] = None\nwhose: Literal["paper", "own"] = "own"\n'


def run_notebook(path, given=None, *, out_dir, figures=FIGURES, **limits):
    task = (path, books.check_parameters(path, given or {}))
    (run,) = books.execute([task], out_dir, workers=1, figures=figures, **limits)
    return run


def notebook(folder, name, *cells, declared=RUNS, tags=("parameters",)):
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = new_notebook(metadata={"kernelspec": kernel})
    top = new_code_cell(declared, metadata={"tags": list(tags)})
    book.cells = [new_markdown_cell("# A claim"), top, *map(new_code_cell, cells)]
    path = folder / f"{name}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, path)
    return path


def lines(out):
    return notes.read_file(out / "ledger.jsonl")


def test_parameters_are_read_as_papermill_reads_them(tmp_path):
    known = DECLARED.partition("whose")[0].replace("int | None", "Optional[int]")
    path = notebook(tmp_path, "a", declared=known)
    ours = books.read_parameters(path)
    theirs = papermill.inspect_notebook(str(path))
    assert list(ours) == list(theirs)
    assert {n: repr(p.default) for n, p in ours.items()} == {
        n: p["default"].replace('"', "'") for n, p in theirs.items()
    }


@pytest.mark.parametrize(("name", "value"), [("level", 95.0), ("n_boot", 0), ("k", [0])])
def test_a_parameter_out_of_its_range_is_refused_before_anything_runs(tmp_path, name, value):
    declared = "level: float = 0.95\nn_boot: int = 10\nk: list[int] = [1]\n"
    with pytest.raises(KitError, match="Use "):
        books.check_parameters(notebook(tmp_path, "a", declared=declared), {name: value})


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A notebook run with its own parameter and with another: the folder, and both runs."""
    home = tmp_path_factory.mktemp("books")
    cells = (
        "from kit.core import notes; notes.note('figure', name=f'f-{n_boot}')",
        f"import os, pathlib; folder = pathlib.Path(os.environ[{notes.FIGURES!r}])\n"
        "folder.mkdir(exist_ok=True, parents=True); (folder / f'{n_boot}.png').touch()",
        "print(os.getcwd(), os.environ['OMP_NUM_THREADS'])",
    )
    path = notebook(home / "n", "a", *cells)
    before = path.read_bytes()
    places = {"out_dir": home / "out", "figures": home / "figures"}
    runs = [run_notebook(path, {"n_boot": n}, **places) for n in (5000, 7)]
    assert path.read_bytes() == before
    return home, *runs


@pytest.mark.slow
def test_figures_of_other_parameters_lie_beside_the_executed_copy(executed):
    home, own, other = executed
    assert own.ok and other.ok  # noqa: PT018
    assert [p.name for p in (home / "figures").iterdir()] == ["5000.png"]
    assert [p.name for p in other.output.with_suffix(".figures").iterdir()] == ["7.png"]


def test_a_misspelt_parameter_is_refused_with_the_known_ones(tmp_path):
    with pytest.raises(
        KitError,
        match=r"no parameter 'n_bot'. Did you mean n_boot\? It has: "
        r"n_boot: int = 5000; share: float",
    ):
        run_notebook(notebook(tmp_path, "a"), {"n_bot": 5}, out_dir=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "given",
    [
        {"flag": "false"},
        {"flag": 0},
        {"n_boot": True},
        {"n_boot": 5.0},
        {"n_boot": "5"},
        {"share": "0.5"},
        {"share": True},
        {"model": None},
        {"k": (1, 5)},
        {"k": [1, "5"]},
        {"seed": "7"},
        {"model": Path("x")},
        {"text": 1},
        {"each": {"a": "1"}},
        {"each": []},
        {"whose": "other"},
    ],
)
def test_a_value_of_another_type_is_refused(tmp_path, given):
    with pytest.raises(KitError, match="Give a plain Python value of that type"):
        books.check_parameters(notebook(tmp_path, "a", declared=DECLARED), given)


@pytest.mark.parametrize(
    "given",
    [
        {"flag": True},
        {"n_boot": 5},
        {"share": 1},
        {"share": 0.1},
        {"k": []},
        {"seed": None},
        {"seed": 7},
        {"text": "v", "each": {"a": 1}, "whose": "paper"},
        {},
    ],
)
def test_a_value_of_the_type_is_taken_as_it_is(tmp_path, given):
    assert books.check_parameters(notebook(tmp_path, "a", declared=DECLARED), given) == given


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("x = 1 + y", "is no parameter"),
        ("import os", "is no parameter"),
        ("x: int", "no parameter"),
        ("%time x = 1", "line 1"),
        ("x: Path = 'a'", "cannot check the type `Path`"),
    ],
)
def test_a_cell_that_holds_more_than_literals_is_refused(tmp_path, cell, message):
    with pytest.raises(KitError, match=message):
        books.check_parameters(notebook(tmp_path, "a", declared=cell), {"x": "a"})


def test_a_file_that_is_no_notebook_is_refused(tmp_path):
    (tmp_path / "x.ipynb").write_text("no")
    for name, message in (("x", "is no notebook"), ("y", "No notebook at")):
        with pytest.raises(KitError, match=message):
            run_notebook(tmp_path / f"{name}.ipynb", out_dir=tmp_path / "out")


def test_no_tagged_cell_means_no_parameters(tmp_path):
    path = notebook(tmp_path, "a", tags=())
    assert books.read_parameters(path) == {}
    with pytest.raises(KitError, match="It has: none"):
        books.check_parameters(path, {"n_boot": 5})


def test_patterns_choose_by_the_path_below_the_folder(tmp_path):
    for name in ("00_tour", "dualgauge/table_2", "dualgauge/table_3", "ossbench/table_2"):
        notebook(tmp_path, name)
    found = [p.stem for p in books.find_notebooks(["dualgauge/*", "00_tour.ipynb"], tmp_path)]
    assert found == ["00_tour", "table_2", "table_3"]
    assert len(books.find_notebooks(["*"], tmp_path)) == 4
    with pytest.raises(KitError, match="No notebook matches 'dualgage/\\*'. There are: 00_tour"):
        books.find_notebooks(["dualgage/*"], tmp_path)


def test_a_parameter_of_no_notebook_is_refused_before_any_runs(tmp_path):
    notebook(tmp_path / "n", "a", "1")
    with pytest.raises(KitError, match="No notebook has a parameter 'sed'"):
        books.reproduce(folder=tmp_path / "n", parameters={"sed": 1}, out_dir=tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_run_leaves_a_new_signed_copy_a_line_and_its_notes(executed):
    home, _, run = executed
    assert (run.ok, run.error, run.attempts) == (True, "", 1)
    assert run.notes == ({"kind": "figure", "name": "f-7"},)
    copy = nbformat.read(run.output, as_version=4)
    assert NotebookNotary().check_signature(copy)
    assert copy.metadata.papermill.parameters == {"n_boot": 7}
    assert copy.cells[-1].outputs[0].text == f"{home / 'n'} 1\n"
    line = lines(home / "out")[-1]
    assert (line["status"], line["parameters"]) == ("ok", {"n_boot": 7})
    assert line["output"] == run.output.name
    assert line["seconds"] == pytest.approx(run.seconds, abs=0.01)


@pytest.mark.slow
def test_reproduce_runs_all_in_parallel_and_sums_what_was_compared(tmp_path):
    folder, out = tmp_path / "n", tmp_path / "out"
    compare = (
        "from kit.papers import published\n"
        "paper = published.table('dualgauge', 2)\n"
        "ours = paper.assign(value=paper['value'].where(paper.index > {}, -1))\n"
        "done = published.compare(ours, 'dualgauge/table_2')"
    )
    notebook(folder, "p/good", compare.format(-1))
    notebook(folder, "p/off", compare.format(1))
    notebook(folder, "q", "share", declared="share: float = 0.5")
    rows = books.reproduce(folder=folder, out_dir=out, parameters={"share": 0.1})
    seen = [(Path(r["notebook"]).name, r["ok"], r["matched"], r["mismatched"]) for r in rows]
    size = len(published.table("dualgauge", 2))
    assert seen == [
        ("good.ipynb", True, size, 0),
        ("off.ipynb", False, size - 2, 2),
        ("q.ipynb", True, 0, 0),
    ]
    assert rows[1]["error"] == f"Disagreement: 2 of {size} rows disagree: (cell 3)"
    assert len({r["output"] for r in rows}) == len(lines(out)) == 3  # none was tried again
    text = books.format_rows(rows)
    assert "2 of 3 notebooks ran to their end" in text
    assert re.search(r"FAILED .*off.ipynb: \d+ published values reproduced, .*, 2 new\n", text)
    assert all(f"executed copy: {r['output']}" in text for r in rows)
    assert json.dumps(rows)


@pytest.mark.slow
def test_a_hung_notebook_is_killed_whole_and_tried_once_more(executed, tmp_path):
    spawn = (
        "import subprocess, os, time\n"
        "p = subprocess.Popen(['sleep', '987'], start_new_session=True)\n"
        f"print(p.pid, os.getpid(), file=open({str(tmp_path / 'pids')!r}, 'a'))\n"
        "while True: time.sleep(9)"
    )
    out = tmp_path / "out"
    wall_s = 6 + round(3 * executed[2].seconds)  # a busy machine takes long to start a kernel
    run = run_notebook(notebook(tmp_path, "a", spawn), out_dir=out, wall_s=wall_s)
    assert (run.status, run.attempts) == ("timeout", 2)
    assert run.error == f"The notebook took longer than {wall_s} s."
    pids = [int(p) for p in (tmp_path / "pids").read_text().split()]
    assert len(pids) >= 2
    assert not any(psutil.pid_exists(p) for p in pids)
    assert [line["status"] for line in lines(out)] == ["timeout", "timeout"]


@pytest.mark.slow
def test_a_dead_kernel_is_tried_once_more(tmp_path):
    once = (
        "import os, pathlib, time\n"
        f"mark = pathlib.Path({str(tmp_path / 'mark')!r})\n"
        "if not mark.exists(): mark.touch(); os._exit(3)"
    )
    run = run_notebook(notebook(tmp_path, "a", once), out_dir=tmp_path / "out")
    assert (run.ok, run.attempts) == (True, 2)
    assert [line["status"] for line in lines(tmp_path / "out")] == ["died", "ok"]


@pytest.mark.slow
def test_a_cell_may_not_take_longer_than_its_limit(tmp_path):
    path = notebook(tmp_path, "a", "import time; time.sleep(60)")
    run = run_notebook(path, out_dir=tmp_path / "out", cell_s=1)
    assert (run.status, run.error) == ("timeout", "A cell took longer than 1 s.")


@pytest.mark.slow
def test_ctrl_c_leaves_no_process_behind(tmp_path):
    pid, out = tmp_path / "pid", tmp_path / "out"
    sleepy = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(99)"
    code = (
        "import sys, pathlib; from kit.run import books; a, b = map(pathlib.Path, sys.argv[1:]);"
        "books.execute([(a, {})], b, workers=1, figures=b)"
    )
    command = [sys.executable, "-c", code, str(notebook(tmp_path, "a", sleepy)), str(out)]
    parent = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)
    kernel = int(pid.read_text())
    children = psutil.Process(parent.pid).children(recursive=True)
    assert kernel in {c.pid for c in children}
    os.kill(parent.pid, signal.SIGINT)
    assert parent.wait(timeout=20) != 0
    assert not any(c.is_running() for c in children)


def test_the_longest_goes_first_and_the_unknown_before_it(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    known = [
        {"notebook": n, "status": "ok", "seconds": s} for n, s in (("a", 1), ("b", 9), ("b", 3))
    ]
    known.append({"notebook": "a", "status": "failed", "seconds": 99})
    (out / "ledger.jsonl").write_text("".join(json.dumps(k) + "\n" for k in known))
    assert books._usual_seconds(out) == {"a": 1, "b": 6}
