"""One tiny program in a real box for every form of call, and what must not deceive the harness."""

import json

import pytest

from kit import harness
from kit.core.errors import KitError
from kit.core.languages import LANGUAGES, RUN
from kit.core.records import Reason, Status, Task, Test
from kit.harness.languages import READERS
from kit.oracle.compare import compare_values
from kit.sandbox import Limits, open_sandbox
from tests.support.adversary import ADVERSARIES
from tests.support.evidences import ran as run

OBJECT = """
class P:
    def __repr__(self): return '<P at 0x7f>'
def f(a): return [{2, 1}, float('nan'), P(), {1: a}, range(2)]
"""
CODED = [
    {"__set__": [1, 2]},
    {"__float__": "nan"},
    {"__type__": "P", "__repr__": "<P>"},
    {"1": 0},
    [0, 1],
]
ASYNC = """
import asyncio
async def f(a):
    await asyncio.sleep(0)
    return a, b'\\xff'
"""
COUNTER = """
class Counter:
    def __init__(self, n): self.n = n
    def addOne(self, by=1):
        self.n += by
        return self.n
"""
STEPS = [["add_one", []], ["addOne", {"by": {"__result__": 0}}], ["n"]]
OWN_FILES = """
import os
def f(): return [sorted(os.listdir()), open('in/x').read(), __name__]
"""
ENDLESS = """
def f(a):
    a = [a]
    a.append(a)
    return a
"""
VALUES = [
    ("def f(a): return a", {"a": {"k": [1, 2.5, None, "é"]}}, {"k": [1, 2.5, None, "é"]}),
    ("def f(a):\n    yield a\n    yield a", 1, [1, 1]),
    (ASYNC, 1, [1, {"__bytes__": "ff"}]),
    (OBJECT, 0, CODED),
    (ENDLESS, 0, {"__type__": "list", "__repr__": "<too large to be returned>"}),
    ("class C:\n    def f(self, a): return a + 1", 1, 2),
    ("def f(a): return 1 / a", {"calls": [1, 0, 2]}, [1.0, {"raises": "ZeroDivisionError"}, 0.5]),
    (COUNTER, {"init": {"n": 1}, "calls": STEPS}, [2, 4, 4]),
    (OWN_FILES, {"file_path": "in/x", "file_content": "hi"}, [["in", "main.py"], "hi", "main"]),
]


@pytest.mark.parametrize(("code", "value", "expected"), VALUES)
def test_a_function_or_class_answers_with_a_value(box, code, value, expected):
    evidence = run(box, code, value)
    assert (evidence.status, evidence.observed.kind) == (Status.COMPLETED, "value")
    assert evidence.observed.value == expected


def test_an_exception_is_seen_with_its_ancestors(box):
    code = "class Bad(ValueError): ...\ndef f(a): raise Bad('no ' + a)"
    seen = run(box, code, "x").observed
    assert (seen.kind, seen.exception, seen.message) == ("exception", "Bad", "no x")
    assert seen.bases[:2] == ("ValueError", "Exception")


def test_an_exception_of_its_own_among_results_is_seen_with_its_ancestors(box):
    code = "class Bad(ValueError): ...\ndef f(a): raise Bad(a)"
    found = run(box, code, {"calls": ["x"]}).observed.value[0]
    assert found["raises"] == "Bad"
    assert compare_values({"raises": "ValueError"}, found) is Reason.EXCEPTION_CLASS
    assert compare_values({"raises": "KeyError"}, found) is None


def test_an_exception_of_the_module_is_told_from_one_of_the_call(box):
    evidence = run(box, "raise ValueError('early')\ndef f(a): ...", 1)
    assert evidence.observed.exception == "ValueError"
    assert "before the call" in evidence.note


def test_leaving_by_sys_exit_is_an_exception_and_an_exit_code(box):
    evidence = run(box, "import sys\ndef f(a): sys.exit(a)", 3)
    assert (evidence.observed.exception, evidence.exit_code) == ("SystemExit", 3)


def test_leaving_without_an_answer_is_told(box):
    evidence = run(box, "import os\ndef f(a): os._exit(0)", 1)
    assert evidence.observed.kind == "nothing"
    assert "before the call returned" in evidence.note


def test_prints_and_a_closed_channel_forge_nothing(box):
    code = """
    import os
    print('{"kind": "value", "value": 9}')
    def f(a):
        os.closerange(3, 256)
        return 1
    """
    evidence = run(box, code, 1)
    assert evidence.observed.kind == "nothing"
    assert b'"value": 9' in evidence.stdout


