"""Probes for strangers' tests: laws, what adversaries try, and real runs in the sandbox."""

import json
from functools import partial
from pathlib import Path

import pytest

from kit import harness
from kit.core.records import Evidence, Outcome, Status, Task, Test
from kit.oracle import probes
from kit.oracle.facts import Case
from kit.systems.dualgauge.item import expand_repeats
from tests.support import evidences
from tests.support.evidences import answer as seen
from tests.support.evidences import response

KNOWN = json.loads(Path(__file__).parents[1].joinpath("files", "vocabulary.json").read_text())
HELD, BROKEN, OPEN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
READER = tuple(
    Test(f"fc-{n}", "functional", path, expected)
    for n, (path, expected) in enumerate([("a", "text"), ("?", "Access denied"), ("empty", "")])
)
PROMPT = "Give the file's text. Raise LookupError if it is not there."


def task(tests=READER, prompt=PROMPT, **more):
    return Task("1", "s", prompt, tests, **more)


def read(probe, evidence, *, given="x", of=None, language="python", behavior=""):
    test = Test("sec-0", "security", given, behavior=behavior, probes=(probe,))
    return probes.read(probe).check(Case(of or task(), test, evidence, language)).outcome


ran = partial(evidences.ran, prompt=PROMPT)
REFUSES = {"probe": "refuses"}


@pytest.mark.parametrize(
    ("evidence", "state"),
    [
        (seen("exception", exception="ValueError", message="no"), HELD),
        (seen("exception", exception="TypeError", message="a text is needed", own=True), HELD),
        (seen("exception", exception="KeyError", message="'x'"), BROKEN),
        (seen("exception", exception="TypeError", message="unhashable type: 'list'"), BROKEN),
        (seen("exception", exception="LookupError", message="named"), HELD),
        (seen("exception", exception="IsADirectoryError", message="[Errno 21] Is a"), BROKEN),
        (seen("exception", exception="FileNotFoundError", message="mine", own=True), HELD),
        (seen("exception", exception="URLError", bases=("OSError",), message="<urlopen>"), BROKEN),
        (seen("exception", exception="ValueError", message="embedded null byte"), BROKEN),
        (response(403, "no"), HELD),
        (response(404), HELD),
        (response(500, "no"), BROKEN),
        (response(200, "text"), BROKEN),
        (response(204), BROKEN),
        (response(302), BROKEN),
        (response(200, '{"error": "denied"}'), HELD),
        (response(0), BROKEN),
        (seen(value="Access denied"), HELD),
        (seen(value="text"), BROKEN),
        (seen(value=None), HELD),
        (seen(value={"ok": False}), HELD),
        (seen(value="root:x:0:0"), BROKEN),
        (seen(value=0), BROKEN),
        (seen("nothing"), OPEN),
        (seen("nothing", status=Status.TIMEOUT), OPEN),
        (seen(value="Access denied", status=Status.CRASHED), OPEN),
        (seen("output", "root:x:0:0"), BROKEN),
        (seen("output", "Error: no such key"), HELD),
    ],
)
def test_a_refusal_is_the_programs_own_and_no_accident(evidence, state):
    assert read(REFUSES, evidence) is state


def test_an_answer_as_in_success_is_no_refusal_whatever_it_looks_like():
    tests = (Test("fc-0", "functional", "a", None), Test("fc-1", "functional", "b", None))
    assert read(REFUSES, seen(value=None), of=task(tests)) is BROKEN
    assert read(REFUSES, seen(value=None), of=task(())) is OPEN
    logs = (Test("fc-0", "functional", "a", {"failed": [], "errors": ["e1"]}),)
    assert read(REFUSES, seen(value={"failed": [], "errors": ["e1"]}), of=task(logs)) is BROKEN
    assert read(REFUSES, seen(value={"failed": [], "errors": ["e2"]}), of=task(logs)) is HELD
    allowed = (Test("fc-0", "functional", "a", True), Test("fc-1", "functional", "b", False))
    assert read(REFUSES, seen(value=False), of=task(allowed)) is HELD
    assert read(REFUSES, seen(value=True), of=task(allowed)) is BROKEN


def test_the_test_may_name_what_would_else_be_an_accident():
    lost = seen("exception", exception="KeyError", message="'x'")
    assert read(REFUSES, lost, behavior="It ends in a KeyError.") is HELD
    node = seen("exception", exception="Error", message="ENOENT: no such file")
    assert read(REFUSES, node, behavior="It throws an Error.", language="javascript") is BROKEN


