"""What may go wrong in a run of a C project: kills, full disks, broken builds, hostile output."""

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.core.paths import ROOT, cache_root
from kit.core.store import Store
from kit.systems.ossbench import cjson, extract, mock_models, scores, toolchain
from kit.systems.ossbench.builds import SwitchedProject
from kit.systems.ossbench.original import Original
from kit.systems.ossbench.toolchain import Workshop
from tests.support.commands import invoked
from tests.support.small_project import edit_of, go, make, readers_of, switched

WORKER = """
import sys
from pathlib import Path
from tests.support.small_project import go, opened
with opened(Path(sys.argv[1])) as (_, project, table, _):
    go(project, table, sys.argv[2], iterations=int(sys.argv[3]), share=0.3)
"""


def facts(folder):
    """What must not depend on how often a run was broken off."""
    t = scores.load_tables(folder)
    with Store(folder, write=False) as store:
        cells = store.frame()[["task", "test", "status", "outcome", "reason"]]
    alerts = t.alerts[["iteration", "key", "class"]]
    return t.iterations.to_json(), alerts.to_json(), cells.to_json()


def begun(home, folder, iterations):
    """A run in a process of its own."""
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    line = [sys.executable, "-c", WORKER, str(home), str(folder), str(iterations)]
    return subprocess.Popen(line, env=env, stderr=subprocess.PIPE, text=True)


def iterated(folder):
    """How many iterations stand in the file of a run that another process writes."""
    with contextlib.suppress(sqlite3.OperationalError):
        db = sqlite3.connect(f"file:{folder}/run.sqlite?mode=ro", uri=True)
        with contextlib.closing(db):
            query = "SELECT count(*) FROM trials WHERE kind = 'sample'"
            return db.execute(query).fetchone()[0]
    return 0


@pytest.fixture(scope="module")
def whole(launch, tmp_path_factory):
    """A run of 12 iterations that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    launch(folder, iterations=12, share=0.3)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_run_goes_on_and_counts_nothing_twice(launch, small_home, whole, tmp_path, blow):
    broken = tmp_path / "broken"
    process = begun(small_home, broken, 12)
    while not 3 <= iterated(broken) < 12:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.02)
    process.send_signal(blow)
    process.wait(timeout=30)
    process.stderr.close()
    kept = iterated(broken)
    assert 3 <= kept < 12
    generated, executed = launch(broken, iterations=12, share=0.3)
    assert generated == "6 stored, 0 new"
    assert int(executed.split()[0]) >= 6 + 2 + kept
    assert facts(broken) == facts(whole)
    assert scores.evaluate_tables(scores.load_tables(broken)) == scores.evaluate_tables(
        scores.load_tables(whole)
    )


def test_what_a_killed_process_left_in_the_cache_is_swept(world):
    shop = world[3]
    process = subprocess.Popen(["true"])
    process.wait()
    ours, dead = (shop.home.parent / f".part-{n}-x" for n in (os.getpid(), process.pid))
    for folder in (ours, dead):
        folder.mkdir()
    Workshop(shop.box, shop.project)
    assert (ours.exists(), dead.exists()) == (True, False)
    ours.rmdir()


@pytest.mark.slow
def test_another_draw_replaces_the_iterations_of_the_first(launch, tmp_path):
    launch(tmp_path, "identity", iterations=4, share=0.3)
    launch(tmp_path, "identity", iterations=3, share=0.3, draw_seed=1)
    runs = scores.load_tables(tmp_path).iterations
    assert (runs["purpose"] == "sample").sum() == 3


def test_tests_that_reach_the_edits_decide_as_all_tests_do(launch, tmp_path):
    launch(tmp_path, iterations=4, share=0.3)
    launch(tmp_path, iterations=4, share=0.3, only_reaching=True)
    tables = scores.load_tables(tmp_path)
    assert scores.count_agreements(tables) == {"compared": 4, "agree": 4}
    said = set(tables.iterations["mode"]) - {"schemata", "original"}
    assert said
    assert all(re.fullmatch(r"schemata, [012] of 2 test runs", mode) for mode in said)


@pytest.mark.slow
def test_both_modes_agree_and_an_iteration_of_both_counts_once(launch, tmp_path):
    launch(tmp_path, iterations=3, share=0.3)
    before = scores.evaluate_tables(scores.load_tables(tmp_path))
    launch(tmp_path, iterations=3, share=0.3, mode="rebuild")
    after = scores.evaluate_tables(scores.load_tables(tmp_path))
    assert after.pop("modes") == {"compared": 3, "agree": 3}
    assert before.pop("modes") == {"compared": 0, "agree": 0}
    assert after == before


@contextlib.contextmanager
def small_disk(kilobytes):
    """A folder that is a file system of that size; the sandbox's user can pass through."""
    size = f"size={kilobytes}k,mode=755"
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", name], check=True)
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "-l", name], check=True)


