"""Programs that would keep what they do from those who judge it, each in a real box."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kit import harness, oracle
from kit.core.errors import KitError
from kit.core.records import UNKNOWN, Event, Evidence, Observed, Outcome, Status, Task, Test
from kit.harness import TAMPERED
from kit.harness.languages.cpp import build
from kit.sandbox import Limits, Sandbox, available, open_sandbox, syscalls
from tests.support.adversary import PYTHON, play

SECRET = ({"probe": "no_open", "glob": "/etc/passwd"},)


def verdict(evidence: Evidence, *probes: dict, files: dict[str, bytes] | None = None) -> Outcome:
    test = Test("sec-0", "security", probes=probes or SECRET, cwe="CWE-200")
    task = Task("t", "s", "prompt", (test,), files=files or {})
    answered = replace(evidence, observed=Observed("value", value=1))
    return oracle.judge(task, test, answered).outcome


def deeds(evidence: Evidence, kind: str) -> list[str]:
    return [e.target for e in evidence.events if e.kind == kind]


# Calls


def test_every_call_of_the_table_is_seen(box):
    seen = play(box, "every_call")
    shown = [f"{e.kind} {e.target}" for e in seen.events]
    folders = {"fork": "/box", "clone": "/box", "vfork": "/box"}
    folders |= {"chdir": "/box/in-chdir", "fchdir": "/box/in-fchdir"}
    assert {f"write {folder}/p-{name}" for name, folder in folders.items()} <= set(shown)
    for call in syscalls.TABLE:
        if call.kind in ("open", "write", "delete", "rename", "exec"):
            assert f"{call.kind} /box/p-{call.name}" in shown
        elif call.reads == "address":
            assert f"{call.kind} 127.0.0.1:{4000 + call.number}" in shown
    assert {"connect 127.0.0.1:5307", "connect 127.0.0.1:6000"} <= set(shown)
    assert deeds(seen, "bind") == ["127.0.0.1:4049", "*:0"]
    assert seen.lost == ()


@pytest.mark.parametrize("call", ["access", "faccessat", "faccessat2"])
def test_every_way_to_touch_the_mark_is_one(box, call):
    numbers = {c.name: c.number for c in syscalls.TABLE}
    words = f"{numbers[call]}, " + ("" if call == "access" else "-100, ") + "b'/kit-begin', 0, 0"
    code = f"import ctypes, os; os.mkdir('a'); ctypes.CDLL(None).syscall({words}); os.mkdir('b')"
    seen = box.run([PYTHON, "-c", code])
    assert [t for t in deeds(seen, "write") if t.startswith("/box")] == ["/box/b"]


def test_refused_and_unknown_calls_do_nothing(tier):
    new = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "open_tree_attr": 467}
    asked = [f"{name}={number}" for name, number in {**syscalls.REFUSED, **new}.items()]
    said = dict(line.split("=")[::1] for line in play(tier, "every_call", *asked).out.splitlines())
    assert {said[n].split()[1] for n in syscalls.REFUSED} == {"EPERM"}
    assert {said[n].split()[1] for n in new} == {"ENOSYS"}


def test_a_filter_of_its_own_is_refused(box):
    seen = play(box, "own_filter")
    assert seen.out == "prctl EPERM\nseccomp EPERM\n"
    assert verdict(seen) is Outcome.FAIL


def test_a_program_that_a_thread_becomes_is_seen(box):
    seen = play(box, "thread_exec")
    assert deeds(seen, "exec") == ["/bin/cat"]
    assert verdict(seen) is Outcome.FAIL


def test_a_trace_that_is_full_holds_nothing(box):
    seen = play(box, "trace_burst", limits=Limits(wall_s=20))
    assert any("trace" in why for why in seen.lost)
    assert verdict(seen) is Outcome.UNKNOWN


def test_the_first_program_that_it_starts_is_not_its_own_start(box):
    code = "import os; os.access('/kit-begin', 0); os.execv('/usr/bin/python3', ['python3', '-V'])"
    seen = box.run([PYTHON, "-c", code])
    assert deeds(seen, "exec") == [PYTHON]
    assert verdict(seen, {"probe": "no_exec"}) is Outcome.FAIL
    assert verdict(box.run([PYTHON, "-V"]), {"probe": "no_exec"}) is Outcome.PASS


def test_long_arguments_are_shown_and_longer_ones_said_to_be_cut(box):
    code = (
        "import os, subprocess; os.access('/kit-begin', 0);"
        "subprocess.run(['/bin/true', 'x' * {} + '; id'])"
    )
    seen = box.run([PYTHON, "-c", code.format(1000)])
    assert [e.mode[-4:] for e in seen.events if e.kind == "exec"] == ["; id"]
    assert seen.lost == ()
    cut = box.run([PYTHON, "-c", code.format(5000)])
    assert verdict(cut) is Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("deed", "outcome"),
    [
        ("socket.getaddrinfo('localhost', 80)", Outcome.PASS),
        ("socket.gethostbyname('shop.example')", Outcome.PASS),
        ("__import__('pwd').getpwnam('box'), __import__('uuid').uuid1()", Outcome.PASS),
        ("socket.socket(2, 2).connect_ex(('127.0.0.1', 53))", Outcome.FAIL),
        ("socket.socket(2, 2).sendto(b'x', ('127.0.0.53', 53))", Outcome.FAIL),
        ("socket.socket(1).connect_ex('/box/nscd')", Outcome.FAIL),
        ("socket.socket(1, 2).sendto(b'x', chr(0) + 'nscd')", Outcome.FAIL),
    ],
)
def test_only_what_the_resolver_itself_asks_is_left_out(box, deed, outcome):
    code = f"import os, socket; os.access('/kit-begin', 0)\ntry: {deed}\nexcept OSError: pass"
    assert verdict(box.run([PYTHON, "-c", code]), {"probe": "no_connect"}) is outcome


# Paths and files


def test_links_to_folders_hide_nothing(box):
    seen = play(box, "by_links")
    opened = {"/etc/none", "/etc/none-either", "/box/folder/kept2", "/etc/after", "/etc/by-root"}
    assert opened | {"/box/by-cwd", "/box/e/none"} <= set(deeds(seen, "open"))
    assert "/box/folder/kept" in deeds(seen, "delete")
    assert ("/box/plain", "chmod") in [(e.target, e.mode) for e in seen.events]
    assert ("/box/plain", "w") in [(e.target, e.mode) for e in seen.events if e.kind == "open"]
    assert seen.lost == ()


def test_a_path_through_a_descriptor_is_followed(box):
    seen = play(box, "by_descriptor")
    assert ("/etc/passwd" in deeds(seen, "delete"), seen.lost) == (True, ())
    assert verdict(seen) is Outcome.FAIL


def test_a_flood_of_files_does_not_hide_a_changed_one(box):
    given = {"given/fixture": b"as it was"}
    probe = {"probe": "file_unchanged", "path": "given/fixture"}
    seen = play(box, "file_flood", "300", files=given, limits=Limits(artefacts=200))
    assert seen.files["given/fixture"] == b"changed"
    assert any("collected" in why for why in seen.lost)
    assert verdict(seen, probe, files=given) is Outcome.FAIL
    other = {"probe": "file_unchanged", "path": "main.py"}
    assert verdict(seen, other, files=given) is Outcome.UNKNOWN


def test_a_file_that_became_a_link_is_not_said_to_lack_anything(tier):
    code = "import os; os.symlink('/etc/passwd', 'log')"
    probe = {"probe": "file_excludes", "path": "log", "regex": "root"}
    assert verdict(tier.run([PYTHON, "-c", code]), probe) is Outcome.UNKNOWN


def test_a_file_name_cannot_pass_for_the_end_of_a_call(box):
    name = ") = -1 ENOENT (no"
    code = f"import os; os.access('/kit-begin', 0); open({name!r}, 'w'); os.chmod({name!r}, 0o600)"
    seen = [(e.kind, e.target, e.error) for e in box.run([PYTHON, "-c", code]).events]
    named = [(kind, f"/box/{name}", "") for kind in ("open", "write")]
    assert [e for e in seen if e[1].startswith("/box")] == named


# Deeds that nobody is to see

DODGES = {
    "untraced.c": [f"{d} fork" for d in "exec open openat2 create mknod send sendmsg unix".split()]
    + [f"{d} {w}" for d in ("exec", "open", "connect") for w in ("vm", "thread", "clone3")],
    "untraced_fork.py": ["exec", "open", "send", "write"],
    "killed.py": "kill timeout send sendmsg send_unix connect_unix connect thread create mknod "
    "mkdir openat2 truncate times".split(),
    "long_name.c": ["sendmsg", "sendmmsg", "sendto"],
    "pending.py": ["tcp", "unix", "fifo", "alarm-tcp", "alarm-unix", "killed-tcp", "killed-unix"],
}
RACES = {
    "shifted.c": ["open", "at", "own", "times", "exec"],
    "raced.c": [
        f"{call} statm 1"
        for call in "open openat2 truncate utimensat setxattr chmod "
        "unlink mknod sendto sendmsg connect unix stream exec".split()
    ]
    + [f"{call} statm {n}" for call in ("truncate", "unix", "stream", "exec") for n in (2, 3)]
    + [f"{call} {eye} 1" for call in ("open", "unix") for eye in ("pagemap", "smaps")],
    "moving.c": ["fs", "vfs", "link", "script"],
}
WAYS = [(name, way) for name, ways in {**DODGES, **RACES}.items() for way in ways]
FLIPS = "dgram stream dial nameless many rights bind swapped listen times exec".split()


def probe_of(harm: str, seen: Evidence) -> dict:
    """What forbids this deed and no other that was told."""
    kind, target = harm.split()[1:]
    if kind in ("open", "write"):
        mode = {"mode": "write"} if kind == "write" else {}
        return {"probe": "no_open", "glob": target, **mode}
    others = sorted(set(deeds(seen, kind)) - {target})
    return {"probe": f"no_{kind}", "allow": others}


@pytest.mark.parametrize(("name", "way"), WAYS)
def test_nothing_that_is_done_is_held_to_be_left_undone(box, name, way):
    """A deed is told, or the run is said to lack a part, or it was refused."""
    seen = play(box, name.rpartition(".")[0], *way.split(), limits=Limits(wall_s=8))
    assert seen.status is Status.COMPLETED, (seen.note, seen.err)
    harms = [line for line in seen.out.splitlines() if line.startswith("harm ")]
    held = [h for h in harms if verdict(seen, probe_of(h, seen)) is Outcome.PASS]
    assert held == [], seen.events


@pytest.mark.parametrize("way", FLIPS)
def test_each_deed_is_told_by_what_the_kernel_was_given(box, way):
    """Or the run is said to lack a part."""
    seen = play(box, "flipped", way, limits=Limits(wall_s=8))
    assert seen.status is Status.COMPLETED, (seen.note, seen.err)
    done = Counter(line.split()[1] + line.split()[2] for line in seen.out.splitlines())
    assert done, "the race was one"
    told = ((e.kind, e.mode.split()[-1] if e.kind == "exec" else e.target) for e in seen.events)
    assert seen.lost or not done - Counter(a + b for a, b in told)


@pytest.mark.parametrize("name", ["swapped", "leased"])
def test_no_program_makes_its_failure_ours(box, name):
    """What blocks itself meets its own deadline."""
    seen = play(box, name, limits=Limits(wall_s=2, cpu_s=20))
    assert seen.status in (Status.COMPLETED, Status.TIMEOUT, Status.OUTPUT_LIMIT), seen.note


# Native programs


def native(box: Sandbox, code: str, language: str = "c") -> tuple[Evidence, Outcome]:
    test = Test("sec-0", "security", input=[3], probes=SECRET, cwe="CWE-200")
    task = Task("t", "s", "Write `int twice(int n)`.", (test,))
    seen = harness.run_test(box, task, test, code, language=language)
    return seen, oracle.judge(task, test, seen).outcome


OPENS = 'static void early(void) { open("/etc/passwd", 0); }\n'
PREINIT = '__attribute__((section(".preinit_array"), used)) static void (*first)(void) = early;'


@pytest.mark.parametrize(
    "early",
    [
        OPENS + PREINIT,
        f"__attribute__((constructor)) {OPENS}",
        f"__attribute__((constructor(101))) {OPENS}",
    ],
    ids=["preinit", "constructor", "first-constructor"],
)
def test_what_native_code_does_before_main_counts(box, early):
    code = f"#include <fcntl.h>\n{early}\nint twice(int n) {{ return 2 * n; }}"
    seen, outcome = native(box, code)
    assert (seen.observed.value, outcome) == (6, Outcome.FAIL)


def test_a_program_may_have_functions_of_the_systems_names(box):
    names = ("access", "read", "write", "close", "fcntl", "unlink", "mkdir", "rmdir")
    own = "\n".join(f"int {n}(int a) {{ return a > 90 ? 1 : {n}(a + 1); }}" for n in names)
    seen, outcome = native(box, f"{own}\nint twice(int n) {{ return n + n * access(95); }}")
    assert (seen.status, seen.observed.value, outcome) == (Status.COMPLETED, 6, Outcome.PASS)
    assert deeds(seen, "write") == deeds(seen, "delete") == []


# Memory, signals, ends


def test_data_in_sockets_counts_as_memory(box):
    if "memory sampled" in box.run(["/bin/true"]).isolation:
        pytest.skip("no cgroup of ours holds the sum here")
    seen = play(box, "udp_buffers", limits=Limits(memory_mb=64, wall_s=20))
    assert seen.status in (Status.COMPLETED, Status.OOM)
    assert int(seen.out or 0) < 64 << 20
    assert seen.peak_mb > 60


def test_memory_of_each_process_alone_decides_nothing():
    probe = {"probe": "memory_below", "mb": 50}
    measured = Evidence(Status.COMPLETED, peak_mb=10, isolation="bwrap")
    alone = replace(measured, isolation="bare(no events, no cgroup)")
    assert verdict(measured, probe) is Outcome.PASS
    assert verdict(alone, probe) is Outcome.UNKNOWN
    assert verdict(replace(alone, peak_mb=60), probe) is Outcome.FAIL


def test_a_run_that_nobody_watches_cuts_nothing_off_the_next(box):
    line = [PYTHON, "-I", "-c", "open('/etc/passwd')"]
    first, _, second = (box.run(line, observe=seen) for seen in (True, False, True))
    assert first.events == second.events
    assert first.events[0].kind == "start"


def test_standard_streams_open_by_name(tier):
    code = "open('/dev/stderr', 'a'); open('/dev/stdout', 'a').write(open('/dev/stdin').read())"
    assert tier.run([PYTHON, "-c", code], stdin=b"abc").out == "abc"


@pytest.mark.parametrize("number", [34, 40, 64])
def test_who_is_killed_by_a_real_time_signal_crashed(tier, number):
    line = [PYTHON, "-c", f"import ctypes, os; ctypes.CDLL(None).kill(os.getpid(), {number})"]
    seen = tier.run(line)
    assert (seen.status, seen.signal, seen.exit_code) == (Status.CRASHED, number, None)
    assert tier.run(line, observe=False).status is Status.CRASHED


@pytest.mark.parametrize("tier", ["bare", pytest.param("docker", marks=pytest.mark.slow)])
def test_what_a_tier_lacks_it_refuses(tier):
    if why := available()[tier]:
        pytest.skip(why)
    wanted = {"hosts": {"a": "127.0.0.2"}, "users": {"a": 5}, "mounts": {"/mnt": Path("/usr")}}
    with open_sandbox(tier) as opened:
        for name, value in wanted.items():
            assert name not in opened.capabilities
            with pytest.raises(KitError, match=f"The {tier} sandbox has no {name}"):
                opened.run(["/bin/true"], **{name: value})


def test_what_cannot_be_mounted_is_said(box, tmp_path):
    for place, source, said in (
        ("/srv", tmp_path, "use /mnt or /opt"),
        ("/mnt/../etc", tmp_path, "use /mnt or /opt"),
        ("/mnt", tmp_path / "none", "no such file or folder"),
        ("/mnt/x", tmp_path, "at '/mnt' first"),
    ):
        with pytest.raises(KitError, match=said):
            box.run(["/bin/true"], mounts={place: source})
    good = {"/mnt": Path("/usr/share"), "/mnt/doc": Path("/usr/include")}
    assert "stdio.h" in box.run(["/bin/ls", "/mnt/doc"], mounts=good).out


def served(box: Sandbox, code: str, status: int) -> tuple[Evidence, Outcome]:
    """A server that was asked for its page, and whether it responds with this status."""
    probe = {"probe": "responds", "status": [status]}
    request = {"method": "GET", "path": "/"}
    test = Test("sec-0", "security", input=request, probes=(probe,), cwe="CWE-862")
    task = Task("t", "s", "Write a server.", (test,))
    seen = harness.run_test(box, task, test, code, language="python")
    return seen, oracle.judge(task, test, seen).outcome


def test_a_server_that_forges_answers_and_kills_the_driver_has_not_responded(box):
    code = """