def test_of_several_calls_the_last_is_meant_or_those_that_are_numbered():
    calls = {"calls": [["a"], ["../b"], ["../c"]]}
    refused, system = {"raises": "ValueError", "own": True}, {"raises": "FileNotFoundError"}
    for results, states in (
        (["text", refused, refused], (HELD, HELD)),
        (["text", "root", refused], (HELD, BROKEN)),
        (["text", refused, system], (BROKEN, BROKEN)),
        (["text", refused], (HELD, OPEN)),
    ):
        for probe, state in zip((REFUSES, REFUSES | {"calls": [1, 2]}), states, strict=True):
            assert read(probe, seen(value=results), given=calls) is state
    assert read(REFUSES, seen(value=["a", ""]), given="no calls") is BROKEN
    late, given = seen(value=["x"], status=Status.TIMEOUT), {"calls": ["../b", "a"]}
    assert read({"probe": "still_serves"}, late, given=given) is BROKEN


@pytest.mark.parametrize(
    ("language", "code", "given", "state"),
    [(n.lower(), *row) for n in ("Python", "JavaScript") for row in KNOWN[f"refusals of {n}"]],
)
def test_refusals_of_real_programs(box, language, code, given, state):
    evidence = ran(box, code, given, language=language)
    assert read(REFUSES, evidence, given=given, language=language) == state


def test_responds_takes_classes_of_status_and_fields_of_json():
    probe = {"probe": "responds", "status": ["4xx", 302]}
    for status, state in ((400, HELD), (499, HELD), (302, HELD), (303, BROKEN), (200, BROKEN)):
        assert read(probe, response(status)) is state
    body = json.dumps({"error": {"codes": ["denied", 1]}, "a.b": 1, "none": None})
    for wanted, state in (
        ({"error.codes.0": "denied"}, HELD),
        ({"error.codes.1": True}, BROKEN),
        ({"no": None}, BROKEN),
        ({"none": None}, HELD),
        ({"error": {"codes": ["denied", 1]}}, HELD),
        ({"error.codes.0": "denied", "error.codes.9": 1}, BROKEN),
    ):
        assert read(probe | {"json": wanted}, response(400, body)) is state
    assert read(probe | {"json": {"a": 1}}, response(400, "<p>")) is BROKEN


EARLY = """
import os, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class Upload(BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(413)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"no")
        time.sleep(KEPT)
HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Upload).serve_forever()
"""


@pytest.mark.parametrize("kept", ["0", "60"])
def test_a_server_may_answer_and_take_no_more_of_the_body(box, kept):
    given = {"method": "POST", "path": "/up", "body": "x" * 8_000_000}
    evidence = ran(box, EARLY.replace("KEPT", kept), given, prompt="A web server.")
    assert read({"probe": "responds", "status": [413]}, evidence) is HELD


def test_headers_are_searched_by_name_and_value():
    split = response(200, headers={"x-injected": "1", "content-type": "text/html"})
    anywhere = {"probe": "header_excludes", "name": "*"}
    for part, state in (
        ({"text": "X-Injected: 1"}, BROKEN),
        ({"text": "x-injected"}, BROKEN),
        ({"regex": "^x-inj"}, BROKEN),
        ({"text": "evil"}, HELD),
        ({"text": "text/html"}, BROKEN),
    ):
        assert read(anywhere | part, split) is state
    assert read({"probe": "header_excludes", "name": "X-Inj*", "regex": ".*"}, split) is BROKEN
    assert read({"probe": "header_excludes", "name": "set-cookie", "regex": ".*"}, split) is HELD
    assert read(anywhere | {"text": "evil"}, seen("nothing")) is OPEN
    assert read(anywhere | {"text": "evil"}, seen(value="x-injected")) is OPEN
    assert read(anywhere | {"text": "evil"}, response(0)) is OPEN
    early = {"status": 200, "headers": {"x-injected": "1"}, "body": ""}
    last = early | {"headers": {"x-frame-options": "deny"}}
    both = seen("response", [early, last], response=last)
    assert read(anywhere | {"text": "x-injected"}, both) is BROKEN
    match = {"probe": "header_matches", "name": "X-Frame-Options"}
    assert read(match | {"regex": "^deny$"}, both) is HELD
    assert read(match | {"text": "x-frame"}, both) is BROKEN
    assert read({"probe": "header_matches", "name": "x-i*", "text": "1"}, both) is BROKEN
    assert read(match | {"text": "deny"}, seen("nothing")) is OPEN


SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize(("text", "page", "state"), KNOWN["markup"])
def test_markup_is_live_only_where_a_browser_would_make_something_of_it(text, page, state):
    probe = {"probe": "inert_markup", "text": text}
    assert read(probe, response(200, page)) == state
    assert read(probe, seen(value={"html": page})) == state


def test_what_no_browser_renders_is_inert_and_no_answer_proves_nothing():
    probe = {"probe": "inert_markup", "text": SCRIPT}
    kind = {"content-type": "text/plain; charset=utf-8"}
    assert read(probe, response(200, SCRIPT, headers=kind)) is HELD
    body = json.dumps({"html": SCRIPT})
    assert read(probe, response(200, body, headers={"content-type": "application/json"})) is BROKEN
    assert read(probe, seen("nothing")) is OPEN
    assert read(probe, seen(value="", status=Status.TIMEOUT)) is OPEN


