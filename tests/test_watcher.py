"""A box is seen by seccomp notification as by strace, and what is seen is what was done."""

import os
import re
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kit.errors import KitError
from kit.records import Event, Evidence, Status
from kit.sandbox import Limits, bwrap, calls, seccomp, watcher
from kit.sandbox.bwrap import Bwrap

ADVERSARIES = Path(__file__).parent / "adversaries"
PYTHON, LOADER = "/usr/bin/python3", "/lib64/ld-linux-x86-64.so.2"
SHORT = Limits(wall_s=3, cpu_s=4, memory_mb=128, processes=32)
pytestmark = pytest.mark.skipif(
    bool(bwrap.missing() or watcher.missing()), reason=bwrap.missing() or watcher.missing()
)


@pytest.fixture(scope="module")
def box() -> Iterator[Bwrap]:
    with Bwrap(Limits(), tracer="notification") as opened:
        yield opened


@pytest.fixture(scope="module")
def strace() -> Iterator[Bwrap]:
    with Bwrap(Limits(), tracer="strace") as opened:
        yield opened


def compiled(box: Bwrap, name: str) -> bytes:
    source = (ADVERSARIES / f"{name}.c").read_bytes()
    line = ["/usr/bin/gcc", "-w", "main.c", "-o", "main", "-pthread"]
    made = box.run(line, files={"main.c": source}, limits=Limits(memory_mb=512), observe=False)
    return made.files["main"]


def play(box: Bwrap, name: str, **options: object) -> Evidence:
    """Run one of the adversaries, of C or of Python."""
    script = ADVERSARIES / f"{name}.py"
    options = {"limits": SHORT, **options}
    if script.exists():
        return box.run([PYTHON, "main.py"], files={"main.py": script.read_bytes()}, **options)
    return box.run([LOADER, "/box/main"], files={"main": compiled(box, name)}, **options)


def told(seen: Evidence, *, chosen: bool) -> Counter[Event]:
    """The events that both ways can tell.

    chosen: the kernel chose ports, and the order of threads the numbers of descriptors.
    """
    events = [e for e in seen.events if e.kind != "refused"]
    if chosen:
        events = [replace(e, result=min(e.result, 0)) for e in events]
        events = [replace(e, target=re.sub(r"^127\S*:\d+$", "a port", e.target)) for e in events]
    return Counter(events)


# The same as by strace


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        *("bad_names", "by_descriptor", "by_links", "climber", "deep_tree", "descriptor_sprayer"),
        *("disk_bomb", "every_call", "file_flood", "killer", "linker", "linker_of_inputs"),
        *("memory_family", "own_filter", "output_flood", "reader"),
        *("thread_exec", "user", "verdict_forger", "writer"),
    ],
)
def test_both_ways_see_the_same(box, strace, name):
    new, old = play(box, name), play(strace, name)
    assert (new.status, new.exit_code, new.signal) == (old.status, old.exit_code, old.signal)
    if name != "deep_tree":  # below 4096 characters a folder has no name that the kernel would tell
        chosen = name == "user"
        assert told(new, chosen=chosen) == told(old, chosen=chosen)
        assert (new.out, new.lost, new.files) == (old.out, old.lost, old.files)


def test_a_watched_program_lives_as_one_that_nobody_watches(box):
    seen, alone = play(box, "user"), play(box, "user", observe=False)
    assert (seen.err, alone.err) == ("", "")
    assert seen.out.splitlines() == alone.out.splitlines()
    assert len(seen.out.splitlines()) == 35


def test_a_folder_without_a_name_is_said_to_be_one(box):
    deep = "import os\nfor _ in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)\nopen('x', 'w')"
    seen = box.run([PYTHON, "-c", deep])
    assert "a call was shown in part" in seen.lost
    assert "/.../x" in [e.target for e in seen.events]


def test_whoever_cannot_be_looked_into_is_seen(box):
    code = "import ctypes, os; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); os.unlink('main.py')"
    seen = box.run([PYTHON, "-c", code], files={"main.py": b""})
    assert ("delete", "/box/main.py") in [(e.kind, e.target) for e in seen.events]


# Evidence is the effect


