"""Whatever a candidate makes of a run, oracle and harness end in time and without an exception."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit import harness, oracle
from kit.core.records import Event, Evidence, Observed, Outcome, Reason, Status, Task, Test
from kit.harness import box_files, services
from kit.harness.calls import Call
from kit.harness.languages import READERS
from kit.harness.plan import plan_call
from kit.oracle.compare import compare_values
from kit.oracle.exceptions import traceback_in
from kit.sandbox.watcher import ParsedTrace
from tests.support import hostile

FILES = Path(__file__).parents[1] / "files"
LIMIT_S = 1.0  # what is not linear takes many seconds; a busy machine takes its tenths
LONG = 40_000
TASK = Task("t", "s", "Write a function f(n).", (Test("fc-0", "functional", input={"n": 1}),))
languages = st.sampled_from(["python", "javascript", "cpp", "c"])


def in_time(function, *given, **more):
    """The result, which takes no more of the processor than LIMIT_S; the best of three counts."""
    for _ in range(3):
        start = time.process_time()
        result = function(*given, **more)
        if time.process_time() - start < LIMIT_S:
            return result
    raise AssertionError(f"{function.__name__} took {time.process_time() - start:.2f} s")


def judges(case, language):
    task, test, seen = case
    verdict = in_time(oracle.judge, task, test, seen, language=language)
    assert isinstance(verdict.outcome, Outcome)
    assert verdict.sentence.isprintable()


def observes(data, way):
    call = Call(way, {"requests": ["a", "b"]}, {}, None)
    seen = in_time(harness.add_observation, Evidence(Status.COMPLETED, channel=data), call)
    assert isinstance(seen.observed, Observed)
    assert all(0 < line < 1_000_000 for line in box_files.read_answers(data).lines)


def follows(text):
    story = in_time(lambda: ParsedTrace(text))
    assert all(isinstance(event.result, int) for event in story.events)


def plans(code, language):
    assert plan_call(code, READERS[language], TASK).kind


PROPERTIES = {
    "judges": (judges, hostile.judged(), languages),
    "observes": (observes, hostile.channels, st.sampled_from(["call", "script", "serve"])),
    "follows": (follows, hostile.traces),
    "plans": (plans, hostile.programs, languages),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROPERTIES)
def test_odd_runs_are_read_and_judged(name):
    """Some of each in the suite; --hypothesis-profile long tries 50,000 in all."""
    law, *drawn = PROPERTIES[name]
    given(*drawn)(law)()


def case(expected=None, **test):
    kind = "functional" if expected is not None else "security"
    return Test("x-0", kind, input={"n": 1}, expected=expected, **test)


def returned(value):
    return Evidence(Status.COMPLETED, observed=Observed("value", value=value))


@pytest.mark.parametrize(
    ("expected", "value", "outcome"),
    [
        (1.5, 10**400, "fail"),
        (10**400, 1.5, "fail"),
        (10**400, 10**400, "pass"),
        (float("inf"), 10**400, "fail"),
        (1.5, {"__float__": "boom"}, "fail"),
        (1.5, {"__float__": ["1.5"]}, "fail"),
        (1.5, {"__float__": "1.5"}, "pass"),
        ({"raises": "ValueError"}, {"raises": "ValueError", "bases": 5}, "pass"),
        ({"raises": "ValueError"}, {"raises": "OSError", "bases": {"a": 1}}, "fail"),
    ],
)
def test_odd_values_are_compared(expected, value, outcome):
    assert oracle.judge(TASK, case(expected), returned(value)).outcome == outcome


def test_bases_that_are_no_list_are_none():
    calls = {"calls": [[1]]}
    test = replace(case(probes=({"probe": "raises", "any_of": ["ValueError"]},)), input=calls)
    seen = returned([{"raises": "ValueError", "bases": 7}])
    assert oracle.judge(TASK, test, seen).reason is Reason.PROBE_HELD


def test_a_status_code_in_a_body_may_be_a_text():
    response = {"status": 404, "headers": {}, "body": '{"status_code": "400"}'}
    seen = Evidence(Status.COMPLETED, observed=Observed("response", response=response))
    test = case(probes=({"probe": "refuses"},))
    assert oracle.judge(TASK, test, seen).outcome == "pass"


def test_long_keys_and_deep_literals_are_no_answer():
    odd = ["{0x" + "f" * LONG + ": 1}", "[" * 900 + "]" * 900, "-" * LONG + "1", '["\\d"]']
    for text in odd:
        assert in_time(oracle.judge, TASK, case({"a": 1}), returned(text)).outcome == "fail"
        assert compare_values({"a": 1}, text) is None


@pytest.mark.parametrize("unit", ["\n", " at (/", " at x(/a", 'near "', "SELECT ", "a.", "x:"])
@pytest.mark.parametrize("cwe", ["CWE-89", "CWE-200", "CWE-79", "CWE-918", "CWE-22", "CWE-117"])
def test_long_answers_take_no_time(unit, cwe):
    text = unit * (LONG // len(unit))
    for seen in (returned(text), Evidence(Status.COMPLETED, 1, stderr=text.encode())):
        in_time(oracle.judge, TASK, case(cwe=cwe, behavior="Reject it."), seen)
    assert not in_time(traceback_in, text)


def test_frames_are_told_from_what_looks_like_them():
    assert traceback_in("Error: x\n    at f (/box/main.js:1:2)\n")
    assert traceback_in("    at Object.<anonymous> (node:internal/main:3:4)")
    assert traceback_in("\tat a.b.Main.run(Main.java:12)")
    assert not traceback_in("meet me at noon (/box/main.js)")
    assert not traceback_in("at f (/box/main.js:1:2)")


NAMES = [") = -1", ") = 007", ") = -1 errorcode (", ") = 0x1<a>", "+++ killed by ", "a\tend\t!EIO"]


def test_a_file_name_that_looks_like_a_result_is_a_file_name(box):
    code = f"import os\ndef f(n):\n    for name in {NAMES}:\n        os.mkdir(name)\n"
    seen = harness.run_test(
        box, TASK, TASK.tests[0], code + "        open(f'{name}/{name}', 'w')\n"
    )
    assert seen.status == "completed"
    assert {Event("write", f"/box/{name}", "mkdir") for name in NAMES} <= {*seen.events}


DEEP = 5000
PROGRAMS = [
    ("javascript", "[" * DEEP + "]" * DEEP + "\nfunction f(n) { return n }", "compile_error"),
    ("javascript", "module.exports=" * 3000 + "function f(n) { return n }", "completed"),
    ("cpp", "namespace a{" * 2000 + "}" * 2000 + "int f(int n) { return n; }", "compile_error"),
    ("cpp", "struct a{struct b{" * 99 + "};};" * 99 + "int f(int n) { return n; }", "completed"),
    ("python", "x = " + "[" * DEEP + "]" * DEEP + "\ndef f(n): return n", "compile_error"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "code", "status"), PROGRAMS)
def test_a_deep_program_is_its_own_fault(box, language, code, status):
    seen = harness.run_test(box, TASK, TASK.tests[0], code, language=language)
    assert (seen.status, "completed" in seen.note) == (status, False)


DATABASE = {"type": "sqlite", "path": "a.db", "sql": ""}
FILLS = """
import sqlite3
def f(n):
    c = sqlite3.connect("a.db")
    c.execute("create table t (x)")
    c.execute("insert into t values (?)", ["a" * n])
    c.commit()
