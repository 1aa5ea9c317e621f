"""A box is seen by seccomp notification, and what is seen is what was done."""

import json
import os
import re
import secrets
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.core.records import Event, Evidence, Status
from kit.sandbox import Limits, bwrap, syscalls, watcher
from kit.sandbox.bwrap import Bwrap
from kit.sandbox.watcher import BROKEN_OFF, CAPPED, CUT, ParsedTrace
from tests.support import adversary
from tests.support.adversary import PYTHON

SHORT = Limits(wall_s=3, cpu_s=4, memory_mb=128, processes=32)
play = partial(adversary.play, limits=SHORT)
pytestmark = pytest.mark.skipif(
    bool(bwrap.missing() or watcher.check_requirements()),
    reason=bwrap.missing() or watcher.check_requirements(),
)


@pytest.fixture(scope="module")
def box() -> Iterator[Bwrap]:
    with Bwrap(Limits()) as opened:
        assert "events" in opened.capabilities
        yield opened


def test_a_folder_without_a_name_is_said_to_be_one(box):
    deep = "import os\nfor _ in range(30): os.mkdir('d' * 200); os.chdir('d' * 200)\nopen('x', 'w')"
    seen = box.run([PYTHON, "-c", deep])
    assert "a call was shown in part" in seen.lost
    assert "/.../x" in [e.target for e in seen.events]


def test_whoever_cannot_be_looked_into_is_seen(box):
    code = "import ctypes, os; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); os.unlink('main.py')"
    seen = box.run([PYTHON, "-c", code], files={"main.py": b""})
    assert ("delete", "/box/main.py") in [(e.kind, e.target) for e in seen.events]


def test_records_are_put_together_in_the_order_in_which_the_calls_began():
    trace = """5\texecve\tc/box\tp/bin/a\tw/bin/a\twb c\t=0
5\topenat\tc/box\tp/box/a\\011\\377\tmr
6\topenat\tc/box\tp/box/./b\tmrw\t=4\t>/box/b
5\tend\t5\t!ENOENT
7\texecve\tp/bin/b\twb
6\tend\t7\t=0
6\tconnect\tnsocket:[1]\ta127.0.0.1:80\taunix:@x\t!EINTR
6\tkilled\tsSIGSEGV
5\texited
0\tcut
5\tunlink\tp/box/brok"""
    story = ParsedTrace(trace)
    assert story.events == [
        Event("start", "/bin/a", "/bin/a b c"),
        Event("open", "/box/a\t\udcff", "r", -2, "ENOENT"),
        Event("open", "/box/b", "rw", 4),
        Event("exec", "/bin/b", "b"),
        Event("connect", "127.0.0.1:80", "", -4, "EINTR"),
        Event("connect", "unix:@x", "", -4, "EINTR"),
        Event("signal", "SIGSEGV"),
    ]
    assert (story.ended, story.signal) == (True, "")
    assert story.gaps(capped=False, whole=True) == (CUT,)
    none = ParsedTrace("5\texited\n")
    assert (none.started, none.events) == (False, [])


def read(*lines: str) -> ParsedTrace:
    """Of the trace of a program that began and then did this, each line without its process."""
    text = "5\texecve\tp/bin/a\t=0\n" + "".join(f"5\t{line}\n" for line in lines)
    return ParsedTrace(text)


def test_a_file_of_several_names_is_told_by_its_first_too():
    deeds = read(
        "link\tp/box/a\tp/box/b\t>/box/a\t>/w/b\ti1:7\t=0",
        "open\tp/box/b\tmw\t>/w/b\ti1:7\t=3",
        "link\tp/box/b\tp/box/c\t>/w/b\t>/box/c\ti1:7\t=0",
        "chmod\tp/box/c\ti1:7\t!EPERM",
        "link\tp/box/x\tp/box/y\ti1:8\t!EEXIST",
        "open\tp/box/z\tmr\ti1:8\t=3",
    )
    told = [e.target for e in deeds.events if e.kind in ("open", "write") and e.mode != "link"]
    assert told == ["/box/b", "/w/b", "/box/a", "/box/c", "/box/a", "/box/z"]