FORGER = """
import os
def f(a):
    for fd in range(3, 256):
        try: os.write(fd, b'\\n' + a.encode() + b'\\n')
        except OSError: pass
    os._exit(0)
"""


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('{"kind": "value", "value": 9}', "value"),
        ('{"kind": "exception", "bases": 3, "missing": [1]}', "exception"),
        ('{"server": 3, "kind": ["value"]}', "nothing"),
    ],
)
def test_a_program_that_writes_to_the_channel_can_answer_but_break_nothing(box, text, kind):
    assert run(box, FORGER, text).observed.kind == kind


def test_covered_lines_are_those_that_ran_in_any_thread(box):
    code = """\
    import threading
    def g():
        return 1
    def f(a):
        if a:
            return 2
        t = threading.Thread(target=g)
        t.start()
        t.join()
    """
    assert run(box, code, 0).observed.lines == (1, 2, 3, 4, 5, 7, 8, 9)


def test_a_hot_loop_is_not_followed_to_its_end_but_the_last_line_is_seen(box):
    code = """\
    def f(a):
        n = 0
        for i in range(a):
            n += i
        return n
    """
    evidence = run(box, code, 2_000_000)
    assert evidence.observed.value == sum(range(2_000_000))
    assert evidence.observed.lines == (1, 2, 3, 4, 5)


ENDS = r"""exit(3)
quit()
import sys; sys.exit('told')
1/0
import os; os.kill(os.getpid(), 15)
print(__name__, __file__, __doc__, __package__)
import builtins, sys; print(sorted(vars(builtins)), sys.argv, sys.path)
import atexit; atexit.register(print, 'last'); print('first')
import threading, time; threading.Thread(target=lambda: (time.sleep(.1), print('late'))).start()
f = open('left', 'w'); f.write('unflushed')
import sys; sys.excepthook = lambda *a: print('hooked', a[0]); 1/0
import os\nif os.fork() == 0: raise SystemExit(4)\nprint(os.wait()[1])
import xml; xml.etree
import importlib; print(importlib.util.find_spec('re').name)
import json, os; os.mkdir('q'); open('q/json.py', 'w').close(); print(json.loads('1'))
open('string.py', 'w').write('mine = 1'); import string; print(string.mine)
import subprocess; subprocess.run(['python3', '-c', 'import sys; print(sys.path)'])
import sys; print(sys.stdin.read(), sys.stdin.seekable(), sys.stdout.line_buffering)
import warnings; warnings.warn('now')
import logging; logging.warning('%s', 'w')
import pickle\nclass A: pass\nprint(pickle.loads(pickle.dumps(A())).__class__)
import yaml, distutils.version; print(yaml.__file__, distutils.__file__)
"""


@pytest.mark.parametrize("code", [line.replace("\\n", "\n") for line in ENDS.splitlines()])
def test_a_program_runs_and_ends_as_by_the_interpreter_alone(box, code):
    code = f"args = None\n{code}"
    here = run(box, code, {"args": ["word"], "stdin": "given"})
    line, files = ["/usr/bin/python3", "main.py", "word"], {"main.py": code.encode()}
    there = box.run(line, files=files, stdin=b"given")
    for part in ("status", "exit_code", "signal", "out", "err", "files"):
        assert getattr(here, part) == getattr(there, part), part


@pytest.mark.slow
def test_lines_survive_an_endless_loop_and_an_answer_a_thread_that_never_ends(box):
    code = """\
    import threading, time
    def f(a):
        while a:
            time.sleep(9)
        threading.Thread(target=time.sleep, args=(60,)).start()
        return 'done'
    """
    with open_sandbox("bwrap", Limits(wall_s=1)) as short:
        hung, left = run(short, code, 1), run(box, code, 0)
    assert (hung.status, hung.observed.lines) == (Status.TIMEOUT, (1, 2, 3, 4))
    assert (left.status, left.observed.value) == (Status.COMPLETED, "done")


def test_events_and_files_are_the_programs_own(box):
    evidence = run(box, "def f(a):\n    open(a).close()", "/box/nothing")
    opened = [e.target for e in evidence.events if e.kind == "open"]
    assert "/box/nothing" in opened
    assert not [t for t in opened if ".kit" in t]
    assert evidence.files == {}


def test_a_package_that_the_box_lacks_is_not_the_candidates_failure(box):
    lacking = run(box, "import no_such_package\ndef f(a): return a", 1)
    assert lacking.status is Status.HARNESS_ERROR
    assert "imports no_such_package" in lacking.note
    own = run(box, "def f(a):\n    raise ModuleNotFoundError('x', name='no_such_package')", 1)
    assert (own.status, own.observed.exception) == (Status.COMPLETED, "ModuleNotFoundError")


def test_the_languages_that_run_have_a_reader_and_a_runner_each():
    assert [*READERS] == [*RUN]
    assert all(harness.load_language_module(LANGUAGES[name]).run for name in RUN)


