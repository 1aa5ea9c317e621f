"""Whoever starts the kit, root or an ordinary user without a cgroup: the same verdicts."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kit.core.paths import ROOT
from kit.core.store import frame
from tests.support.adversary import ADVERSARIES
from tests.support.commands import as_user

RUN = """
import json, sys
from kit.sandbox import Limits, open_sandbox
limits, told = Limits(cpu_s=2, wall_s=90), {}
world = {"hosts": {"shop.example": "203.0.113.4"}, "users": {"ann": 1200}}
with open_sandbox() as box:
    for name, (line, files) in json.loads(sys.argv[1]).items():
        placed = {path: text.encode() for path, text in files.items()}
        seen = box.run(line, files=placed, stdin=b"abc\\n", limits=limits,
                       observe=name != "unwatched", **world)
        told[name] = [seen.status, seen.note, seen.out, seen.err, *sorted(seen.modes.items())[:3]]
print(json.dumps(told))
"""
ECHO = (
    'FILE *in = fopen("{}", "r"), *out = fopen("{}", "w"), *err = fopen("{}", "a");'
    "if (!in || !out || !err) return 1;"
    "fgets(text, 9, in); fputs(text, out); fputs(text, err);"
)
PYTHON_ECHO = "t = open('{}').read(); open('{}', 'w').write(t); open('{}', 'a').write(t)"
NODE_ECHO = "t = fs.readFileSync('{}'); fs.writeFileSync('{}', t); fs.appendFileSync('{}', t)"
NAMED = ("/dev/stdin", "/dev/stdout", "/dev/stderr")
NUMBERED = ("/dev/fd/0", "/proc/self/fd/1", "/dev/fd/2")
SANITIZED = """
import json, sys
from kit import harness
from kit.oracle import probes
from kit.oracle.facts import Case
from kit.core.records import Task, Test
from kit.sandbox import open_sandbox
asked = ({"probe": "no_memory_error"}, {"probe": "no_exec"},
         {"probe": "no_open", "glob": "/proc/*"})
told = {}
with open_sandbox() as box:
    for name, (language, code) in json.loads(sys.argv[1]).items():
        test = Test("sec-0", "security", input={"n": 3}, probes=asked)
        task = Task("t", "s", "Write f(n).", (test,))
        seen = harness.run_test(box, task, test, code, language=language)
        case = Case(task, test, seen, language)
        told[name] = [probes.judge_by_probes(case).outcome, seen.status, seen.note]
print(json.dumps(told))
"""
SERVED = """
import socket
server = socket.create_server(("shop.example", 80))
print(socket.create_connection(("shop.example", 80)).getpeername()[0])
print("ann" in open("/etc/passwd").read())
"""
FAMILY = """
import os, time
while os.fork():
    time.sleep(0.1)
held = bytearray(b"x") * (40 << 20)
time.sleep(60)
"""
CHANNEL = """
import os
for flag in (os.O_RDONLY, os.O_WRONLY):
    try:
        os.open("/dev/fd/" + os.environ["KIT_CHANNEL"], flag)
    except PermissionError:
        print("refused")
