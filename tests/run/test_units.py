"""Units of a run executed elsewhere: together they are what one process would have done."""

import gc
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest
from test_pipeline import EVIL, GOOD, SUITE, TASK, WRONG, filled

from kit.core import languages
from kit.core.errors import KitError
from kit.core.paths import REFERENCES
from kit.core.records import Evidence, Outcome, Reason, Status, Verdict
from kit.core.store import SQL, Store, slot_of
from kit.harness.languages import python
from kit.run import cluster, pipeline
from kit.run.pool import Tally
from tests.benchmarks import scale
from tests.support.commands import kit

COLUMNS = ["task", "sample", "test", "status", "outcome", "oracle", "reason"]


def cut(store, box, size=4):
    """The units of what is missing in a run, and how many cells of it are there."""
    store.set_meta(suite="dualgauge")
    total = Tally()
    parts = cluster.split_into_units(
        cluster.find_missing_trials(store, SUITE, [TASK], box, total), size
    )
    return [cluster.pack_unit(store, SUITE, [TASK], box, part) for part in parts], total.cached


@pytest.fixture(scope="module")
def unit(box, tmp_path_factory):
    """The unit of a run of one program, and what a worker sends back."""
    with filled(tmp_path_factory.mktemp("unit") / "run", [GOOD]) as s:
        (part,), _ = cut(s, box)
    return part, cluster.execute_unit(part, [TASK])[0]


@pytest.mark.slow
def test_units_in_any_order_and_twice_are_what_one_process_does(tmp_path, box):
    with filled(tmp_path / "one", [GOOD, EVIL, WRONG]) as one:
        pipeline.evaluate_programs(one, SUITE, [TASK], box)
        alone = one.frame()[COLUMNS]
    with filled(tmp_path / "many", [GOOD, EVIL, WRONG]) as many:
        parts, cached = cut(many, box)
        assert (len(parts), cached) == (3, 0)
        done = [cluster.execute_unit(part, [TASK])[0] for part in parts]
        for file in [*reversed(done), *done]:
            assert cluster.merge_unit(many, file)[1:] == (0, 0)
        assert many.frame()[COLUMNS].equals(alone)
        assert cut(many, box) == ([], 9)


def test_a_cell_seen_differently_keeps_its_verdict_and_the_other_one_beside_it(tmp_path, unit):
    with filled(tmp_path / "run", [GOOD]) as s:
        cluster.merge_unit(s, unit[1])
        path = tmp_path / "other.sqlite"
        path.write_bytes(unit[1])
        with Store(path) as other:
            slot = slot_of(next(other.samples()))
            ((key,),) = other.db.execute("SELECT verdict FROM cells WHERE test = 'fc-0'")
            other.put_verdict(key, Verdict("fc-0", Outcome.FAIL, Reason.MISMATCH, "Otherwise."))
        for _ in range(2):
            assert cluster.merge_unit(s, path.read_bytes()) == (0, 1, 0)
        assert set(s.frame()["outcome"]) == {"pass"}
        repeats = s.repeats()
        assert repeats[["slot", "test", "outcome"]].to_numpy().tolist() == [[slot, "fc-0", "fail"]]


def test_a_failure_of_ours_gives_way_to_what_another_machine_saw(tmp_path, box, unit):
    with filled(tmp_path / "run", [GOOD]) as s:
        for trial in next(cluster.find_missing_trials(s, SUITE, [TASK], box, Tally())):
            s.put_evidence(trial.key, Evidence(Status.INFRA_ERROR, note="no memory"))
            pipeline.record_verdicts(s, SUITE, [trial], evidence_is_new=True)
        assert set(s.frame()["status"]) == {"infra_error"}
        cluster.merge_unit(s, unit[1])
        assert set(s.frame()["outcome"]) == {"pass"}


def test_what_this_machine_would_execute_otherwise_is_left_and_said(unit):
    _, tally = cluster.execute_unit(unit[0], [TASK], tier="bare")
    assert tally.fresh == 0
    assert "3 trials differ on this machine: the sandbox here is bare, " in tally.note
    assert "kit doctor" in tally.note