def test_no_story_takes_long_to_read():
    links = [f"symlink\ts/etc\tp/box/l{n}\t>/box/l{n}\t=0" for n in range(10_000)]
    moved = [f"rename\tp/box/l{n}\tp/box/m{n}\t>/box/l{n}\t>/box/m{n}\t=0" for n in range(10_000)]
    names = [f"link\tp/box/f\tp/box/n{n}\t>/box/f\t>/box/n{n}\ti1:9\t=0" for n in range(10_000)]
    deep = [f"mkdir\tp/box/{'d' * 100}{'/d' * n}\t=0" for n in range(300)]
    for lines in (deep, [*links, *moved], [*names, *moved]):
        spent_s = []
        for story in (lines[::8], lines):
            start = time.process_time()
            read(*story)
            spent_s.append(time.process_time() - start)
        part_s, whole_s = spent_s
        assert whole_s < 40 * part_s + 0.2  # 8 where it is linear, 64 where it is quadratic


def test_only_the_first_mark_counts():
    mark, noise, deed = "access\tp/kit-begin\t!ENOENT", "unlink\tpnoise\t=0", "unlink\tpdeed\t=0"
    assert [e.target for e in read(noise, mark, deed, mark).events] == ["/box/deed"]


def test_what_broke_off_is_said():
    assert read("unlink\tp/box/a").gaps(capped=False, whole=True) == (BROKEN_OFF,)
    assert read("exited").gaps(capped=False, whole=True) == ()
    assert read("exited").gaps(capped=True, whole=True) == (CAPPED,)


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
    files = dict.fromkeys(("1", "2"), adversary.compiled("exec_racer"))
    begin = "import os; os.chmod('1', 0o700); os.chmod('2', 0o700); os.execv('1', ['1'])"
    won = Counter()
    for _ in range(20):  # the exchanging process is not always scheduled beside the other
        seen = box.run([PYTHON, "-c", begin], files=files, limits=Limits(wall_s=20))
        began = Counter(seen.out.split())
        told = Counter(e.target for e in seen.events if e.kind == "exec" and not e.error)
        assert began["/box/1"] + began["/box/2"] == 60
        assert told["/box/1"] >= began["/box/1"]
        assert told["/box/2"] >= began["/box/2"]
        won += began
        if len(won) == 2:
            break
    assert won.keys() == {"/box/1", "/box/2"}


def test_refused_calls_are_told(box):
    seen = play(box, "climber")
    names = {e.target for e in seen.events if e.kind == "refused"}
    assert {"mount", "unshare", "setns", "ptrace", "bpf", "chroot"} <= names
    assert {e.error for e in seen.events if e.kind == "refused"} == {"EPERM"}


def test_a_call_whose_process_dies_in_it_is_told_as_an_attempt(box):
    code = """import subprocess
for _ in range(10): p = subprocess.Popen(["/bin/sleep", "5"]); p.kill(); p.wait()"""
    seen = box.run([PYTHON, "-c", code])
    assert len([e for e in seen.events if e.kind == "exec"]) == 10


def test_a_datagram_is_told_although_its_sender_is_killed_by_who_gets_it(box):
    code = """import os, signal, socket
for kind, place in ((socket.AF_INET, ("127.0.0.1", 7777)), (socket.AF_UNIX, "/box/there")):
    s = socket.socket(kind, socket.SOCK_DGRAM); s.bind(place)
    for _ in range(5):
        if not (pid := os.fork()):
            socket.socket(kind, socket.SOCK_DGRAM).sendto(b"x", place); signal.pause()
        s.recv(9); os.kill(pid, signal.SIGKILL); os.wait()"""
    seen = box.run([PYTHON, "-c", code])
    sent = Counter(e.target for e in seen.events if e.kind == "connect")
    assert sent == {"127.0.0.1:7777": 5, "unix:/box/there": 5}


