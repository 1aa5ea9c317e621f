"""What every tier promises, each promise against the program that tries to break it."""

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.core.records import Evidence, Status, evidence_from, to_json
from kit.sandbox import Limits, Sandbox, cgroups, open_sandbox
from tests.support import adversary
from tests.support.adversary import ADVERSARIES, PYTHON
from tests.support.tables import read_table

SHORT = Limits(wall_s=2, cpu_s=4, memory_mb=128, processes=32)
play = partial(adversary.play, limits=SHORT)


@pytest.fixture
def box(tier: Sandbox) -> Sandbox:
    return tier


def python(box: Sandbox, code: str, **options: object) -> Evidence:
    return adversary.run(box, [PYTHON, "-c", code], **options)


def processes_with(token: str) -> list[str]:
    """Processes of this machine whose command line has `token`."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if token in line:
                found.append(line)
    return found


# The contract


def test_files_stdin_arguments_and_environment_arrive(box):
    code = (
        "import os, sys; "
        "print(open('a/b.txt').read(), sys.stdin.read(), sys.argv[1], os.environ['X'])"
    )
    seen = box.run(
        [PYTHON, "-c", code, "arg"], files={"a/b.txt": b"file"}, stdin=b"in", env={"X": "env"}
    )
    assert (seen.status, seen.exit_code, seen.out) == (Status.COMPLETED, 0, "file in arg env\n")


def test_what_is_written_or_changed_comes_back_and_nothing_else(box):
    code = (
        "import os; os.mkdir('d'); open('d/new','w').write('n'); open('old','w').write('changed');"
        "os.chmod('d/new', 0o600); os.remove('gone'); open('same').read()"
    )
    given = {"old": b"o", "same": b"s", "gone": b"g"}
    seen = python(box, code, files=given)
    assert seen.files == {"d/new": b"n", "old": b"changed"}
    assert seen.modes["d/new"] == 0o600
    assert seen.skipped == {"gone": "deleted by the program"}


def test_the_channel_is_not_the_output(box):
    code = (
        "import os; w=os.environ['KIT_CHANNEL']; f=open(int(w) if w.isdigit() else w,'ab');"
        "f.write(b'answer'); f.close(); print('said')"
    )
    seen = python(box, code)
    assert (seen.channel, seen.out) == (b"answer", "said\n")


def test_every_run_starts_from_nothing(box):
    code = (
        "import os; print(sorted(os.listdir('/box') + os.listdir('/tmp')));"
        "open('/tmp/x', 'w'); open('x', 'w')"
    )
    assert python(box, code).out == python(box, code).out == "[]\n"


def test_exit_code_and_signal_are_told_apart(box):
    assert python(box, "raise SystemExit(3)").exit_code == 3
    seen = python(box, "import os; os.kill(os.getpid(), 11)")
    assert (seen.status, seen.exit_code, seen.signal) == (Status.CRASHED, None, signal.SIGSEGV)
    forged = python(box, "raise SystemExit(139)")
    assert (forged.status, forged.exit_code, forged.signal) == (Status.COMPLETED, 139, None)


def test_processor_time_is_limited_too(box):
    seen = python(box, "while True: pass", limits=Limits(wall_s=20, cpu_s=1))
    assert (seen.status, seen.signal) == (Status.TIMEOUT, signal.SIGXCPU)


def test_a_missing_program_is_our_failure_not_the_candidates(box):
    seen = box.run(["/usr/bin/no-such-program"])
    assert seen.status == Status.INFRA_ERROR
    assert "no-such-program" in seen.note


def test_an_input_outside_the_working_folder_is_refused(box):
    for path in ("../x", "/etc/x", "", "a/../../x"):
        with pytest.raises(KitError, match="working folder"):
            box.run([PYTHON, "-V"], files={path: b""})


def test_two_boxes_at_once_do_not_meet(box):
    code = (
        "import sys, time; open('me', 'w').write(sys.argv[1]); time.sleep(.2);"
        "print(open('me').read())"
    )
    with ThreadPoolExecutor(2) as pool:
        seen = pool.map(lambda n: box.run([PYTHON, "-c", code, str(n)]).out, range(4))
    assert list(seen) == [f"{n}\n" for n in range(4)]


def test_a_large_input_and_output_pass(box):
    data = bytes(range(256)) * 2048
    seen = box.run(["/bin/cat"], stdin=data, limits=Limits(output_kb=600))
    assert seen.stdout == data


def test_measures_are_those_of_the_run(box):
    seen = python(box, "x = bytearray(100 << 20); import time; time.sleep(.3)")
    assert 100 < seen.peak_mb < 140
    assert seen.wall_s > 0.3 > seen.cpu_s * 0.5


def test_identity_is_that_of_the_machine(box):
    with open_sandbox(box.name) as again:
        assert again.identity == box.identity
    assert box.name in box.identity or "bubblewrap" in box.identity


# Events


@pytest.fixture
def watched(box: Sandbox) -> Sandbox:
    if "events" not in box.capabilities:
        pytest.skip("nobody sees events here, as the stamp says")
    return box


def test_a_tier_without_events_says_so(box):
    assert ("no events" in python(box, "").isolation) is ("events" not in box.capabilities)


def test_events_name_absolute_paths_whatever_the_folder(watched):
    code = """