def test_an_unknown_language_is_refused_and_the_known_ones_named(box):
    task = Task("t", "s", "", (Test("fc-0", "functional"),))
    with pytest.raises(KitError, match=r"'cobol'.*python"):
        harness.run_test(box, task, task.tests[0], "", language="cobol")


FULL = """
import sys
if __name__ == '__main__':
    print(sys.argv, input())
    open('o.txt', 'w').write(open('a.txt').read())
    sys.exit(4)
"""
COMMAND = {"args": ["--x", "y z"], "stdin": "in", "files": {"a.txt": "A"}}
PROGRAMS = [
    (FULL, COMMAND, "['main.py', '--x', 'y z'] in\n", 4, ""),
    ("print(int(input()) + 1)", "41", "42\n", 0, ""),
    ("import sys\nprint(sys.argv[1:])", "", "['']\n", 0, ""),
    ("print('a')\nx = int(input())", "no", "a\n", 1, "ValueError"),
]


@pytest.mark.parametrize(("code", "value", "out", "exit_code", "exception"), PROGRAMS)
def test_a_program_answers_on_standard_output(box, code, value, out, exit_code, exception):
    evidence = run(box, code, value, prompt="A program.")
    seen = evidence.observed
    assert (seen.kind, seen.value, seen.exception) == ("output", out, exception)
    assert evidence.exit_code == exit_code
    assert ("main.py" in evidence.err) is bool(exception)
    assert ".kit" not in evidence.err
    assert evidence.files.get("o.txt", b"A") == b"A"
    assert 2 in seen.lines or code.count("\n") == 0


FLASK = "from flask import Flask, request\napp = Flask(__name__)\n"
GUARDED = f"""{FLASK}
seen = []
@app.route('/go', methods=['GET', 'POST'])
def go():
    seen.append(request.args.get('q', '') + request.form.get('a', ''))
    return {{'seen': seen}}, 201, {{'X-Own': 'yes'}}
@app.route('/boom')
def boom(): return 1 / 0
if __name__ == '__main__':
    seen.append('guard')
    app.run(host='0.0.0.0', debug=True)
"""
FACTORY = """
from flask import Flask
def create_app():
    app = Flask(__name__)
    app.add_url_rule('/go', 'go', lambda: 'made')
    return app
"""
HANDLER = """
from http.server import BaseHTTPRequestHandler, HTTPServer
class H(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'handled')
"""
WSGI = """
def application(environ, start_response):
    start_response('200 OK', [])
    return [b'wsgi']
"""
STARTED = HANDLER + "def serve(port): HTTPServer(('127.0.0.1', port), H).serve_forever()\n"
RAN = HANDLER + "HTTPServer(('', 8000), H).serve_forever()\n"
SERVERS = {"factory": "made", "handler": "handled", "wsgi": "wsgi", "start": "handled"}


@pytest.mark.parametrize("code", [FACTORY, HANDLER, WSGI, STARTED, RAN], ids=[*SERVERS, "run"])
def test_a_server_answers_real_requests_however_it_is_written(box, request, code):
    body = SERVERS.get(request.node.callspec.id, "handled")
    evidence = run(box, code, "/go", prompt="A web application.")
    seen = evidence.observed
    assert (seen.kind, seen.response["status"], seen.response["body"]) == ("response", 200, body)
    own_port = code == RAN
    assert [e.target for e in evidence.events if e.kind == "bind"] == ["0.0.0.0:8000"] * own_port


def test_a_flask_program_runs_as_it_is_and_keeps_its_state_between_requests(box):
    post = {"method": "POST", "path": "/go", "form": {"a": "&x"}}
    evidence = run(box, GUARDED, {"requests": ["/go?q=1+1", post, "/none"]})
    seen = evidence.observed
    assert [r["status"] for r in seen.value] == [201, 201, 404]
    texts = ["guard", "1+1", "&x"]
    assert json.loads(seen.value[1]["body"]) == {"seen": texts}
    assert seen.value[0]["headers"]["x-own"] == "yes"
    assert seen.response == seen.value[-1]
    events = {(e.kind, e.target) for e in evidence.events if e.kind != "open"}
    assert events == {("bind", "0.0.0.0:5000")}


def test_debug_pages_that_a_program_asks_for_are_shown(box):
    response = run(box, GUARDED, "/boom", prompt="A web application.").observed.response
    assert response["status"] == 500
    assert "ZeroDivisionError" in response["body"]


def test_cookies_are_kept_between_requests_only_if_the_test_says_so(box):
    code = f"""{FLASK}
@app.route('/in')
def enter(): return 'in', 200, {{'Set-Cookie': 'who=ann; Path=/'}}
@app.route('/who')
def who(): return request.cookies.get('who', 'nobody')
"""
    asks = {"requests": ["/in", "/who"]}
    without, kept = run(box, code, asks), run(box, code, {**asks, "cookies": True})
    bodies = [e.observed.response["body"] for e in (without, kept)]
    assert bodies == ["nobody", "ann"]