def test_equal_programs_in_two_units_both_have_their_verdicts(tmp_path, box):
    short = replace(TASK, tests=TASK.tests[1:2])
    with filled(tmp_path / "run", [GOOD, WRONG, GOOD]) as s:
        s.set_meta(suite="dualgauge")
        trials = next(cluster.find_missing_trials(s, SUITE, [short], box, Tally()))
        alone = [replace(t, cells=(cell,)) for t in trials for cell in t.cells]
        for part in cluster.split_into_units(
            [sorted(alone, key=lambda t: t.cells[0].sample.index)], 2
        ):
            unit = cluster.pack_unit(s, SUITE, [short], box, part)
            cluster.merge_unit(s, cluster.execute_unit(unit, [short])[0])
        frame = s.frame()
    assert frame[frame["test"] == "fc-1"]["outcome"].tolist() == ["pass", "fail", "pass"]


def test_no_step_of_a_merge_reads_the_run_from_end_to_end(tmp_path):
    with Store(tmp_path / "run") as run, Store(tmp_path / "unit") as unit:
        run.db.execute("ATTACH ? AS unit", (str(unit.path),))
        for line in filter(str.strip, SQL["merge"].split(";")):
            plan = run.db.execute(f"EXPLAIN QUERY PLAN {line}", {"mark": ""} if ":" in line else {})
            ours = {"SCAN m", "SCAN r", "SCAN b", "SCAN main"}
            assert not [step for *_, step in plan if step[:6] in ours or "SCAN main" in step], line
            if line.lstrip().startswith("CREATE"):
                run.db.execute(line)


def test_a_unit_carries_its_own_tasks_and_no_answer(tmp_path, box):
    other = replace(TASK, id="other")
    with filled(tmp_path / "run", [GOOD]) as s:
        s.put_sample(replace(next(s.samples()), response="a long answer" * 1000))
        (part,) = cluster.find_missing_trials(s, SUITE, [TASK, other], box, Tally())
        path = tmp_path / "unit.sqlite"
        path.write_bytes(cluster.pack_unit(s, SUITE, [TASK, other], box, part))
    with Store(path, write=False) as unit:
        assert {t.id for t in unit.tasks(prompt="")} == {TASK.id}
        assert [(sample.code, sample.response) for sample in unit.samples()] == [(GOOD, "")]


def test_folders_of_killed_workers_are_swept_and_others_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, used, young = (tmp_path / f"{cluster.PREFIX}{n}" for n in ("old", "used", "young"))
    for folder in (old, used, young, tmp_path / "of another kind"):
        folder.mkdir()
        (folder / "run.sqlite").touch()
        os.utime(folder, (0, 0)) if folder != young else None
    (tmp_path / f"{cluster.PREFIX}link").symlink_to(tmp_path / "of another kind")
    cluster.remove_old_folders.cache_clear()
    with cluster._lock_folder(used):
        cluster.remove_old_folders()
    assert not old.exists()
    assert len(list(tmp_path.glob("*/run.sqlite"))) == 4  # the link's target is there twice


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a file system")
def test_a_worker_with_a_full_disk_gives_its_unit_back_and_says_so(tmp_path, unit, monkeypatch):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=True)
    monkeypatch.setattr(tempfile, "tempdir", str(small))
    try:
        back, tally = cluster.execute_unit(unit[0], [TASK])
    finally:
        subprocess.run(["umount", small], check=True)
    assert back == unit[0]
    assert "is full, so one batch was not executed. Free disk space" in tally.note


def listening(port):
    for _ in range(600):
        with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.2)
    raise AssertionError("no scheduler within two minutes")