LIBC = "import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)\n"


def test_a_child_without_a_tracer_is_refused_and_told(box):
    code = """if libc.syscall(56, 0x00800000 | 17, 0, 0, 0, 0) == 0: os.execv("/bin/true", ["x"])
print(ctypes.get_errno())"""
    seen = box.run([PYTHON, "-c", LIBC + code])
    assert seen.out == "1\n"
    assert ("refused", "clone", "EPERM") in [(e.kind, e.target, e.error) for e in seen.events]


def test_an_address_that_the_kernel_cuts_is_told(box):
    code = """import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
address = struct.pack("=H", 2) + struct.pack("!H", 9) + socket.inet_aton("127.0.0.1")
to = ctypes.create_string_buffer(address, 256)
part = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(to), 5))
one = struct.pack("QI4xQQQQi4x", ctypes.addressof(to), 200, ctypes.addressof(part), 1, 0, 0, 0)
print(libc.sendmsg(s.fileno(), one, 0))"""
    seen = box.run([PYTHON, "-c", LIBC + code])
    assert seen.out == "5\n"
    assert Event("connect", "127.0.0.1:9", "", 5) in seen.events


def test_memory_of_others_and_what_tells_of_its_own_reading_cannot_be_opened(box):
    code = """import os
held = os.open("/proc/1/mem", os.O_PATH)
for path in ("/proc/self/mem", "/proc/1/mem", "/proc/self/pagemap", f"/proc/self/fd/{held}"):
    try: open(path, "rb"); print("opened")
    except OSError as error: print(error.errno)"""
    seen = box.run([PYTHON, "-c", code])
    assert seen.out.split() == ["13", "13", "13", "13"]
    assert Event("open", "/proc/1/mem", "r", -13, "EACCES") in seen.events


@pytest.mark.parametrize("observe", [True, False])
def test_nobody_lets_others_on_the_machine_go_first(box, observe):
    seen = play(box, "low_priority", observe=observe)
    assert (seen.out, seen.err) == ("as before\n", "")


@pytest.mark.parametrize("observe", [True, False])
def test_landlock_and_what_connects_unseen_are_lacking(box, observe):
    code = """def tried(deed):
    try: return deed()
    except OSError as error: return error.errno
import fcntl, socket
print([libc.syscall(n, 0, 0, 1) < 0 and ctypes.get_errno() for n in (444, 445, 446)])
refused = (2, 1, 132), (10, 5, 0), (2, 5, 132), (2, 6, 33), (2, 2, 136)
for given in (*refused, (2, 1, 0), (2, 2, 17)):
    print(type(tried(lambda: socket.socket(*given))) is int and "refused", end=" ")
print(tried(lambda: fcntl.fcntl(0, 1040, 0)), tried(lambda: fcntl.fcntl(0, 1024, 2)))"""
    seen = box.run([PYTHON, "-c", LIBC + code], observe=observe)
    assert seen.out.splitlines() == [
        "[38, 38, 38]",
        "refused " * 5 + "False False 22 22",
    ], seen.err


def test_a_program_that_is_only_checked_is_none_that_starts(box):
    """execveat with AT_EXECVE_CHECK; a kernel that does not know it refuses it."""
    code = """words = (ctypes.c_char_p * 2)(b"sh", None)
libc.syscall(322, -100, b"/bin/sh", words, None, 0x10000)
libc.syscall(322, -100, b"/bin/none", words, None, 0)"""
    seen = box.run([PYTHON, "-c", LIBC + code])
    assert [e.target for e in seen.events if e.kind == "exec"] == ["/bin/none"]


