"""A busy machine is no fault of a program."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from kit import harness
from kit.core.records import Evidence, Judgement, Sample, Status, Task, Test, Trial
from kit.core.store import Store
from kit.run import pipeline, validate
from kit.run.suite import Loaded, Suite
from kit.run.suites import open_suite
from kit.sandbox import Limits, docker, open_sandbox, process

PYTHON = "/usr/bin/python3"
SERVERS = ["k03", "k21", "k22", "k36"]


@pytest.fixture
def busy(request):
    """Eight processes, or as many as the test asks for, that want all of the CPU."""
    count = getattr(request, "param", 8)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    yield
    for other in others:
        other.kill()
        other.wait()


@pytest.mark.slow
def test_a_deadline_moves_by_the_time_that_others_had_the_cpu(box, busy):  # noqa: ARG001
    if not (box._groups.keys() & {"pressure", "unified"}):
        pytest.skip("this kernel does not tell how long a group waited")
    count = "x = 0\nfor i in range(12_000_000): x += i"
    seen = box.run([PYTHON, "-c", count], limits=Limits(wall_s=2))
    waits = box.run([PYTHON, "-c", "import time; time.sleep(60)"], limits=Limits(wall_s=1))
    assert (seen.status, waits.status) == (Status.COMPLETED, Status.TIMEOUT)
    assert seen.own_s <= min(2, seen.wall_s)  # a machine that gives the box its share waits little
    assert waits.own_s == pytest.approx(1, abs=0.3)


CALLED = {("k05", "javascript"), ("k17", "python")}  # calls, and a time limit


@pytest.mark.slow
@pytest.mark.parametrize("busy", [16], indirect=True)
def test_no_outcome_of_calls_and_servers_differs_beside_busy_processes(busy, tmp_path):  # noqa: ARG001
    suite = open_suite("dualgauge")
    servers, calls = (suite.load().select_tasks(ids) for ids in (SERVERS, ["k05", "k17"]))
    samples, labels = suite.references([*calls, *servers], suite.labels)
    tasks = [replace(t, tests=t.tests[::2]) for t in calls]  # the limit is among them
    tasks += [replace(t, tests=t.tests[:2]) for t in servers]
    first = {(s.task, s.language): s for s in samples}
    chosen = [s for key, s in first.items() if key in CALLED or s.task in SERVERS]
    tally, frame = validate.execute(tmp_path / "run", suite, tasks, chosen)
    rows = validate.join_labels(labels, frame)
    rows = rows[rows["outcome"].notna()]
    assert (rows["task"].isin(SERVERS).sum(), tally.infra) == (12, 0)
    assert len(rows) > 30
    wrong = rows[rows["outcome"] != rows["label"]]
    assert wrong.empty, wrong.to_string()


@pytest.mark.slow
@pytest.mark.parametrize("busy", [2], indirect=True)
def test_a_server_that_keeps_itself_busy_gains_no_time(busy):  # noqa: ARG001
    code = "import os, http.server\nfor _ in range(3): os.fork()\nwhile True: pass\n"
    code += "http.server.HTTPServer(None, None).serve_forever()\n"
    test = Test("a", "functional", "GET / HTTP/1.1")
    task = Task("t", "dualgauge", "Write an HTTP server.", (test,))
    with open_sandbox("bwrap", Limits(wall_s=3)) as box:
        seen = harness.run_test(box, task, task.tests[0], code)
    assert seen.status is Status.TIMEOUT


TOLD = """import os, struct, time
first, begun = struct.unpack("=d", open("/etc/clock", "rb").read())[0], time.monotonic()
time.sleep(0.5)
after, now = struct.unpack("=d", open("/etc/clock", "rb").read())[0], time.monotonic()
print(now - begun, after - first, begun - first)
try: open("/etc/clock", "w")
except OSError as error: print(error.errno)
print(os.listdir("/etc"))"""


def test_the_clock_of_a_box_tells_nothing_of_other_runs(box):
    """It is time itself where nobody takes the CPU away, however long the runs before waited."""
    if not (box._groups.keys() & {"pressure", "unified"}):
        pytest.skip("this kernel does not tell how long a group waited")
    box.run([PYTHON, "-c", "import os; [os.fork() for _ in range(3)]\nfor _ in range(10**6): pass"])
    seen = box.run([PYTHON, "-c", TOLD])
    numbers, refused, names = seen.out.splitlines()
    took, told, late = map(float, numbers.split())
    assert (0.1 < told <= took + 0.05, abs(late) < 2, refused) == (True, True, "30"), seen.out
    assert "pressure" not in names


def test_own_processes_that_wait_for_each_other_gain_no_time():
    assert process.time_lost_to_others(4.0, cpu_s=4.0, waited_s=3.0) == 0
    assert process.time_lost_to_others(4.0, cpu_s=1.0, waited_s=2.5) == 2.5


def test_a_deadline_on_a_busy_machine_is_ours_where_the_run_got_little():
    ended = process.Ending("deadline", 10.0)
    assert process.excuse_deadline(ended, cpu_s=1.0, waited_s=9.0).cause == "starved"
    assert process.excuse_deadline(ended, cpu_s=8.0, waited_s=9.0).cause == "deadline"
    assert process.excuse_deadline(ended, cpu_s=1.0, waited_s=0.5).cause == "deadline"


def test_the_account_of_a_session_tells_what_its_threads_got_and_waited_for():
    assert min(process.measure_cpu_use(process.list_session_processes(os.getsid(0)))) > 0
    assert docker.unpack_remains(b"waited 7000000000\n\0" + docker.LISTED).waited_s == 7


class Fragile(Suite):
    """Its second program fails on our side while others run, and never alone."""

    name = "fragile"

    def __init__(self):
        self.asked = []

    def load(self, path=None):  # noqa: ARG002
        return Loaded(self.name, ())

    def prompt(self, task, slot):  # noqa: ARG002
        return ()

    def identity(self, cell):  # noqa: ARG002
        return ""

    def trials(self, tasks, samples, box, store):  # noqa: ARG002
        yield [Trial(str(n)) for n in range(3)]

    def execute(self, trial, box):  # noqa: ARG002
        self.asked.append(trial.key)
        spoiled = trial.key == "1" and self.asked.count("1") == 1
        return Evidence(Status.INFRA_ERROR if spoiled else Status.COMPLETED, note="busy")

    def judge(self, trial, evidence):  # noqa: ARG002
        return Judgement()


def test_what_failed_on_our_side_is_run_again_after_the_others(tmp_path):
    suite, task = Fragile(), Task("t", "fragile", "Do.", (Test("a", "functional"),))
    with Store(tmp_path / "run") as store:
        store.plan([task], [Sample("t", "m", code="x")])
        tally = pipeline.evaluate_programs(store, suite, [task], None, workers=1)
        assert store.evidence("1").status is Status.COMPLETED
    assert suite.asked == ["0", "1", "2", "1"]
    assert (tally.fresh, tally.infra) == (3, 0)