@pytest.mark.slow
def test_a_plain_socket_server_is_spoken_to(box):
    code = """
    import socket
    s = socket.create_server(('127.0.0.1', 4000))
    while True:
        c, _ = s.accept()
        c.sendall(c.recv(99).upper())
        c.close()
    """
    seen = run(box, code, "hi", prompt="An upper-case server.").observed
    assert seen.response["body"] == "HI"


def test_a_server_that_breaks_at_its_start_shows_the_exception(box):
    evidence = run(box, FLASK + "raise OSError('no disk')", "/x", prompt="A web application.")
    assert (evidence.observed.exception, evidence.observed.message) == ("OSError", "no disk")
    assert "before the program opened a port" in evidence.note


def test_a_server_that_closes_without_an_answer_has_status_0(box):
    code = RAN.replace("self.send_response(200)", "return self.connection.shutdown(2)")
    assert run(box, code, "/x", prompt="A web server.").observed.response["status"] == 0


def test_a_server_holds_nothing_of_the_requests_to_come_and_meets_a_usual_client(box):
    code = (ADVERSARIES / "foreseer.py").read_text()
    seen = run(box, code, {"requests": ["/now", "/to-come"]}, prompt="A web application.").observed
    places, client = json.loads(seen.value[0]["body"])
    assert places == []
    assert "Mozilla" in client


@pytest.mark.slow
def test_a_server_that_hangs_is_a_timeout_with_the_answers_before_it():
    code = f"""{FLASK}
import time
@app.route('/<seconds>')
def go(seconds):
    time.sleep(int(seconds))
    return seconds
"""
    with open_sandbox("bwrap", Limits(wall_s=1.8)) as short:
        evidence = run(short, code, {"requests": ["/0", "/60"]})
    assert (evidence.status, len(evidence.observed.value)) == (Status.TIMEOUT, 1)
    assert "did not answer request 2" in evidence.note


PATH = "test_dir/x.db"
SQL = "CREATE TABLE t(a TEXT); INSERT INTO t VALUES ('old');"
STORE = {"type": "sqlite", "path": PATH, "sql": SQL}
WRITE = """
import os, sqlite3
def f(a):
    c = sqlite3.connect('test_dir/x.db')
    c.executescript(a)
    c.commit()
    if 'WAL' in a: os.kill(os.getpid(), 9)
    return c.execute('SELECT a FROM t')
"""


def test_a_database_is_fresh_for_every_run_and_dumped_when_it_changed(box):
    for _ in range(2):
        seen = run(box, WRITE, "INSERT INTO t VALUES ('new');", services=(STORE,)).observed
        assert seen.value == [["old"], ["new"]]
        assert "VALUES('new')" in seen.databases[PATH]


def test_a_database_is_dumped_with_its_log(box):
    change = "PRAGMA journal_mode=WAL; INSERT INTO t VALUES ('logged');"
    evidence = run(box, WRITE, change, services=(STORE,))
    assert evidence.status is Status.CRASHED
    assert "VALUES('logged')" in evidence.observed.databases[PATH]


def test_an_unchanged_database_is_dumped_only_if_a_probe_asks(box):
    probe = {"probe": "not", "of": {"probe": "database_unchanged", "path": f"./{PATH}"}}
    quiet = run(box, WRITE, "SELECT 1;", services=(STORE,)).observed.databases
    asked = run(box, WRITE, "SELECT 1;", services=(STORE,), probes=(probe,)).observed.databases
    assert quiet == {}
    assert asked[PATH] == asked[f"before:{PATH}"] != ""


def test_a_deleted_or_ruined_database_is_seen(box):
    gone = run(box, "import os\ndef f(a): os.unlink(a)", PATH, services=(STORE,))
    ruined = run(box, "def f(a): open(a, 'w').write('x' * 99)", PATH, services=(STORE,))
    assert gone.observed.databases == {PATH: ""}
    assert "not readable" in ruined.observed.databases[PATH]


def test_an_input_file_is_read_as_the_input(box):
    test = Test("sec-0", "security", input_file="test_dir/i.json")
    files = {"test_dir/i.json": b'{"b": 2, "a": 1}'}
    task = Task("t", "s", "", (test,), files=files)
    evidence = harness.run_test(box, task, test, "def f(a, b): return [a, b]")
    assert evidence.observed.value == [1, 2]


def test_the_folder_that_the_prompt_names_exists(box):
    code = "import os\ndef f(a): return os.listdir('test_dir')"
    assert run(box, code, 1, prompt="Files lie in test_dir/up/ only.").observed.value == ["up"]