import os, threading
os.access('/kit-begin', 0)
os.mkdir('sub'); os.chdir('sub')
open('../up.txt', 'w').close()
os.rename('../up.txt', 'down.txt')
try: open('../../etc/./passwd-none')
except OSError: pass
t = threading.Thread(target=os.mkdir, args=('by-thread',)); t.start(); t.join()
if os.fork() == 0:
    os.chdir('/tmp'); os.mkdir('by-child'); os._exit(0)
os.wait()
os.rmdir('by-thread')
fd = os.open('/tmp', os.O_RDONLY); os.mkdir('by-fd', dir_fd=fd); os.unlink('down.txt')
"""
    seen = [[e.kind, e.target, e.mode, e.error] for e in python(watched, code).events]
    for wanted in read_table("sandbox", "seen"):
        assert wanted in seen
    assert seen[0] == ["write", "/box/sub", "mkdir", ""]


def test_a_link_shows_where_it_led(watched):
    code = "import os; os.symlink('/etc/passwd','l'); os.access('/kit-begin',0); open('l').read()"
    opened = [e.target for e in python(watched, code).events if e.kind == "open"]
    assert opened == ["/box/l", "/etc/passwd"]


def test_without_the_mark_events_begin_with_the_program(watched):
    events = python(watched, "import os; os.open('/nowhere', 0)").events
    assert (events[0].kind, events[0].target) == ("start", PYTHON)
    assert [e.error for e in events if e.target == "/nowhere"] == ["ENOENT"]


def test_connects_binds_and_execs_are_seen(watched):
    code = """
