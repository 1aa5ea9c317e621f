"""A forked interpreter is a fresh one to its program, and tells it nothing of others."""

import os
import secrets
import signal
import time
from ast import literal_eval
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from insisting import Insisting

from kit import harness, oracle
from kit.paths import REFERENCES, SUITES
from kit.records import Evidence, Status
from kit.sandbox import Limits, Sandbox, open_sandbox, warm_fit
from kit.sandbox.posture import NAMESPACES
from kit.sandbox.warm import Warm
from kit.sandbox.warm_slot import MODULES
from kit.suites import open_suite

PYTHON = "/usr/bin/python3"
TOOLS = ("/usr/", "/lib", "/etc/", "/proc/", "/box/.kit", "/box/main.py")
ENDS = r"""raise SystemExit(3)
raise SystemExit
raise SystemExit('told')
import sys; sys.exit(2**70)
1/0
x x
raise KeyboardInterrupt
def f(): f()\nf()
import os; os._exit(7)
import os; os.kill(os.getpid(), 15)
print(*sorted(globals())); print(__name__, __file__, __doc__, __spec__, __package__)
import sys; print(sys.argv, sys.path, sorted(sys.modules)); sys.exit(0)
import os; print(dict(os.environ), os.getcwd(), os.getpid(), os.getppid(), os.listdir('/tmp'))
import os; print(os.listdir('/proc/self/fd'), os.umask(0), os.getsid(0), os.getpgrp())
import resource; print([resource.getrlimit(n) for n in range(16)])
print(open('/proc/self/uid_map').read(), open('/proc/self/setgroups').read())
print([s for s in open('/proc/self/status') if s[:3] in ('Cap', 'NoN', 'Uid', 'Gid', 'Gro', 'NSp')])
import os; print([os.statvfs(p)[:3] for p in ('/', '/tmp', '/box')], os.listdir('/'), os.uname()[1])
import atexit; atexit.register(print, 'last'); print('first')
import threading, time; threading.Thread(target=lambda: (time.sleep(.1), print('late'))).start()
f = open('left', 'w'); f.write('unflushed')
import sys; sys.stdout = open('said', 'w'); print('elsewhere')
import os\nclass A:\n def __del__(self): print('gone', os.sep)\na = A(); b = [a]; b.append(b)
import sys; sys.excepthook = lambda *a: print('hooked', a[0]); 1/0
import sys; sys.excepthook = None; 1/0
import os\nif os.fork() == 0: raise SystemExit(4)\nprint(os.wait()[1])
import sys\nclass L:\n __slots__ = ()\n __class__ = type(sys)\nsys.modules['odd'] = L()
import xml; xml.etree
import json, os, sys; os.mkdir('q'); open('q/json.py', 'w').close(); print(json.loads('1'))
open('string.py', 'w').write('mine = 1'); import string; print(string.mine)
import subprocess; subprocess.run(['python3', '-c', 'import sys; print(sys.path)'])
import signal; signal.signal(14, lambda *a: print('rang')); signal.setitimer(0, .2); signal.pause()
n = 0\ndef f():\n global n; n += 1; f()\ntry: f()\nexcept RecursionError: print(n)
import sys; print(sys.stdin.read(), sys.stdin.seekable(), sys.stdout.line_buffering)
import __future__, no_such_module
import warnings; warnings.warn('now')
import logging; logging.warning('%s', 'w')
import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__)
import asyncio; print(asyncio.run(asyncio.sleep(0, 'slept')))
import sqlite3; print(sqlite3.connect('x.db').execute('select 1').fetchall())
import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())
"""


@pytest.fixture(scope="module")
def warm() -> Iterator[Warm]:
    with open_sandbox("warm") as opened:
        assert isinstance(opened, Warm)
        yield opened


@pytest.fixture(scope="module")
def cold() -> Iterator[Sandbox]:
    with open_sandbox("bwrap") as opened:
        yield opened


def script(box: Sandbox, code: str, **options: object) -> Evidence:
    return box.run([PYTHON, "main.py"], files={"main.py": code.encode()}, **options)


def deeds(seen: Evidence) -> set[tuple[str, str, str, str]]:
    """What the program did beyond what loads it; ports are drawn."""
    return {
        (e.kind, e.target, e.mode, e.error)
        for e in seen.events
        if not e.target.startswith(TOOLS) and ":" not in e.target
    }


def what_is_seen(seen: Evidence) -> tuple[object, ...]:
    words = (seen.status, seen.exit_code, seen.signal, seen.out, seen.err, seen.channel)
    return (*words, seen.files, seen.skipped, deeds(seen))