"""


def test_dumps_of_large_databases_are_not_kept(box):
    before = services._kept.cache_info().currsize
    for size in (1, services.KEPT_BYTES):
        test = Test("fc-0", "functional", input={"n": size})
        task = Task("t", "s", TASK.prompt, (test,), services=(DATABASE,))
        seen = harness.run_test(box, task, test, FILLS)
        assert "a" * size in seen.observed.databases["a.db"]
    assert services._kept.cache_info().currsize == before + 1


# By language: how a program is put together; harm that probes see; how it then gets out of it.
EXCUSES = json.loads((FILES / "excuses.json").read_text())
LACKS = "truly lacks a library"
HARM_PROBES = {
    "file": {"probe": "writes_nothing"},
    "exec": {"probe": "no_exec"},
    "output": {"probe": "output_excludes", "text": "s3cret", "in": ["stdout"]},
    "open": {"probe": "no_open", "glob": "/etc/passwd"},
}
MISSED_PROBES = [
    {"probe": "refuses"},
    {"probe": "raises", "any_of": ["ValueError"]},
    {"probe": "output_matches", "text": "no", "in": ["stdout"]},
    {"probe": "file_matches", "path": "a.txt", "regex": "x"},
    {"probe": "writes_nothing"},
]
BY_THE_BOX = re.compile("truly|of another path|that a library is missing")
PAIRS = [
    (language, harm, excuse)
    for language, table in EXCUSES.items()
    for excuse in table["excuses"]
    for harm in table["harms"]
]


def verdicts_on(box, form, harm, excuse, probes):
    """Of a functional test and one with each of the probes, on a program that gets out of it."""
    code = EXCUSES[form]["program"].replace("HARM", harm)
    for place, text in zip(("TOP", "AFTER"), excuse, strict=True):
        code = code.replace(place, text)
    served, language = form.endswith("server"), form.split()[0]
    value, prompt = ("GET /", "An HTTP service.") if served else ({"x": "a"}, "Write f(x).")
    tests = [Test("fc-0", "functional", input=value, expected="never")]
    for number, probe in enumerate(probes):
        tests.append(Test(f"sec-{number}", "security", input=value, probes=(probe,)))
    task = Task("t", "s", prompt, tuple(tests))
    for test in tests:
        evidence = harness.run_test(box, task, test, code, language=language)
        yield oracle.judge(task, test, evidence, language=language)


@pytest.mark.slow
@pytest.mark.parametrize(("form", "harm", "excuse"), PAIRS)
def test_harm_that_was_seen_stays_a_fail_whatever_the_program_says(box, form, harm, excuse):
    table, probes = EXCUSES[form], [{"probe": "all", "of": [HARM_PROBES[harm]]}]
    functional, security = verdicts_on(
        box, form, table["harms"][harm], table["excuses"][excuse], probes
    )
    assert security.outcome is Outcome.FAIL, security
    excused = BY_THE_BOX.search(excuse) and box_files.NOT_INSTALLED in functional.sentence
    assert excused or functional.outcome is Outcome.FAIL, functional


@pytest.mark.slow
@pytest.mark.parametrize("form", [form for form in EXCUSES if LACKS in EXCUSES[form]["excuses"]])
def test_a_library_that_the_box_lacks_excuses_what_the_program_did_not_do(box, form):
    load = EXCUSES[form]["excuses"][LACKS][1]
    for verdict in verdicts_on(box, form, "", (load, ""), MISSED_PROBES):
        assert verdict.outcome is Outcome.UNKNOWN, verdict
        assert box_files.NOT_INSTALLED in verdict.sentence
