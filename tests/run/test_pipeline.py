"""The pipeline over real sandboxes: resume, kill, interrupt, judge again."""

import contextlib
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from kit.core import store
from kit.core.records import Sample, Status, Task, Test
from kit.core.store import Store
from kit.generation import answering
from kit.generation.cost import BudgetReached
from kit.run import pipeline
from kit.systems.dualgauge.suite import SpecSuite
from tests.support.judged import answered

SUITE = SpecSuite()

TESTS = (
    Test("fc-0", "functional", input={"n": 2}, expected=4),
    Test("fc-1", "functional", input={"n": 3}, expected=9),
    Test("sec-0", "security", input={"n": 1}, cwe="CWE-78", probes=({"probe": "no_exec"},)),
)
TASK = Task("square", "demo", "Write a function square(n) that returns n squared.", TESTS)
GOOD = "def square(n):\n    return n * n\n"
EVIL = "import os\ndef square(n):\n    os.system('true')\n    return n * n\n"
WRONG = "def square(n):\n    return n + n\n"


def filled(path, programs):
    samples = [Sample("square", "m", i, code=code) for i, code in enumerate(programs)]
    return answered(path, [TASK], samples)


def test_three_programs_get_the_verdicts_they_deserve_and_a_second_pass_runs_nothing(tmp_path, box):
    with filled(tmp_path / "run", [GOOD, EVIL, WRONG]) as s:
        tally = pipeline.evaluate_programs(s, SUITE, [TASK], box)
        frame = s.frame()
        again, second = pipeline.evaluate_programs(s, SUITE, [TASK], box), s.frame()
    assert (tally.fresh, tally.cached, tally.infra) == (9, 0, 0)
    wide = frame.pivot(index="sample", columns="test", values="outcome")
    assert wide.loc[0].tolist() == ["pass", "pass", "pass"]
    assert wide.loc[1].tolist() == ["pass", "pass", "fail"]
    assert wide.loc[2].tolist() == ["pass", "fail", "pass"]
    assert str(again) == "9 stored, 0 new"
    assert second["cached"].all()


class Asking(pipeline.Work):
    title, workers = "ask", 1

    def key_of(self, thing):
        return thing

    def is_known(self, _):
        return False

    def produce(self, thing):
        return thing.partition(":")[2]

    def write(self, _, reason):
        return reason


def test_each_reason_of_a_failure_is_counted():
    tally = Asking().do_all(["0:no room", "1:no answer", "2:no room", "3:"])
    assert (tally.infra, tally.fresh) == (3, 1)
    assert tally.note == "no room (2); no answer (1)"


def test_equal_programs_are_run_once_and_judged_in_both_places(tmp_path, box):
    with filled(tmp_path / "run", [GOOD, GOOD]) as s:
        pipeline.evaluate_programs(s, SUITE, [TASK], box)
        assert s.db.execute("SELECT count(*) FROM evidence").fetchone() == (3,)
        assert (s.frame()["outcome"] == "pass").sum() == 6


def test_a_changed_probe_is_judged_again_without_running(tmp_path, box):
    with filled(tmp_path / "run", [EVIL]) as s:
        pipeline.evaluate_programs(s, SUITE, [TASK], box)
        mild = TESTS[:2] + (Test("sec-0", "security", {"n": 1}, probes=({"probe": "completes"},)),)
        softer = Task("square", "demo", TASK.prompt, mild)
        tally = pipeline.judge(s, SUITE, [softer], box)
        assert (tally.fresh, tally.left) == (1, 0)
        assert s.frame().set_index("test").loc["sec-0", "outcome"] == "pass"


def test_a_changed_input_is_run_again(tmp_path, box):
    with filled(tmp_path / "run", [GOOD]) as s:
        pipeline.evaluate_programs(s, SUITE, [TASK], box)
        other = (Test("fc-0", "functional", input={"n": 5}, expected=25), *TESTS[1:])
        tally = pipeline.evaluate_programs(
            s, SUITE, [Task("square", "demo", TASK.prompt, other)], box
        )
        assert tally.fresh > 0