WORLD = """import os, socket, subprocess, sys, threading
os.makedirs("/tmp/w/d"); os.makedirs("up/x (deleted)"); os.symlink("/tmp/w", "cur")
os.symlink("../cur", "up/cur"); os.symlink("f", "/tmp/w/l"); os.symlink("none", "up/cur/dangling")
open("/tmp/w/f", "w").close(); open("kept", "w").close(); open("/tmp/w/old", "w").close()
with open("s", "w") as file: file.write("#!/bin/sh\\ntrue\\n")
os.chmod("s", 0o755); os.access("/kit-begin", 0)
def bound(name): socket.socket(1).bind(name)
def fails(name): subprocess.run([name], check=False)
"""
FILES = Path(__file__).parents[1] / "files"
# What is done, and what has to be told of it by its real place.
ELSEWHERE = json.loads(
    Path(__file__).parents[1].joinpath("files", "deeds_elsewhere.json").read_text()
)


@pytest.mark.parametrize("deed", ELSEWHERE)
def test_each_deed_is_told_by_where_it_was_done(box, deed):
    seen = box.run([PYTHON, "-c", f"{WORLD}try:\n  exec({deed!r})\nexcept OSError: pass"])
    told = [f"{e.kind} {e.mode} {e.target}" for e in seen.events]
    assert (ELSEWHERE[deed] in told, seen.lost, seen.err) == (True, (), ""), told


HONEST = {  # each change is told once
    "os.makedirs('a/b', exist_ok=True); open('a/b/c', 'w').close(); os.rename('a/b/c', 'a/c')": [
        "/box/a",
        "/box/a/b",
        "/box/a/b/c",
        "/box/a/b/c",
        "/box/a/c",
    ],
    "os.mkdir('/tmp/t'); os.chdir('/tmp/t'); open('x', 'w').close(); import shutil;"
    "shutil.rmtree('/tmp/t')": ["/tmp/t", "/tmp/t/x", "/tmp/t/x", "/tmp/t"],
    "import pathlib; pathlib.Path('q').touch(); pathlib.Path('q').replace('./r')": [
        "/box/q",
        "/box/q",
        "/box/q",
        "/box/r",
    ],
}


@pytest.mark.parametrize("deed", HONEST)
def test_without_links_no_path_is_told_twice(box, deed):
    seen = box.run([PYTHON, "-c", f"import os; os.access('/kit-begin', 0); {deed}"])
    kinds = ("write", "delete", "rename")
    changed = [e.target for e in seen.events if e.kind in kinds or "w" in e.mode]
    assert (changed, seen.lost) == (HONEST[deed], ())


def test_programs_of_the_system_are_told_as_asked_for(box):
    code = "import subprocess; subprocess.run(['sh', '-c', '/bin/true; exec python3 -V'])"
    seen = box.run([PYTHON, "-c", code])
    assert {e.target for e in seen.events if e.kind == "exec" and not e.error} == {
        "/bin/true",
        "/usr/bin/sh",
        "/usr/bin/python3",
    }


def test_a_link_to_proc_leaves_no_open_to_the_kernel(box):
    """Through a descriptor that another thread exchanges: what was opened is what is told."""
    code = """import os, threading
os.symlink("proc", "/box/x"); os.mkdir("a"); os.mkdir("b")
for d in "ab": open(d + "/name", "w").write(d)
a, b, at = os.open("a", 0), os.open("b", 0), os.open("a", 0)
def change():
    while not done: os.dup2(b, at), os.dup2(a, at)
done = []; thread = threading.Thread(target=change); thread.start()
print("".join(open(f"/proc/self/fd/{at}/name").read() for _ in range(300))); done.append(1)"""
    seen = box.run([PYTHON, "-c", code])
    told = Counter(e.target for e in seen.events if e.kind == "open" and e.mode == "r")
    assert told["/box/a/name"] == seen.out.count("a")
    assert told["/box/b/name"] == seen.out.count("b")


# A program sees no difference