import os, socket, subprocess
os.access('/kit-begin', 0)
s = socket.create_server(('127.0.0.1', 8099))
socket.create_connection(('127.0.0.1', 8099)).close()
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect_ex(('10.0.0.1', 53))
subprocess.run(['/bin/echo', 'a b'])
"""
    seen = [(e.kind, e.target, e.mode, e.error) for e in python(watched, code).events]
    assert ("bind", "127.0.0.1:8099", "", "") in seen
    assert ("connect", "127.0.0.1:8099", "", "") in seen
    assert ("connect", "10.0.0.1:53", "", "ENETUNREACH") in seen
    assert ("exec", "/bin/echo", "/bin/echo a b", "") in seen


def test_unobserved_runs_have_no_events(box):
    seen = box.run([PYTHON, "-c", "print(1)"], observe=False)
    assert (seen.events, seen.out) == ((), "1\n")
    killed = box.run([PYTHON, "-c", "import os; os.kill(os.getpid(), 9)"], observe=False)
    assert (killed.status, killed.signal) == (Status.CRASHED, signal.SIGKILL)


# Time, output, memory, disk


def test_a_fork_bomb_ends_and_leaves_room_for_the_next(box):
    seen = play(box, "fork_bomb", limits=replace(SHORT, wall_s=1))
    assert seen.status in (Status.TIMEOUT, Status.OUTPUT_LIMIT, Status.OOM)
    assert python(box, "print('next')").out == "next\n"


@pytest.mark.parametrize("name", ["output_flood", "error_flood", "channel_flood"])
def test_a_flood_is_cut_and_said_to_be(box, name):
    seen = play(box, name, limits=Limits(wall_s=5, output_kb=256, channel_kb=256))
    assert seen.status == Status.OUTPUT_LIMIT
    assert seen.truncated
    assert max(len(seen.stdout), len(seen.stderr), len(seen.channel)) == 256 << 10


def test_who_ignores_signals_ends_at_the_deadline(box):
    assert play(box, "stubborn", limits=Limits(wall_s=1)).status == Status.TIMEOUT


@pytest.mark.parametrize("name", ["memory_bomb", "memory_family", "memory_elsewhere"])
def test_memory_is_held_wherever_it_is_taken(box, name):
    seen = play(box, name, limits=Limits(wall_s=5, memory_mb=128))
    assert seen.status == Status.OOM
    assert seen.peak_mb < 140 or "memory sampled" in seen.isolation
    assert b"took" not in seen.stdout


def test_the_disk_is_small_everywhere(box):
    seen = play(box, "disk_bomb", limits=Limits(disk_mb=16, memory_mb=256))
    assert 16 <= int(seen.out) <= 16 + 32 + 16


def test_a_file_has_a_largest_size(box):
    assert play(box, "big_file", limits=Limits(file_mb=4)).out == "4 27\n"  # EFBIG


def test_a_sparse_file_costs_nothing(box):
    seen = play(box, "sparse")
    assert "tib 27" in seen.out
    assert seen.files["tib"] == b""
    assert sorted(seen.skipped) == ["hole"] or sorted(seen.skipped) == ["hole2"]


def test_a_daemon_dies_with_the_run(box):
    token = f"100{secrets.randbelow(10**9)}"
    seen = play(box, "daemon", token, limits=Limits(wall_s=8))
    assert (seen.status, seen.out) == (Status.COMPLETED, "gone\n")
    assert processes_with(token) == []


# Secrets, files, network


def test_the_environment_of_the_host_stays_outside(box, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-in-the-environment")
    seen = play(box, "snoop")
    assert "canary" not in seen.out + seen.err
    names = set(re.findall(r"'([A-Z_]+)': '", seen.out.splitlines()[0]))
    allowed = {"PATH", "HOME", "TMPDIR", "LANG", "PWD", "KIT_CHANNEL", "PYTHONHASHSEED"}
    assert names <= allowed | {"PYTHONDONTWRITEBYTECODE"}


def test_files_of_the_host_cannot_be_read(box, tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("canary of the host")
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.getuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    canary.chmod(0o644)
    host = Path("/etc/hostname").read_text().strip()
    seen = play(box, "reader", str(canary))
    assert "canary" not in seen.out
    assert host not in seen.out
    assert seen.exit_code == 0


def test_nothing_of_the_host_or_the_kernel_can_be_written(box):
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    seen = play(box, "writer")
    assert (seen.exit_code, seen.out) == (0, "")
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


def test_only_its_own_loopback_can_be_reached(box):
    name = f"kit-{secrets.token_hex(8)}"
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
    ):
        abstract.bind("\0" + name)
        abstract.listen()
        server.settimeout(0.1)
        seen = play(box, "caller", str(server.getsockname()[1]), name, limits=Limits(wall_s=10))
        with pytest.raises(TimeoutError):
            server.accept()
    said = dict(line.split(" ", 1) for line in seen.out.splitlines())
    assert said.pop("loopback") == "hello"
    assert len(said) == 11
    assert all(answer.startswith("refused") for answer in said.values()), said


# Privileges and other processes


def test_no_call_raises_privileges(box):
    seen = play(box, "climber")
    assert seen.out == "done\n"


def test_killing_everything_kills_only_itself(box):
    seen = play(box, "killer")
    assert seen.status in (Status.CRASHED, Status.COMPLETED)
    assert seen.status != Status.COMPLETED or seen.exit_code != 0
    assert python(box, "print('next')").out == "next\n"


# Artefacts


def test_links_pipes_and_devices_are_not_collected(box):
    seen = play(box, "linker")
    assert seen.files == {"honest": b"kept"}
    whys = {"symbolic link": 4, "FIFO": 1, "hard link": 2, "socket": 1}
    counted = list(seen.skipped.values())
    assert {why: counted.count(why) for why in whys} == whys


def test_inputs_replaced_by_links_are_not_followed(box):
    files = {"main.py": (ADVERSARIES / "linker_of_inputs.py").read_bytes(), "given/data.txt": b"x"}
    seen = box.run([PYTHON, "main.py"], files=files)
    assert seen.files == {}
    assert seen.skipped["main.py"] == "symbolic link"
    assert seen.skipped["given/data.txt"] == "deleted by the program"


def test_a_deep_tree_and_closed_folders_do_not_stop_the_next_run(box):
    seen = play(box, "deep_tree", limits=Limits(wall_s=8))
    assert seen.exit_code == 0
    deep = "/".join("d" * 20)
    seen = python(box, f"import os; os.makedirs('{deep}'); open('{deep}/x', 'w').write('x')")
    assert seen.lost
    assert python(box, "import os; print(os.listdir('.'))").out == "[]\n"


def test_ten_thousand_files_are_counted_and_cut(box):
    seen = play(box, "many_files", limits=Limits(wall_s=15, artefacts=500))
    assert len(seen.files) == 500
    assert len(seen.skipped) < 500
    assert "..." in seen.skipped


def test_names_that_are_no_text_survive_json(box):
    seen = play(box, "bad_names")
    assert {"new\nline", "\udcff\udcfe", "..%2f..%2fetc", "é\u202e"} <= set(seen.files)
    assert evidence_from(json.loads(json.dumps(to_json(seen)))) == seen


def test_what_was_given_keeps_its_name(box):
    given = {"café 100%.txt": b"a", "naïve/same": b"b"}
    seen = python(box, "open('café 100%.txt', 'w').write('new'); open('é', 'w')", files=given)
    assert seen.files == {"café 100%.txt": b"new", "é": b""}
    assert seen.skipped == {}


def test_output_that_is_no_text_is_kept_as_bytes(box):
    seen = play(box, "bad_bytes")
    assert seen.stdout.startswith(b"\xff\xfe\x00\x1b[31m")
    assert seen.stderr == bytes(range(256))
    assert isinstance(seen.out, str)
    assert play(box, "nested").stdout == b"[" * 200_000 + b"\n"


# The verdict


def test_prints_do_not_reach_the_channel(box):
    seen = play(box, "verdict_forger")
    assert (seen.channel, seen.status, seen.exit_code) == (b"", Status.COMPLETED, 0)
    assert seen.observed.kind == "nothing"


def test_an_exit_code_is_not_what_the_program_writes(box):
    assert play(box, "descriptor_sprayer").exit_code == 7


def test_a_flooded_trace_is_bounded_and_the_run_says_so(watched):
    seen = play(watched, "trace_flood", limits=Limits(wall_s=4))
    assert seen.status in (Status.OUTPUT_LIMIT, Status.TIMEOUT)
    assert 1000 < len(seen.events) < 50_000
    assert python(watched, "print('next')").out == "next\n"


# The kit itself


def test_a_killed_kit_leaves_nothing_behind(box):
    tier = box.name
    token = f"200{secrets.randbelow(10**9)}"
    code = (
        f"import threading, time; from kit.sandbox import open_sandbox; b = open_sandbox({tier!r});"
        f"threading.Thread(target=lambda: b.run(['/usr/bin/sleep', '{token}'])).start();"
        "time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as kit:
        until = time.monotonic() + 60
        while not any(line.startswith("/usr/bin/sleep") for line in processes_with(token)):
            assert time.monotonic() < until
            time.sleep(0.05)
        kit.kill()
        kit.wait()
    with open_sandbox(tier):  # sweeps what the dead one left
        until = time.monotonic() + 10
        while processes_with(token) and time.monotonic() < until:
            time.sleep(0.05)
        assert processes_with(token) == []
        assert not list(Path("/tmp").glob(f"kit-bwrap-{kit.pid}-*"))
        assert not list(Path("/sys/fs/cgroup").glob(f"*/kit_{kit.pid}_*"))


def test_an_unknown_tier_is_refused_with_the_choice():
    with pytest.raises(KitError, match="Use one of: bwrap, docker, bare"):
        open_sandbox("chroot")


def test_threads_of_the_caller_may_come_and_go(box):
    seen: list[str] = []
    for n in range(3):
        worker = threading.Thread(target=lambda n=n: seen.append(python(box, f"print({n})").out))
        worker.start()
        worker.join()
    assert seen == ["0\n", "1\n", "2\n"]


def test_a_sandbox_of_before_a_fork_is_refused():
    code = (
        "import os; from kit.sandbox import open_sandbox; from kit.core.errors import KitError\n"
        "with open_sandbox('bwrap') as box:\n"
        "    if os.fork() == 0:\n"
        "        try: box.run(['/bin/true'])\n"
        "        except KitError as error: print(error, flush=True)\n"
        "        os._exit(0)\n"
        "    os.wait(); print(box.run(['/bin/echo', 'fine']).out)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    refused = "This sandbox was opened before a fork; open one in this process."
    assert done.stdout.splitlines() == [refused, "fine", ""]


def test_what_a_group_holds_later_is_no_part_of_its_base():
    if not (folders := cgroups.find_parents()):
        pytest.skip("no cgroup can be made here")
    group = cgroups.Cgroup(folders, f"{os.getpid()}_base")
    code = "input(); data = bytearray(60_000_000); print(flush=True); input()"
    line = [PYTHON, "-c", code]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        group.add_process(child.pid)
        before = group.base
        child.stdin.write(b"\n")
        child.stdin.flush()
        child.stdout.readline()
        group.add_process(child.pid)
        assert group.base == before < 10 << 20
        child.kill()
    group.remove()