@pytest.mark.slow
def test_a_scheduler_that_dies_leaves_one_sentence(tmp_path, box, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    code = "from distributed.cli.dask_scheduler import main; main()"
    words = [sys.executable, "-c", code, "--port", port, "--no-dashboard"]
    scheduler = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    submitted = cluster.pack_unit

    def packed(*words):
        threading.Timer(1, scheduler.kill).start()  # once it has a client
        return submitted(*words)

    monkeypatch.setattr(cluster, "pack_unit", packed)
    listening(int(port))
    with filled(tmp_path / "run", [f"{GOOD}# {n}\n" for n in range(40)]) as s:
        s.set_meta(suite="dualgauge")
        tally = cluster.go(s, SUITE, [TASK], box, where=f"tcp://127.0.0.1:{port}")
    scheduler.wait()
    assert tally.left == 120
    assert re.fullmatch(r"\d+ batches were lost, the first by [^;]*; rerun to continue", tally.note)


@pytest.mark.slow
def test_a_worker_killed_in_mid_unit_costs_nothing_but_time(tmp_path):
    """Dask, two processes; one is killed with -9 as soon as it executes something."""
    known = (REFERENCES / "k31" / "secure.py").read_text()
    folder = tmp_path / "programs" / "k31"
    folder.mkdir(parents=True)
    for n in range(4):
        (folder / f"m{n}.py").write_text(f"{known}# {n}\n")
    run = tmp_path / "run" / "run.sqlite"
    command = [
        sys.executable,
        "-c",
        "from kit.cli.main import main; main()",
        "evaluate",
        "dualgauge",
        "--programs",
        str(folder.parent),
        "--run",
        str(run),
        "--cluster",
        "local:2",
    ]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    victim = executing(psutil.Process(child.pid))
    victim.send_signal(signal.SIGKILL)
    said = child.communicate(timeout=300)
    assert child.returncode == 0, said[1]
    with Store(run, write=False) as s:
        frame = s.frame()
    assert len(frame) == len(frame.drop_duplicates(["model", "test"]))
    assert f"0 stored, {len(frame)} new;" in said[0]
    assert "infra_error" not in set(frame["status"])


def executing(parent):
    """A worker process below `parent` that has a sandboxed program below it now."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for process in parent.children(recursive=True):
            try:
                inside = {p.name() for p in process.children(recursive=True)}
                if "spawn_main" in " ".join(process.cmdline()) and "bwrap" in inside:
                    return process
            except psutil.Error:
                continue
        time.sleep(0.02)
    raise AssertionError("no worker executed anything within two minutes")


@pytest.mark.slow
def test_the_jobs_of_a_batch_system_do_a_run_in_an_environment_of_their_own(tmp_path):
    folder, run, plan = tmp_path / "programs" / "k13", tmp_path / "run", tmp_path / "a plan"
    folder.mkdir(parents=True)
    (folder / "m.py").write_text((REFERENCES / "k13" / "secure.py").read_text())
    kit("evaluate", "dualgauge", "--programs", folder.parent, "--run", run, "--cluster", "later")
    assert "4 batches" in kit("cluster", "plan", run, plan, "--size", 6, "--jobs", 2).output
    assert "--array=1-2\n" in (plan / "array.sbatch").read_text()  # a job does several
    assert "executions are pending: kit cluster work" in kit("cluster", "merge", run, plan).output
    for n in ("1", "2"):
        job = ["/bin/sh", str(plan / "array.sbatch")]
        subprocess.run(job, env={"SLURM_ARRAY_TASK_ID": n}, cwd="/", check=True)
    done = [path.read_bytes() for path in sorted(plan.glob("unit-*"))]
    assert ", 0 new" in kit("cluster", "work", plan, "--shard", "1/4").output
    assert [path.read_bytes() for path in sorted(plan.glob("unit-*"))] == done
    said = kit("cluster", "merge", run, plan).output
    assert "new results; 0 differ" in said
    assert "are pending" not in said
    assert "infra_error" not in kit("score", run).output


def test_eight_threads_parse_deep_programs_each_as_if_it_were_alone():
    nested = "\n".join(f"y = {'[' * 60}{']' * 60}" for _ in range(10))
    doors = [languages.try_parse_python, python.parse_program]

    def elsewhere(*_):
        time.sleep(0)  # a switch of threads amid a tree, as Dask's own callback makes one

    gc.callbacks.append(elsewhere)
    try:
        with ThreadPoolExecutor(8) as pool:
            trees = list(pool.map(lambda n: doors[n % 2](nested), range(150)))
    finally:
        gc.callbacks.remove(elsewhere)
    assert all(len(tree.body) == 10 for tree in trees)


def test_a_cluster_of_no_known_kind_is_one_sentence():
    for where in ("local:x", "nowhere", "slurm:many"):
        with pytest.raises(KitError, match="Unknown --cluster"), cluster.open_dask_client(where):
            pass


@pytest.mark.slow
def test_a_synthetic_run_of_many_samples_is_complete_and_joins_without_a_difference():
    found = scale.measure(60)
    assert list(found) == list(scale.STEPS)  # each of which holds the one before it to account