@pytest.fixture(scope="module")
def any_() -> Iterator[Warm]:
    """One that runs also warm what would look into its interpreter."""
    with Insisting(Limits()) as opened:
        yield opened


@pytest.mark.parametrize("code", [line.replace("\\n", "\n") for line in ENDS.splitlines()])
def test_a_program_runs_and_ends_as_in_a_fresh_interpreter(cold, any_, code):
    there, here = (script(box, code, stdin=b"given") for box in (cold, any_))
    assert here.isolation.startswith("warm")
    assert what_is_seen(here) == what_is_seen(there)


def test_a_line_of_code_is_run_as_by_the_option(cold, any_):
    for options in (["-c"], ["-I", "-c"]):
        for code in ("import sys; print(sys.argv, sys.path, __name__, 'é'); 1/0", "x x"):
            line = [PYTHON, *options, code, "word"]
            assert what_is_seen(any_.run(line)) == what_is_seen(cold.run(line))


@pytest.mark.slow
def test_a_module_is_there_once_it_is_imported_and_with_what_it_needs(cold, any_):
    code = """
import sys, types
import {}
def parts(m): return sorted(k for k, v in vars(m).items() if isinstance(v, types.ModuleType))
print({{n: parts(m) for n, m in sorted(sys.modules.items()) if isinstance(m, types.ModuleType)}})
"""

    def both(name: str) -> tuple[object, ...]:
        seen = [script(box, code.format(name), observe=False).out for box in (cold, any_)]
        return name, *map(literal_eval, seen)

    with ThreadPoolExecutor(2) as pool:
        for name, there, here in pool.map(both, MODULES):
            assert here == there, name


def test_chance_is_drawn_anew_and_hashes_are_not(warm):
    code = "import random, uuid, ssl; print(random.random(), uuid.uuid4(), ssl.RAND_bytes(4).hex())"
    code += "; import secrets; print(secrets.token_hex(4), hash('x'))"
    first, second = (script(warm, code).out.split() for _ in range(2))
    assert [a == b for a, b in zip(first, second, strict=True)] == [False] * 4 + [True]


LOOK = r"""
import ctypes, gc, os, re, sys
if len(sys.argv) > 1:
    mine = ["kit-secret-" + "0" * int(n) for n in sys.argv[1:]]
found = set()
for line in open("/proc/self/maps"):
    ends, rights = line.split()[:2]
    start, end = (int(n, 16) for n in ends.split("-"))
    if rights[0] == "r" and "[v" not in line:
        with open("/proc/self/mem", "rb", 0) as memory:
            memory.seek(start)
            for kept in re.findall(rb"kit-secret-[0-9a-f]{16}", memory.read(end - start)):
                found.add(kept.decode())
for thing in gc.get_objects():
    if isinstance(thing, dict):
        texts = [t for t in thing.values() if isinstance(t, str)]
        found |= {t for text in texts for t in re.findall("kit-secret-[0-9a-f]{16}", text)}
print(sorted(found), len(gc.get_objects()) > 100)
for pid in filter(str.isdigit, os.listdir("/proc")):
    try: print(pid, open(f"/proc/{pid}/mem", "rb", 0).seek(0))
    except OSError as error: print(pid, error.errno)
"""


def test_nothing_of_a_program_or_of_the_kit_is_in_the_memory_of_the_next(monkeypatch):
    secret, kits = (f"kit-secret-{secrets.token_hex(8)}" for _ in range(2))
    monkeypatch.setenv("KIT_KEY", kits)
    code = f"import os, sys; print({secret!r}, sys.stdin.read(), sys.argv, os.environ)"
    code += "; print(open('f').read())"
    told = {"main.py": code.encode(), "f": secret.encode()}
    given = {"files": told, "stdin": secret.encode(), "env": {"A": secret}}
    with Insisting(Limits()) as box:
        for line in ([PYTHON, "main.py", secret], [PYTHON, "-c", code, secret]):
            assert box.run(line, **given).out.count(secret) == 5
        (slot,) = box._warm.values()
        template = slot.spawners[True]
        seen = script(box, LOOK)
        assert seen.out.splitlines() == ["[] True", "1 13", "2 0"], seen.err
        control = box.run([PYTHON, "main.py", "16"], files={"main.py": LOOK.encode()})
        assert control.out.startswith(f"['kit-secret-{'0' * 16}']")
        assert slot.spawners[True] is template  # it was the same for all four