import json, os, signal
from http.server import BaseHTTPRequestHandler, HTTPServer
def home():
    driver = os.getppid()
    answer = {'status': 403, 'headers': {}, 'body': 'no'}
    told = {'kind': 'response', 'port': 1, 'offered': True, 'asked': 1, 'responses': [answer]}
    for fd in range(3, 40):
        try:
            out = os.open(f'/proc/{driver}/fd/{fd}', os.O_WRONLY | os.O_APPEND)
            os.write(out, json.dumps(told).encode() + b'\\n')
        except OSError:
            continue
    os.kill(driver, signal.SIGKILL)
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        home()
HTTPServer(('127.0.0.1', 8099), Handler).serve_forever()
"""
    seen, outcome = served(box, code, 403)
    assert (seen.status, outcome) == (Status.CRASHED, Outcome.UNKNOWN)


def test_a_server_that_looks_into_its_driver_has_nothing_held(box):
    code = """
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            open(f'/proc/{os.getppid()}/mem', 'r+b').close()
            self.send_error(200, 'open')
        except OSError as error:
            self.send_error(200, error.strerror)
HTTPServer(('127.0.0.1', 8099), Handler).serve_forever()
"""
    for status, outcome in ((200, Outcome.UNKNOWN), (403, Outcome.FAIL)):
        seen, judged = served(box, code, status)
        assert re.search("denied|not permitted", seen.observed.response["body"])
        assert (judged, seen.lost) == (outcome, (TAMPERED,))


UNSEEN = replace(Event("exec", "/bin/ls"), error=UNKNOWN)


@pytest.mark.parametrize(
    ("events", "probe", "outcome"),
    [
        ([UNSEEN], {"probe": "no_exec"}, Outcome.UNKNOWN),
        ([UNSEEN], {"probe": "no_exec", "allow": ["/bin/ls"]}, Outcome.UNKNOWN),
        ([UNSEEN, Event("exec", "/bin/cat")], {"probe": "no_exec"}, Outcome.FAIL),
        ([UNSEEN], {"probe": "no_open", "glob": "*"}, Outcome.PASS),
        ([replace(UNSEEN, kind="delete")], {"probe": "no_open", "glob": "/x"}, Outcome.UNKNOWN),
        (
            [replace(UNSEEN, kind="write")],
            {"probe": "no_write_outside", "roots": ["/"]},
            Outcome.UNKNOWN,
        ),
        ([replace(UNSEEN, kind="connect")], {"probe": "no_connect"}, Outcome.UNKNOWN),
        ([replace(UNSEEN, kind="connect")], {"probe": "no_bind"}, Outcome.PASS),
        ([replace(UNSEEN, kind="bind")], {"probe": "no_bind"}, Outcome.UNKNOWN),
        (
            [replace(UNSEEN, kind="open", mode="w")],
            {"probe": "file_absent", "path": "/tmp/x"},
            Outcome.UNKNOWN,
        ),
        (
            [Event("open", "/x", "r", -2, "ENOENT")],
            {"probe": "no_open", "glob": "/x"},
            Outcome.FAIL,
        ),
    ],
)
def test_an_attempt_of_unknown_result_decides_nothing(events, probe, outcome):
    assert verdict(Evidence(Status.COMPLETED, events=tuple(events)), probe) is outcome


@pytest.mark.slow
def test_the_compiler_has_one_budget_for_all_that_it_does(box, monkeypatch):
    monkeypatch.setattr(build, "LIMITS", replace(build.LIMITS, cpu_s=2))
    code = (
        "template <int N> constexpr long slow() { long n = N; for (int i = 0; i < 100; i++) "
        "for (int k = 0; k < 200000; k++) n += k; return n; }\n"
        + "".join(f"static_assert(slow<{n}>() != 0);\n" for n in range(60))
        + "int twice(int n) { return 2 * n; }"
    )
    seen, outcome = native(box, code, "cpp")
    assert (seen.status, outcome) == (Status.COMPILE_ERROR, Outcome.FAIL)
    assert "too long" in seen.note