PATHS = """import os
open("f", "w").write("x"); os.mkdir("d"); open("d/g", "w").write("y"); os.symlink("f", "s")
held = os.open("f", os.O_PATH); print(os.fstat(held).st_size)
os.chmod("f", 0o600, follow_symlinks=False); print(oct(os.stat("f").st_mode))
d = os.open("d", os.O_PATH | os.O_DIRECTORY); g = os.open("g", os.O_NOFOLLOW, dir_fd=d)
print(os.read(g, 9), open(f"/proc/self/fd/{d}/g").read(), open(f"/dev/fd/{g}").read())
print(open("/proc/self/cwd/s").read(), open("/proc/thread-self/root/box/f").read())
os.mkdir(f"/proc/self/fd/{d}/m"), os.rename(f"/dev/fd/{d}/m", "/proc/self/cwd/n"), os.rmdir("n/")
os.symlink("/proc/self", "me"); print(open("me/comm").read(), os.listdir("me/task/") != [])
for path in ("me/fd/99", "me/none", "/proc/x/y", "s/", "me/comm/", "/proc/self/fd/../comm", "me"):
    try: print(open(path).read())
    except OSError as error: print(path, error.errno)"""
FIFOS = """import os, signal, threading
os.mkfifo("p"); open("f", "w").write("x"); os.symlink("new", "s"); open("s", "w").write("y")
thread = threading.Thread(target=lambda: open("p", "w").write("hello")); thread.start()
print(open("p").read(), open("f").read(), open("new").read(), os.O_NONBLOCK); thread.join()
def rings(*_): raise TimeoutError
signal.signal(signal.SIGALRM, rings)
for ways in (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY | os.O_NONBLOCK, os.O_RDWR):
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try: os.open("p", ways); print("opened")
    except OSError as error: print(error)
    signal.setitimer(signal.ITIMER_REAL, 0)"""
CONNECTS = """import os, signal, socket, struct, threading, time
server = socket.create_server(("127.0.0.1", 0), backlog=0); there = server.getsockname()
def rings(*_): raise TimeoutError("rings")
signal.signal(signal.SIGALRM, rings)
held = [socket.create_connection(there)]; signal.setitimer(signal.ITIMER_REAL, 0.3)
try:
    for _ in range(9): held.append(socket.socket()); held[-1].connect(there)
except TimeoutError as error: print(error, len(held))
held.append(socket.socket()); held[-1].setblocking(False); print(held[-1].connect_ex(there))
late = socket.socket()
threading.Timer(0.3, lambda: [server.accept() for _ in held]).start()
print(late.connect_ex(there), late.connect_ex(there), late.getpeername() == there, late.send(b"x"))
print(socket.socket().connect_ex(("127.0.0.1", 1)), late.fileno() > 0)
server = socket.socket(socket.AF_UNIX); server.bind("u"); server.listen(); one = socket.socket(1)
one.connect("u"); pid = server.accept()[0].getsockopt(1, socket.SO_PEERCRED, 12)
print(struct.unpack("iII", pid)[0] == os.getpid())"""
MEETS = {"paths": PATHS, "fifos": FIFOS, "connects": CONNECTS}


def test_a_program_with_threads_is_no_other_and_leaves_nothing_open(box):
    seen, alone = (play(box, "threads", observe=o) for o in (True, False))
    assert (seen.out, seen.err) == (alone.out, alone.err)
    assert (seen.status, seen.lost) == (Status.COMPLETED, ())
    assert not [e for e in seen.events if e.has_unknown_result]


def test_a_connect_that_waits_until_the_end_is_told(box):
    code = """import os, socket, threading, time
server = socket.create_server(("127.0.0.1", 8888), backlog=0)
dial = lambda: socket.socket().connect(("127.0.0.1", 8888))
for _ in range(4): threading.Thread(target=dial).start()
time.sleep(0.5); os._exit(0)"""
    seen = box.run([PYTHON, "-c", code], limits=SHORT)
    errors = [e.error for e in seen.events if e.kind == "connect" and e.target == "127.0.0.1:8888"]
    assert len(errors) == 4
    assert "UNKNOWN" in errors