def grow(disk, megabytes):
    subprocess.run(["mount", "-o", f"remount,size={megabytes}m", str(disk)], check=True)


needs_mount = pytest.mark.skipif(os.geteuid() != 0, reason="a small disk needs root to mount it")


@pytest.mark.slow
@needs_mount
def test_a_full_disk_under_the_run_loses_only_what_was_in_flight(launch, whole):
    with small_disk(400) as disk:
        (disk / "ballast").write_bytes(bytes(200 * 1024))
        with pytest.raises((sqlite3.OperationalError, OSError), match="full|space|disk"):
            launch(disk / "run", iterations=12, share=0.3)
        (disk / "ballast").unlink()
        grow(disk, 8)
        launch(disk / "run", iterations=12, share=0.3)
        assert facts(disk / "run") == facts(whole)


@pytest.mark.slow
@needs_mount
def test_a_full_disk_under_the_cache_leaves_no_half_object(launch, whole, tmp_path, monkeypatch):
    with small_disk(64) as disk:
        monkeypatch.setenv("KIT_CACHE", str(disk))
        with pytest.raises(OSError, match="No space left"):
            launch(tmp_path, iterations=12, share=0.3)
        assert not list(disk.rglob(".part-*"))
        grow(disk, 64)
        launch(tmp_path, iterations=12, share=0.3)
    assert facts(tmp_path) == facts(whole)


@needs_mount
@pytest.mark.slow
@pytest.mark.parametrize("full", ["run", "cache"])
def test_the_command_says_what_to_do_about_a_full_disk(full, tmp_path, monkeypatch):
    line = ["run", "ossbench", "--model", "identity", "--limit", "4", "--iterations", "1"]
    with small_disk(64 if full == "run" else 200) as disk:
        if full == "cache":
            for name in ("sources", "trees", "functions"):
                (cache_root() / name).mkdir(parents=True, exist_ok=True)
                (disk / name).symlink_to(cache_root() / name)
            monkeypatch.setenv("KIT_CACHE", str(disk))
        folder = disk / "run" if full == "run" else tmp_path / "run"
        done = invoked(*line, "--run", str(folder))
    assert done.exit_code == 74, done.stderr
    assert "to continue" in done.stderr


def test_edits_that_break_only_together_are_rebuilt_and_the_failure_is_recorded(world):
    _, _, table, shop = world
    edits = [
        edit_of(
            table, "twice", lambda t: mock_models.insert_statements(t, "extern double kit_shared;")
        ),
        edit_of(table, "add", lambda t: mock_models.insert_statements(t, "extern int kit_shared;")),
    ]
    made, suite = switched(shop, table, *edits)
    assert (len(made.switched), len(made.rebuilt)) == (1, 1)
    assert suite.note == ""
    rows = {r["function_index"]: r for r in table.to_dict("records")}
    work = SwitchedProject(shop, rows, {e.index: e for e in edits})
    coverage = {"reached": {}, "note": ""}
    original = Original.of(work.baseline().observed.value, coverage)
    chosen = [e.index for e in edits]
    done = work.run_iteration(chosen, "rebuild", original, only_reaching=False)
    seen = done.observed.value
    assert "kit_shared" in seen["note"]
    assert (seen["rate"], seen["planned"], len(seen["failed"])) == (0, 5, 5)


BYTES = r'__builtin_printf("\377\376\200 \342\202 %c add BAD\nsum ok\n", 0);'