def test_a_box_that_breaks_is_our_failure_and_is_tried_again(tmp_path, box):
    class Broken:
        identity, name = box.identity, "broken"

        def run(self, *_, **__):
            raise OSError("no space left on device")

    with filled(tmp_path / "run", [GOOD]) as s:
        tally = pipeline.evaluate_programs(s, SUITE, [TASK], Broken())
        assert tally.infra == 3
        assert set(s.frame()["status"]) == {"infra_error"}
        assert pipeline.evaluate_programs(s, SUITE, [TASK], box).fresh == 3
        assert set(s.frame()["status"]) == {"completed"}


def test_an_interrupt_between_evidence_and_verdict_leaves_neither(tmp_path, box, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    with filled(tmp_path / "run", [GOOD]) as s:
        with monkeypatch.context() as patch:
            patch.setattr(SpecSuite, "judge", interrupted)
            with pytest.raises(KeyboardInterrupt):
                pipeline.evaluate_programs(s, SUITE, [TASK], box)
        assert s.find_settled() == set()
        assert pipeline.evaluate_programs(s, SUITE, [TASK], box).fresh == 3


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[2])
from test_pipeline import TASK, GOOD, SUITE, filled
from kit.run import pipeline
from kit.sandbox import open_sandbox
with filled(sys.argv[1], [f"{GOOD}# {i}\\n" for i in range(80)]) as s, open_sandbox("bwrap") as box:
    print(pipeline.evaluate_programs(s, SUITE, [TASK], box))
"""


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_in_flight_and_the_next_start_goes_on(tmp_path, request):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "run"), str(request.path.parent)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_evidence(tmp_path / "run", 5)
    child.send_signal(signal.SIGINT)
    assert b"KeyboardInterrupt" in child.communicate(timeout=30)[1]
    with Store(tmp_path / "run") as s:
        done = len(s.find_settled())
        assert 5 <= done < 240
        assert s.db.execute("SELECT count(*) FROM verdicts").fetchone()[0] == done
    last = subprocess.run(command, capture_output=True, check=True, text=True)
    assert last.stdout.strip() == f"{done} stored, {240 - done} new"


def wait_for_evidence(run, enough):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.05)
        if (run / "run.sqlite").exists():
            with contextlib.suppress(sqlite3.OperationalError), Store(run, write=False) as s:
                if len(s.find_settled()) >= enough:
                    return
    raise AssertionError("no evidence within a minute")


@pytest.mark.slow
def test_killed_at_random_moments_it_loses_only_what_was_in_flight(tmp_path, request):
    """kill -9, eight times; evidence is only ever added, and the end is as without any kill."""
    here, rng, done = str(request.path.parent), random.Random(7), 0
    command = [sys.executable, "-c", SCRIPT, str(tmp_path / "run"), here]
    for _ in range(8):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 2.2))
        child.kill()
        child.wait()
        if (tmp_path / "run" / "run.sqlite").exists():
            with Store(tmp_path / "run") as s:
                now = len(s.find_settled())
                assert s.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert now >= done
            done = now
    last = subprocess.run(command, capture_output=True, check=True, text=True)
    frame = store.frame(tmp_path / "run")
    assert last.stdout.strip() == f"{done} stored, {240 - done} new"
    assert len(frame) == 240
    assert set(frame["outcome"]) == {"pass"}
    assert not frame.duplicated(["sample", "test"]).any()


def test_a_sample_without_program_is_not_run_and_stays(tmp_path, box):
    with Store(tmp_path / "run") as s:
        lost = Sample("square", "m", status=Status.EXTRACTION_ERROR, note="no code")
        s.plan([TASK], [lost])
        s.put_sample(lost)
        assert pipeline.evaluate_programs(s, SUITE, [TASK], box).fresh == 0
        assert set(s.frame()["status"]) == {"extraction_error"}


def test_a_budget_that_is_reached_keeps_the_answers_and_leaves_the_rest(tmp_path):
    planned = answering.empty_slots([TASK], model="m", n=6, language="python", arm={})

    def answer(slot):
        if slot.index >= 2:
            raise BudgetReached("The budget of $1 is reached.")
        return Sample("square", "m", slot.index, code=GOOD)

    with Store(tmp_path / "run") as s:
        s.plan([TASK], planned)
        first = pipeline.generate_answers(s, planned, answer, workers=1)
        assert (first.fresh, first.left) == (2, 4)
        assert "budget" in str(first)
        second = pipeline.generate_answers(
            s, planned, lambda slot: Sample("square", "m", slot.index)
        )
        assert (second.cached, second.fresh, second.left) == (2, 4, 0)