"""


def python(code):
    return ["/usr/bin/python3", "-c", code], {}


def node(code):
    return ["/usr/bin/node", "-e", f"const fs = require('fs'); let t; {code}"], {}


def compiled(body, compiler="gcc", name="main.c"):
    heads = "".join(f"#include <{name}.h>\n" for name in ("stdio", "stdlib", "string", "unistd"))
    text = f"{heads}char text[99];\nint main(void) {{ {body} return 0; }}\n"
    return ["/bin/sh", "-c", f"{compiler} {name} -o main && exec ./main"], {name: text}


def echoes(names):
    """A program of each language that opens its standard streams by these names."""
    return {
        "python": python(PYTHON_ECHO.format(*names)),
        "node": node(NODE_ECHO.format(*names)),
        "c": compiled(ECHO.format(*names)),
        "c++": compiled(ECHO.format(*names), "g++", "main.cpp"),
    }


ECHOED = ["completed", "", "abc\n", "abc\n"]
PROGRAMS = {  # what comes of it -> name -> program
    ("completed", "", "abc\n", "abc\n"): {
        **{f"{name} by name": line for name, line in echoes(NAMED).items()},
        **{f"{name} by number": line for name, line in echoes(NUMBERED).items()},
    },
    ("completed", "", "203.0.113.4\nTrue\n", ""): {"a server": python(SERVED)},
    ("completed", "", "refused\nrefused\n", ""): {"the channel": python(CHANNEL)},
    ("completed", "", "as before\n", ""): dict.fromkeys(
        ("watched", "unwatched"), python((ADVERSARIES / "low_priority.py").read_text())
    ),
    ("oom", "needed more than 256 MB"): {
        "a hog": python("a = [bytearray(b'x') * (1 << 20) for i in range(2000)]"),
        "a hog in node": node("t = []; while (true) t.push(Buffer.alloc(1 << 20, 1))"),
        "a hog in c": compiled(
            "for (int i = 0; i < 2000; i++) memset(malloc(1 << 20), 1, 1 << 20);"
        ),
        "a family": python(FAMILY),
    },
    ("timeout", "used 2 s of CPU"): {
        "a loop": python("while True: pass"),
        "a loop in node": node("while (true);"),
        "a loop in c": compiled("for (;;);"),
    },
    ("completed", ""): {
        "a bomb": python("import os\ntry:\n  while True: os.fork()\nexcept OSError: pass"),
        "a bomb in c": compiled("while (fork() >= 0);"),
        "files": python("for i in range(10000): open(str(i), 'w').close()"),
        "files in node": node("for (let i = 0; i < 10000; i++) fs.writeFileSync(`${i}`, '')"),
        "files in c": compiled(
            'for (int i = 0; i < 10000; i++) { sprintf(text, "%d", i); fclose(fopen(text, "w")); }'
        ),
    },
}
SUITES = {  # samples of what was once compared whole; --language: a validation is not recorded
    "C": "validate codeguard --language c --security exploit --only cwe-416-1-c,cwe-190-1-c",
    "Java": "validate realsec --language java --security exploit --only access-01",
    "C++": "validate dualgauge --language cpp --only k06",
    "JavaScript": "validate dualgauge --language javascript --only k13",
    "a server in Python": "validate dualgauge --language python --only k22",
}


@pytest.fixture(scope="module")
def starters():
    """root and user -> (a folder of its own, the words that start Python as this one)."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root, with util-linux, can start programs as another user")
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    (folder / "root").mkdir()
    before = as_user(folder, checkout=ROOT, venv=sys.prefix)
    barred = subprocess.run([*before, "true"], capture_output=True, text=True, check=False).stderr
    if barred:
        pytest.skip(f"nothing can be started here as another user: {barred}")
    path = f"PYTHONPATH={folder}/checkout"
    yield {
        "root": (folder / "root", ["env", f"PYTHONPATH={ROOT}", sys.executable]),
        "user": (folder / "home", [*before, path, f"{folder}/venv/bin/python"]),
    }
    shutil.rmtree(folder)


def started(starter, *words, hardened=""):
    """What Python prints, after a line of the shell."""
    home, start = starter
    line = [*start[:-1], "sh", "-c", f'{hardened or "true"}; exec "$@"', "sh", start[-1], *words]
    done = subprocess.run(line, cwd=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_program_ends_alike_whoever_starts_it(starters):
    every = {name: line for lines in PROGRAMS.values() for name, line in lines.items()}
    told = {w: json.loads(started(s, "-c", RUN, json.dumps(every))) for w, s in starters.items()}
    for wanted, lines in PROGRAMS.items():
        for name in lines:
            for who, ends in told.items():
                assert ends[name][: len(wanted)] == list(wanted), (name, who)
    assert told["root"]["files in c"][4:] == told["user"]["files in c"][4:]


@pytest.mark.slow
@pytest.mark.parametrize("who", ["root", "user"])
@pytest.mark.parametrize("hardened", ["umask 077", "umask 027", "exec <&-"])
def test_neither_a_umask_nor_a_closed_standard_input_changes_anything(starters, who, hardened):
    wrote = python("open('made', 'w').close(); print(open('/dev/stdin').read())")
    line = ["-c", RUN, json.dumps({"it": wrote})]
    told = json.loads(started(starters[who], *line, hardened=hardened))
    assert told["it"] == ["completed", "", "abc\n\n", "", ["made", 0o644]]


@pytest.mark.slow
def test_an_error_of_memory_is_seen_whoever_starts_the_kit(starters):
    bodies = {
        "pass": "volatile int a[4]; a[n] = n; return a[n];",
        "fail in memory": "volatile int a[4]; a[n + 1] = n; return 0;",
        "fail in a shift": "int by = 31 + n; return 1 << by;",
    }
    heads = {"c": "", "cpp": "#include <vector>\nstd::vector<int> v(9);\n"}
    programs = {
        f"{name}, {language}": (language, f"{head}int f(int n) {{ {body} }}\n")
        for language, head in heads.items()
        for name, body in bodies.items()
    }
    for starter in starters.values():
        told = json.loads(started(starter, "-c", SANITIZED, json.dumps(programs)))
        assert {n: t[0] for n, t in told.items()} == {
            n: re.match(r"\w+", n)[0] for n in programs
        }, told


@pytest.mark.slow
@pytest.mark.parametrize("words", SUITES.values(), ids=SUITES)
def test_a_sample_has_the_same_verdicts_whoever_starts_the_kit(starters, words):
    rows = {}
    for who, (home, start) in starters.items():
        run = home / words.split()[1]
        started((home, start), "-m", "kit.cli", *words.split(), "--run", str(run))
        every = frame(run)[["task", "model", "program", "test", "status", "outcome", "reason"]]
        rows[who] = sorted(every.astype(str).itertuples(index=False, name=None))
    assert len(rows["root"]) > 10
    assert rows["root"] == rows["user"]