def test_every_namespace_of_a_run_is_its_own(any_):
    code = "import os; print(*(os.readlink(f'/proc/self/ns/{n}') for n in sorted(__KINDS__)))"
    seen = script(any_, code.replace("__KINDS__", repr(NAMESPACES)))
    (slot, *_) = any_._warm.values()
    folder = Path(f"/proc/{slot.spawners[True].pid}/ns")
    theirs = {str((folder / name).readlink()) for name in NAMESPACES}
    hosts = {str(Path(f"/proc/self/ns/{name}").readlink()) for name in NAMESPACES}
    assert len(theirs | hosts | set(seen.out.split())) == 3 * len(NAMESPACES)


def test_a_spent_template_is_replaced(warm):
    def pid() -> int:
        assert script(warm, "print(1)").isolation.startswith("warm")
        return next(s.spawners[True].pid for s in warm._warm.values())

    first = pid()
    assert pid() == first
    late = script(warm, "import time; time.sleep(9)", limits=Limits(wall_s=0.5))
    assert late.status is Status.TIMEOUT
    second = pid()
    assert second != first
    os.kill(second, 9)
    while Path(f"/proc/{second}").exists():
        time.sleep(0.01)
    assert pid() not in (first, second)
    assert not Path(f"/proc/{first}").exists()


def test_where_a_template_fails_a_cold_box_has_the_answer(warm):
    """The template is stopped, so that it takes no request, and killed while the run waits."""
    script(warm, "print(1)")
    template = next(s.spawners[True] for s in warm._warm.values())
    os.kill(template.pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(script, warm, "print(2)")
        time.sleep(0.3)
        os.kill(template.pid, signal.SIGKILL)
        seen = asked.result()
    assert (seen.isolation[:5], seen.out) == ("bwrap", "2\n")


@pytest.mark.parametrize(
    ("argv", "files", "why"),
    [
        (["/bin/true"], {}, "no program of Python"),
        ([PYTHON, "-O", "main.py"], {"main.py": b""}, "more than a script"),
        ([PYTHON, "-m", "json"], {}, "more than a script"),
        ([PYTHON, "other.py"], {"main.py": b""}, "more than a script"),
        ([PYTHON, "main.py"], {"main.py": b"import ctypes"}, "ctypes"),
        ([PYTHON, "main.py"], {"main.py": b"exec('import gc')"}, "gc"),
        ([PYTHON, "main.py"], {"main.py": b"import sys; sys.flags"}, "flags"),
        ([PYTHON, "main.py"], {"main.py": b"import sys; sys.setrecursionlimit(9)"}, "recursion"),
        ([PYTHON, "main.py"], {"main.py": b"", "in": b"/proc/self/environ"}, "/proc"),
        ([PYTHON, "main.py"], {"main.py": b"", "json.py": b""}, "json.py"),
        ([PYTHON, "main.py"], {"main.py": b"", "helper.py": b"import resource"}, "resource"),
        ([PYTHON, "main.py"], {"main.py": b"code = site = trace = 'a resource'"}, ""),
        ([PYTHON, "main.py"], {"main.py": b"if __name__ == '__main__': print(1)"}, ""),
        ([PYTHON, "main.py"], {"main.py": b"x x"}, ""),
        ([PYTHON, "-I", "-c", "print(1)"], {}, ""),
    ],
)
def test_what_needs_a_fresh_interpreter_is_found_by_parsing(argv, files, why):
    found = warm_fit.cold(argv, files, b"", {})
    assert why in found if why else found == ""


def test_what_needs_a_fresh_interpreter_gets_one_and_says_so(warm):
    assert script(warm, "import ctypes").isolation.startswith("bwrap")
    assert script(warm, "print(1)", env={"PYTHONUTF8": "1"}).isolation.startswith("bwrap")
    assert script(warm, "import json").isolation.startswith("warm")


@pytest.mark.slow
def test_verdicts_are_those_of_the_cold_tier(cold, warm):
    suite = open_suite("dualgauge")
    tasks = {t.id: t for t in suite.load(SUITES / "dualgauge").tasks[:3]}
    samples, _ = suite.references(list(tasks.values()), REFERENCES)
    jobs = [(s, t) for s in samples if s.language == "python" for t in tasks[s.task].tests][::10]

    def both(job):
        sample, test = job
        task = tasks[sample.task]
        seen = [harness.run(box, task, test, sample.code) for box in (cold, warm)]
        return job, seen, [oracle.judge(task, test, e) for e in seen]

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(both, jobs))
    for (sample, test), (there, here), verdicts in found:
        assert verdicts[0].outcome == verdicts[1].outcome, (sample.arm, test.id, verdicts)
        assert (there.status, deeds(there)) == (here.status, deeds(here)), (sample.arm, test.id)
    assert sum(here.isolation.startswith("warm") for _, (_, here), _ in found) > len(found) / 2