def test_a_log_of_binary_bytes_hides_no_result(world):
    _, _, table, shop = world
    noise = edit_of(table, "fact", lambda t: mock_models.insert_statements(t, BYTES))
    _, suite = switched(shop, table, noise)
    seen = suite.run([noise.index])
    assert seen.tests["math/fact"]
    assert seen.tests["math/twice"]
    assert not any("\udc80" <= c <= "\udcff" for t in seen.tests for c in t)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("for (;;) { }", "timeout"),
        ("extern int raise(int); raise(9);", "crashed"),
        ('for (;;) { __builtin_puts("kit"); }', "output_limit"),
    ],
)
def test_a_suite_that_hangs_dies_or_floods_has_failed_what_it_did_not_report(world, statement, why):
    _, project, table, shop = world
    hurt = edit_of(table, "fact", lambda t: mock_models.insert_statements(t, statement))
    _, suite = switched(shop, table, hurt)
    suite.project = replace(project, runs=tuple(replace(r, wall_s=1.5) for r in project.runs))
    seen = suite.run([hurt.index])
    assert seen.ended["math"].startswith(why)
    assert not seen.tests.get("math/fact", False)
    assert seen.tests["sums/sum"]
    assert seen.pass_rate({"math/fact", "math/twice", "sums/sum", "sums/none"}) <= 3 / 4


@pytest.mark.slow
def test_an_original_that_passes_no_test_is_an_error_and_no_score(world, tmp_path):
    _, project, table, _ = world
    mute = replace(project, parse=lambda _run, _out: {}, version="mute")
    with pytest.raises(KitError, match="passes none of its tests"):
        go(mute, table, tmp_path, "identity", iterations=1)


VARIADIC = (Path(__file__).parents[1] / "files/variadic.c").read_text()


@pytest.fixture
def other_tree(small_home):
    """A second tree of the small project, for a test to change."""
    with tempfile.TemporaryDirectory(dir=small_home) as name:
        yield Path(name)


def test_a_function_with_variable_arguments_stands_behind_a_switch_too(world, other_tree):
    box = world[0]
    project = replace(make(other_tree), version="variadic")
    for name, old, new in (
        ("lib.h", "int add(", "int total(int n, ...);\nint add("),
        ("math.c", "    test(", '    test("total", total(2, 1.5, 2.5) == 3);\n    test('),
    ):
        file = project.tree / name
        file.write_text(file.read_text().replace(old, new, 1))
    with (project.tree / "lib.c").open("a") as file:
        file.write(VARIADIC)
    table = extract.find_functions(project, tokens=(0, 1000))
    shop = Workshop(box, project)
    hurt = edit_of(table, "total", lambda t: mock_models.sabotage(t, "spatial"))
    wrong = edit_of(table, "total", lambda t: mock_models.sabotage(t, "logic"))
    made, suite = switched(shop, table, hurt)
    assert made.rebuilt == {}
    off, on = suite.run([]), suite.run([hurt.index])
    assert (off.tests["math/total"], off.alerts, off.executed) == (True, (), frozenset())
    assert [(a.group, owners) for a, owners in on.alerts] == [("spatial", (hurt.index,))]
    assert on.alerts[0][0].frames[0] == "total lib.c"
    assert on.executed == {hurt.index}
    _, suite = switched(shop, table, wrong)
    assert not suite.run([wrong.index]).tests["math/total"]


@pytest.mark.slow
def test_a_source_that_is_no_utf8_goes_through_a_whole_run(other_tree, tmp_path):
    project = replace(make(other_tree), version="latin")
    file = project.tree / "lib.c"
    text = file.read_bytes().replace(b"adds", b"adds \xe9\xff")
    file.write_bytes(text.replace(b"return a + b;", b"return a + b; /* \xe9 */"))
    table = extract.find_functions(project, tokens=(0, 1000))
    assert (table["name"] == "add").sum() == 1
    for model in ("identity", "saboteur"):
        go(project, table, tmp_path / model, model, iterations=2, share=0.3)
        got = scores.evaluate_tables(scores.load_tables(tmp_path / model))
        assert got["planned"] == got["checked"] == 6
        assert (got["delta"] == 0) == (model == "identity")


@pytest.mark.parametrize("kind", mock_models.RATES)
def test_a_seeded_fault_builds_unless_it_is_one_of_the_build(world, kind):
    box, project, table, _ = world
    units = tuple(replace(u, strict=cjson.WARNINGS) for u in project.units)
    shop = Workshop(box, replace(project, units=units))
    edit = edit_of(table, "add", lambda t: mock_models.sabotage(t, kind))
    build = toolchain.Checker(shop, readers_of(table)).check(edit).build
    assert build == ("failure" if kind == "compile" else "success")