@pytest.mark.slow
def test_a_program_that_is_in_its_own_way_has_not_waited(box):
    """What it and its watcher took is no loss, although one of its processes could always run."""
    code = """import os
if not os.fork():
    while True: pass
while True:
    try: open("none")
    except OSError: pass"""
    box.run(["/bin/true"])
    stat = Path(f"/proc/{box._workers[0].launchers[True].process.pid}/stat")
    taken = lambda: sum(map(int, stat.read_text().rpartition(")")[2].split()[13:15]))  # noqa: E731
    before = taken()
    seen = box.run([PYTHON, "-c", code], limits=Limits(wall_s=1.5, cpu_s=9))
    watched = (taken() - before) / os.sysconf("SC_CLK_TCK")
    assert seen.status is Status.TIMEOUT
    assert watched > 0.05
    assert seen.cpu_s + watched + seen.waited_s < seen.wall_s + 0.1


@pytest.mark.slow
def test_no_arguments_harm_the_watcher(box):
    """25,000 calls; the program prints the seed by which it chose them."""
    seen = play(box, "any_call", limits=Limits(wall_s=60, cpu_s=60))
    assert (seen.status, seen.exit_code) == (Status.COMPLETED, 0), (seen.out, seen.note)


# No watcher, no run


def children(pid: int) -> list[int]:
    return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))


def test_when_the_watcher_dies_so_does_the_box(box):
    """The first run is broken off and tried again, whole."""
    box.run(["/bin/true"])
    launcher = box._workers[0].launchers[True]
    before = set(children(launcher.process.pid))
    token = f"import time; time.sleep(.5); print({secrets.randbelow(10**9)})"
    seen: list[Evidence] = []
    start = time.monotonic()
    run = threading.Thread(target=lambda: seen.append(box.run([PYTHON, "-c", token])))
    run.start()
    while not (new := set(children(launcher.process.pid)) - before):
        assert time.monotonic() - start < 5
    time.sleep(0.3)
    os.kill(new.pop(), signal.SIGKILL)
    run.join()
    assert seen[0].status is Status.COMPLETED
    assert time.monotonic() - start > 0.8
    assert box._workers[0].launchers[True] is not launcher


def test_no_program_runs_without_a_listener():
    """The shim starts nothing without a filter, or where no one holds its listener."""
    shim = f"/proc/self/fd/{watcher.load_programs().shim}"
    for code in (b"", syscalls.filter_program(notify=True)):
        told, filled = os.memfd_create("filter"), os.pipe()
        os.write(told, code)
        os.close(filled[1])
        pid = os.fork()
        if pid == 0:
            os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
            os.execv(shim, ["shim", str(told), str(filled[0]), "/bin/true"])
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 125
        os.close(told), os.close(filled[0])


# Which machines


@pytest.fixture(scope="module", params=["killable", "interruptible"])
def kernel(request: pytest.FixtureRequest, box: Bwrap) -> Iterator[Bwrap]:
    """A box as on this kernel; and as before 5.19, where a signal breaks off each wait."""
    if request.param == "killable":
        yield box
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watcher, "FLAGS", (*watcher.FLAGS, "-DKILLABLE=0"))
        watcher.load_programs.cache_clear()
        with Bwrap(Limits()) as opened:
            assert "events" in opened.capabilities
            yield opened
    watcher.load_programs.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize("way", ["restart", "interrupt"])