def test_a_path_that_another_thread_changes_is_the_one_that_was_used(box):
    seen = play(box, "racer", limits=Limits(wall_s=20))
    opened, deleted = map(int, seen.out.split())
    shown = Counter((e.kind, e.mode, e.target) for e in seen.events if e.result >= 0)
    assert shown["open", "r", "/box/gone"] == opened
    assert shown["delete", "unlink", "/box/gone"] == deleted
    assert 0 < opened < 1000  # the race was one, and both won
    assert 0 < deleted < 1000


def test_a_program_that_another_process_exchanges_is_told_as_what_it_was(box):
    files = dict.fromkeys(("1", "2"), compiled(box, "exec_racer"))
    begin = "import os; os.chmod('1', 0o700); os.chmod('2', 0o700); os.execv('1', ['1'])"
    seen = box.run([PYTHON, "-c", begin], files=files, limits=Limits(wall_s=20))
    began = Counter(seen.out.split())
    told = Counter(e.target for e in seen.events if e.kind == "exec" and not e.error)
    assert began["/box/1"] + began["/box/2"] == 60
    assert told["/box/1"] >= began["/box/1"] > 0
    assert told["/box/2"] >= began["/box/2"] > 0


def test_refused_calls_are_told(box):
    seen = play(box, "climber")
    names = {e.target for e in seen.events if e.kind == "refused"}
    assert {"mount", "unshare", "setns", "ptrace", "bpf", "chroot"} <= names
    assert {e.error for e in seen.events if e.kind == "refused"} == {"EPERM"}


# No watcher, no run


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def test_when_the_watcher_dies_so_does_the_box(box):
    """The first run is broken off and tried again, whole."""
    box.run(["/bin/true"])
    spawner = box._slots[0].spawners[True]
    before = set(children(spawner.process.pid))
    token = f"import time; time.sleep(1); print({secrets.randbelow(10**9)})"
    seen: list[Evidence] = []
    start = time.monotonic()
    run = threading.Thread(target=lambda: seen.append(box.run([PYTHON, "-c", token])))
    run.start()
    while not (new := set(children(spawner.process.pid)) - before):
        assert time.monotonic() - start < 5
    time.sleep(0.3)
    os.kill(new.pop(), signal.SIGKILL)
    run.join()
    assert seen[0].status is Status.COMPLETED
    assert time.monotonic() - start > 1.3
    assert box._slots[0].spawners[True] is not spawner


def test_no_program_runs_without_a_listener():
    """The shim starts nothing without a filter, or where no one holds its listener."""
    shim = f"/proc/self/fd/{watcher.programs().shim}"
    for code in (b"", seccomp.program(notify=True)):
        told, filled = os.memfd_create("filter"), os.pipe()
        os.write(told, code)
        os.close(filled[1])
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
            os.execv(shim, ["shim", str(told), str(filled[0]), "/bin/true"])
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 125
        os.close(told), os.close(filled[0])


# Which way


def test_strace_takes_its_place_and_the_stamp_says_so(box, strace):
    new, old = box.run(["/bin/true"]), strace.run(["/bin/true"])
    assert "strace" in old.isolation
    assert "strace" not in new.isolation
    assert "notification" in box.identity
    assert "strace" in strace.identity


def test_what_a_machine_lacks_is_said_with_the_mend():
    assert "Linux 5.19, this is 5.10.0-8-amd64" in watcher.missing("5.10.0-8-amd64")
    assert "apt-get install gcc" in watcher.missing(compiler="/no/cc")
    assert watcher.missing("6.18.5") == ""


def test_a_box_in_which_programs_trace_each_other_is_seen_by_strace():
    with Bwrap(Limits(ptrace=True)) as opened:
        assert "strace" in opened.identity


def test_a_source_that_does_not_compile_is_refused_with_what_was_said(monkeypatch):
    monkeypatch.setattr(watcher, "FLAGS", ("-no-such-flag",))
    with pytest.raises(KitError, match="no-such-flag"):
        watcher.programs.__wrapped__()


def test_every_call_that_is_watched_has_a_shape():
    shapes = {c.name: c.shape for c in calls.NOTIFIED if c.kind != "refused"}
    assert "-" not in shapes.values()
    assert all(name in calls.SHAPES for name in shapes)