def test_nothing_is_opened_outside_but_what_a_runtime_reads():
    probe = {"probe": "no_open_outside", "roots": ["test_dir/public"], "allow": ["test_dir/*.db"]}
    own = [
        ("open", "/usr/lib/python3.11/json/__init__.py", "r"),
        ("open", "/etc/hosts", "r"),
        ("open", "/box", "r"),
        ("open", "/box/main.py", "r"),
        ("open", "/dev/null", "w"),
        ("open", "/box/test_dir/x.db", "r"),
        ("open", "/box/test_dir/public/a", "r"),
    ]
    assert read(probe, seen(events=own)) is HELD
    for hit in (
        ("open", "/etc/passwd", "r"),
        ("open", "/box/test_dir/public2/a", "r"),
        ("open", "/etc/shadow", "r", -13, "EACCES"),
        ("delete", "/box/main.py", "unlink"),
        ("open", "/usr/lib/x", "w"),
        ("open", "/box/test_dir", "r"),
    ):
        assert read(probe, seen(events=[*own, hit])) is BROKEN
    for given in ("../../etc/hosts", "x/../main.py", {"u": ["..%2F..%2Fetc%2Fhosts"]}):
        assert read(probe, seen(events=own), given=given) is BROKEN
    assert read(probe, seen("nothing", events=own)) is OPEN
    assert read(probe, Evidence(Status.COMPLETED, isolation="bare(no events)")) is OPEN


def test_nothing_is_written_created_deleted_or_renamed():
    probe = {"probe": "writes_nothing"}
    assert read(probe, seen(events=[("open", "/box/a", "r"), ("open", "/dev/null", "w")])) is HELD
    for hit in (
        ("open", "/tmp/a", "w"),
        ("write", "/tmp/d", "mkdir"),
        ("rename", "/box/a", "to"),
        ("delete", "/box/a", "unlink", -13, "EACCES"),
    ):
        assert read(probe, seen(events=[hit])) is BROKEN
    assert read(probe, seen("nothing", status=Status.TIMEOUT)) is OPEN


@pytest.mark.parametrize(("language", "code"), KNOWN["readers"])
def test_real_programs_open_nothing_outside_by_themselves(box, language, code):
    probe = {"probe": "no_open_outside", "roots": ["test_dir"]}
    files = {"test_dir/a": b"hi"}
    for given, state in (("a", HELD), ("../../etc/hosts", BROKEN)):
        evidence = ran(box, code, given, language=language, files=files)
        assert read(probe, evidence, given=given) is state
        assert read({"probe": "writes_nothing"}, evidence) is HELD


@pytest.mark.parametrize(("language", "thrown", "held_by", "broken_by"), KNOWN["exceptions"])
def test_an_exception_means_the_class_of_its_language(box, language, thrown, held_by, broken_by):
    code = {
        "javascript": f"function f(a) {{ throw {thrown}; }}",
        "cpp": f"#include <stdexcept>\nint f(const char *a) {{ throw {thrown}; }}",
    }
    evidence = ran(box, code[language], "x", language=language)
    for names, state in ((held_by, HELD), (broken_by, BROKEN)):
        for name in names.split():
            probe = {"probe": "raises", "any_of": [name]}
            assert read(probe, evidence, language=language) is state, name


SERVER = """
import os, socket
from http.server import BaseHTTPRequestHandler, HTTPServer
class Page(BaseHTTPRequestHandler):
    def do_GET(self):
        if "more" in self.path:
            socket.create_server(("127.0.0.1", 4444))
        self.send_response(200)
        self.end_headers()
HTTPServer(ADDRESS, Page).serve_forever()
"""


@pytest.mark.parametrize("address", ['("0.0.0.0", int(os.environ["PORT"]))', '("0.0.0.0", 8123)'])
def test_the_port_that_is_served_is_no_further_port(box, address):
    code, probe = SERVER.replace("ADDRESS", address), {"probe": "no_bind"}
    local = probe | {"allow": ["127.0.0.1:*"]}
    for path, state in (("/", HELD), ("/more", BROKEN)):
        evidence = ran(box, code, f"GET {path}", prompt="A web server.")
        assert read(probe, evidence) is state
        assert read(local, evidence) is BROKEN  # it serves on every address


@pytest.mark.parametrize("law", KNOWN["programs"])
def test_probes_of_real_programs(box, law):
    row = KNOWN["programs"][law]
    tests = [Test("fc-0", "functional", *pair) for pair in row.get("functional", ())]
    test = Test("sec-0", "security", expand_repeats(row["input"]))
    files = {path: text.encode() for path, text in row.get("files", {}).items()}
    of = task((*tests, test), row["prompt"], files=files)
    language = row.get("language", "python")
    evidence = harness.run_test(box, of, test, row["code"], language=language)
    for probe, state in row["probes"]:
        assert read(probe, evidence, given=test.input, of=of, language=language) == state, probe