def test_signals_double_nothing_and_lose_nothing(kernel, way):
    """Each deed is answered as alone, done once, and told once."""
    seen = play(kernel, "signals", way, "1", limits=Limits(wall_s=20))
    assert seen.status is Status.COMPLETED, seen.note
    assert "wrong" not in seen.out
    loops, rings = map(int, seen.out.split())
    assert rings > 40  # fewer on a busy machine
    box = ("/box/d", "/box/f", "/box/g", "/box/s", "/bin/true", "127.0.0.1:7001")
    told = Counter(f"{e.kind} {e.mode} {e.error}".strip() for e in seen.events if e.target in box)
    once = (
        "write mkdir",
        "delete rmdir",
        "open w",
        "rename from",
        "rename to",
        "write symlink",
        "write chmod",
        "connect",
    )
    more = {"delete unlink": 2 * loops, "exec true": (loops + 63) // 64, "bind": 1}
    assert told == {**dict.fromkeys(once, loops), "open r": 2 * loops, **more}


@pytest.fixture(scope="module")
def unwatched(box: Bwrap) -> dict[str, Evidence]:
    lines = {name: [PYTHON, "-uc", code] for name, code in MEETS.items()}
    return {name: box.run(line, limits=SHORT, observe=False) for name, line in lines.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", MEETS)
def test_what_a_program_meets_is_what_it_meets_alone(kernel, unwatched, name):
    seen, alone = kernel.run([PYTHON, "-uc", MEETS[name]], limits=SHORT), unwatched[name]
    assert (seen.status, seen.out, seen.err) == (Status.COMPLETED, alone.out, alone.err)
    assert seen.out


def test_without_a_watcher_there_are_no_events_and_the_stamp_says_so(monkeypatch):
    monkeypatch.setattr(watcher, "KERNEL", (99, 0))
    watcher.load_programs.cache_clear()
    with Bwrap(Limits()) as opened:
        assert "events" not in opened.capabilities
        assert "no events" in opened.identity
        seen = opened.run([PYTHON, "-c", "import os; os.mkdir('d'); os.kill(os.getpid(), 9)"])
        assert "no events" in seen.isolation
        assert (seen.status, seen.signal, seen.events) == (Status.CRASHED, signal.SIGKILL, ())
    watcher.load_programs.cache_clear()


def test_programs_that_may_trace_each_other_are_watched_all_the_same():
    with Bwrap(Limits(ptrace=True)) as opened:
        seen = opened.run([PYTHON, "-c", "import os; os.mkdir('d')"])
    assert ("write", "/box/d") in [(e.kind, e.target) for e in seen.events]


def test_what_a_machine_lacks_is_said_with_the_mend():
    assert "Linux 5.14, this is 5.10.0-8-amd64" in watcher.check_requirements("5.10.0-8-amd64")
    assert "apt-get install gcc" in watcher.check_requirements(compiler="/no/cc")
    assert (
        watcher.check_requirements("5.14.0-427.el9") == watcher.check_requirements("6.18.5") == ""
    )


def test_a_source_that_does_not_compile_is_refused_with_what_was_said(monkeypatch):
    monkeypatch.setattr(watcher, "FLAGS", ("-no-such-flag",))
    with pytest.raises(KitError, match="no-such-flag"):
        watcher.load_programs.__wrapped__()


def test_every_call_that_is_watched_has_a_shape():
    shapes = {c.name: c.shape for c in syscalls.NOTIFIED if c.kind != "refused"}
    assert "-" not in shapes.values()
    assert all(name in syscalls.SHAPES for name in shapes)


def test_the_page_says_for_every_call_who_carries_it_out():
    page = (watcher.SOURCES.parents[1] / "docs" / "watched.md").read_text()
    rows = {
        "done": "by the watcher",
        "told": "recorded as an attempt",
        "passed": "only a mark",
        "refused": "by nobody",
    }
    for call in syscalls.NOTIFIED:
        (row,) = re.findall(
            rf"^\|(?:[^|\n]*,)? {call.name}(?:,[^|\n]*)? \|(.*)$", page, re.MULTILINE
        )
        assert rows[call.way] in row, call.name
    source = (watcher.SOURCES / "watch.c").read_text()
    kinds = ("write", "delete", "rename", "bind", "listen")
    done = [c.name for c in syscalls.NOTIFIED if c.way == "done" and c.kind in kinds]
    assert [name for name in done if f"SYS_{name}" not in source] == []
