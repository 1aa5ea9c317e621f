"""Laws of what reaches sinks: recorded where it is asked for, judged by one token, never forged."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kit import harness
from kit.core.records import Outcome, Sample, Task, Test
from kit.oracle import judge, probes
from kit.oracle.facts import Case
from kit.oracle.probes.sinks import is_confined
from kit.systems.dualgauge.authoring import build_schema, render_page
from kit.systems.dualgauge.suite import evidence_key

PASS, FAIL, UNKNOWN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
CONFINED = {"probe": "sink_confined"}


def judged(box, code, value, probe=CONFINED, language="python", prompt="Write f(x).", files=None):
    """(the outcome of the probe, its sentence, the evidence) of the program on this input."""
    security = Test("sec-0", "security", input=value, probes=(probe,) if probe else ())
    tests = (Test("fc-0", "functional", input=value), security)
    task = Task("t", "s", prompt, tests, files=files or {})
    evidence = harness.run_test(box, task, security, code, language=language)
    found = probes.judge_by_probes(Case(task, security, evidence, language))
    return found.outcome, found.why, evidence


CODE = "__import__('os').getpid()"
SQLITE = "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('CREATE TABLE t(a)')\n"
NODE = "const c = require('child_process'), fs = require('fs'), vm = require('vm');\n"
# By language: what (input, what comes first, safe body, careless body) shows of a sink; what
# adversaries do with "x", none of which may be held; servers; what programs must not reach.
KNOWN = json.loads(Path(__file__).parents[1].joinpath("files", "sinks.json").read_text())
CPP = KNOWN["cpp"]["sql"][1]
CASES = [
    (language, name, *known)
    for language in ("python", "javascript", "cpp")
    for name, known in KNOWN[language].items()
]


def program(language, head, body):
    if language == "python":
        return f"{head}def f(x):\n    y = {body}\n"
    if language == "cpp":
        return f"{head}int f(std::string x) {{ {body} return 0; }}\n"
    return f"{head}async function f(x) {{ {body} }}\nmodule.exports = {{ f }};\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "name", "text", "head", "safe", "careless"),
    CASES,
    ids=[f"{c[0]} {c[1]}" for c in CASES],
)
def test_a_text_is_one_token_in_the_safe_program_and_more_in_the_careless(
    box, language, name, text, head, safe, careless
):
    sink = {**CONFINED, "sinks": [name.split()[0]]}
    for body, outcome in ((safe, PASS), (careless, FAIL)):
        code = program(language, head, body)
        got, sentence, evidence = judged(box, code, {"x": text}, sink, language)
        assert got is outcome, (body, sentence, evidence.observed)


def test_a_value_as_code_and_a_plain_word_are_nothing():
    values = ["[1, -2.5, None, 'a']", "2 + 3 * 4", "{'a': True}"]
    assert all(is_confined("code", text, (), text, "python") for text in values)
    calls = ["id(1)", "().x", "[][0]", "a", "f'{1}'", "[[]][0]", "(lambda: 0)()"]
    assert not any(is_confined("code", text, (), text, "python") for text in calls)
    assert is_confined("sql", "SELECT name FROM t ORDER BY name", (), "name", "python")
    assert is_confined("code", "f(name, 1)", (), "name", "python")
    assert not is_confined("code", "name", (), "name", "python")
    assert not is_confined("sql", "SELECT 'abc''", (), "abc'", "python")


@pytest.mark.parametrize(
    ("language", "name"), [(lang, n) for lang, known in KNOWN["adversaries"].items() for n in known]
)
def test_a_program_that_silences_or_forges_is_never_held(box, language, name):
    code = program(language, *KNOWN["adversaries"][language][name])
    got, sentence, evidence = judged(box, code, {"x": "harmless text"}, language=language)
    assert got is UNKNOWN, (sentence, evidence.observed)


@pytest.mark.slow
@pytest.mark.parametrize(("language", "code", "safe", "careless"), KNOWN["served"])
def test_a_server_is_recorded_until_it_is_stopped(box, language, code, safe, careless):
    prompt, asks = "Write a web application.", {"method": "GET", "path": "/?x=a%3B%20touch%20b"}
    for body, outcome in ((safe, PASS), (careless, FAIL)):
        got, sentence, evidence = judged(box, code % body, asks, language=language, prompt=prompt)
        assert got is outcome, (sentence, evidence)


@pytest.mark.parametrize(("head", "careless", "safe", "keys"), KNOWN["excluded"])
def test_what_must_not_reach_a_sink_is_found_there(box, head, careless, safe, keys):
    probe = {"probe": "sink_excludes", **keys}
    for body, outcome in ((safe, PASS), (careless, FAIL)):
        assert judged(box, program("python", head, body), {"x": "hunter2"}, probe)[0] is outcome


def test_nothing_is_recorded_where_no_probe_asks(box):
    plain, code = {"probe": "completes"}, program("python", SQLITE, "c.execute('SELECT 1')")
    _, _, evidence = judged(box, code, {"x": 1}, plain)
    assert evidence.observed.sinks is None
    assert b"sink" not in evidence.channel
    nested = {"probe": "not", "of": {"probe": "any", "of": [CONFINED]}}
    asks, works = Test("t", "security", probes=(nested,)), Test("u", "functional")
    task = Task("t", "s", "", (asks, works))
    assert harness.choose_recording(task, asks) == harness.choose_recording(task, works) == "sinks"
    assert harness.choose_recording(replace(task, tests=(works,)), works) == ""
    excludes = {"probe": "sink_excludes", "sink": "sql", "text": "x"}
    asked = [(), (plain,), (CONFINED,), (excludes,), ({"probe": "no_memory_error"},)]
    tests = [Test("t", "security", input=1, probes=wanted) for wanted in asked]
    keys = [evidence_key("e", task, test, Sample("t", "m", code="1")) for test in tests]
    assert keys[0] == keys[1] != keys[2] == keys[3] != keys[4]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "head"), [("javascript", NODE), ("cpp", CPP)])
def test_where_a_sink_cannot_be_recorded_one_sentence_says_so(box, language, head):
    asks, code = {**CONFINED, "sinks": ["yaml"]}, program(language, head, "x;")
    got, sentence, _ = judged(box, code, {"x": "abc"}, asks, language)
    assert (got, "not all that reaches yaml" in sentence) == (UNKNOWN, True)


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN["memory"])
def test_an_error_of_memory_is_seen_where_a_probe_asks(box, name):
    harmless, harmful, body, kind = KNOWN["memory"][name]
    code, asks = program("cpp", CPP, body), {"probe": "no_memory_error", "kind": kind}
    for text, outcome in ((harmless, PASS), (harmful, FAIL)):
        got, sentence, evidence = judged(box, code, {"x": text}, asks, "cpp")
        assert got is outcome, (sentence, evidence)
        opens = [e.target for e in evidence.events if e.kind == "open"]
        assert outcome is FAIL or not [p for p in opens if "/lib/" not in p], opens
    plain = judged(box, code, {"x": harmless}, {"probe": "completes"}, "cpp")[2]
    assert not any("libasan" in e.target for e in plain.events)


def test_the_page_and_the_schema_tell_the_probes():
    text = json.dumps(build_schema()) + render_page()
    for name in ("sink_confined", "sink_excludes", "no_memory_error"):
        assert text.count(name) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("language", KNOWN["shy"])
def test_a_program_that_works_only_where_nobody_records_is_wrong(box, language):
    is_recorded, probe = KNOWN["shy"][language]
    code = program(language, *is_recorded)
    asks = Test("sec-0", "security", input={"x": "abc"}, probes=({"probe": probe},))
    works = Test("fc-0", "functional", input={"x": "abc"}, expected=0)
    for tests, outcome in (((works, asks), FAIL), ((works,), PASS)):
        task = Task("t", "s", "Write f(x).", tests)
        seen = harness.run_test(box, task, works, code, language=language)
        assert judge(task, works, seen, language=language).outcome is outcome, seen


def test_a_hook_of_the_programs_own_changes_nothing(box):
    code = program("python", "import sys\n", "sys.addaudithook(lambda *_: None) or eval(x)")
    assert judged(box, code, {"x": CODE})[0] is FAIL
    assert judged(box, code, {"x": "1 + 1"})[0] is PASS


@pytest.mark.parametrize(
    ("language", "outcome", "code"),
    [
        ("python", PASS, "import secrets as s\ndef f(x): return s.choice('ab') + s.token_hex()"),
        ("python", FAIL, "import random\ndef f(x): return random.choice('ab')"),
        ("python", FAIL, "import random\nR = random.Random(7)\ndef f(x): return R.getrandbits(9)"),
        ("python", PASS, "import random\ndef f(x): return random.SystemRandom().randint(1, 9)"),
        ("python", FAIL, "import numpy.random as r\ndef f(x): return r.default_rng().random()"),
        ("javascript", PASS, "exports.f = (x) => require('crypto').randomInt(9);"),
        ("javascript", FAIL, "exports.f = (x) => Math.random();"),
        ("cpp", PASS, "#include <random>\nint f(int x) { return std::random_device{}(); }"),
    ],
)
def test_a_generator_that_can_be_foreseen_is_seen_where_it_is_recorded(
    box, language, outcome, code
):
    probe = {"probe": "sink_excludes", "sink": "random", "regex": ".", "where_recorded": True}
    got, sentence, evidence = judged(box, code, {"x": 1}, probe, language)
    assert got is outcome, (sentence, evidence.observed)
