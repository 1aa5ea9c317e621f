"""The law of a program that lacks what its task asks for: no test of it passes or is undecided."""

import pytest

from kit import harness, oracle
from kit.core.records import Outcome, Reason, Task, Test
from kit.run.suites import open_suite
from kit.systems.codeguard import execute
from tests.support.commands import invoked

SUITE = open_suite("dualgauge")
TASKS = SUITE.load().tasks
PROGRAMS = {
    "python": [
        "x = 1",
        "# nothing",
        "import os",
        'print("hello")',
        "def unrelated():\n    return 1",
        "def add(a, b):\n    return a + b",
        "def load_document(name):\n    return name",
        "class Unrelated:\n    def greet(self):\n        return 'hi'",
        "class Shop:\n    def __init__(self",
        "while True:\n    pass",
        "raise ValueError('no')",
    ],
    "javascript": [
        "const x = 1;",
        "// nothing",
        "const fs = require('fs');",
        'console.log("hello");',
        "function unrelated() { return 1; }\nmodule.exports = { unrelated };",
        "class Unrelated { greet() { return 'hi'; } }\nmodule.exports = Unrelated;",
        "class Shop {\n  constructor(",
        "throw new Error('no');",
    ],
    "cpp": [
        "int x = 1;",
        "// nothing",
        "#include <string>",
        "int main() { return 0; }",
        '#include <iostream>\nint main() { std::cout << "hello"; }',
        "int unrelated() { return 1; }",
        "struct Unrelated { int greet() { return 1; } };",
        "class Shop {\n  int f(",
    ],
}
SERVERS = ("k03", "k21", "k22", "k36")
CASES = [(language, code) for language, codes in PROGRAMS.items() for code in codes]


def verdicts(box, task, tests, language, code):
    for test in tests:
        evidence = harness.run_test(box, task, test, code, language=language)
        yield oracle.judge(task, test, evidence, language=language)


def all_fail(box, task, tests, language, code):
    return {v.outcome for v in verdicts(box, task, tests, language, code)} == {Outcome.FAIL}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["k01", "k11", "k06", "k03"])  # function, class, words, server
@pytest.mark.parametrize(("language", "code"), CASES)
def test_it_fails_tests_of_both_kinds(box, name, language, code):
    if name == "k03" and code.startswith("while"):
        pytest.skip("six seconds for each test: among the slow ones")
    task = SUITE.load().task(name)
    first = {test.kind: test for test in task.tests}
    assert all_fail(box, task, first.values(), language, code)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_it_fails_every_test_of_every_task(box, task):
    least = [(language, codes[0]) for language, codes in PROGRAMS.items()]  # x = 1
    for language, code in CASES if task in TASKS[::8] else least:
        if code.startswith("while") and task.id in SERVERS:
            continue  # on a busy machine the time ends before the wait for a port
        assert all_fail(box, task, task.tests, language, code), (language, code)


@pytest.mark.slow
def test_its_rates_are_points(tmp_path):
    for name in ("k01", "k03", "k06", "k11"):
        (tmp_path / "programs" / name).mkdir(parents=True)
        (tmp_path / "programs" / name / "m.py").write_text("x = 1\n")
    programs = ("--programs", tmp_path / "programs")
    done = invoked("evaluate", "dualgauge", *programs, "--run", tmp_path / "run")
    assert done.exit_code == 0
    assert "between" not in done.output
    assert "undecided" not in done.output


ENDS = [
    ("import time\ntime.sleep(60)", "opened no port within"),
    ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)", "ended by a signal before"),
    ("open('none')", "FileNotFoundError came before the program opened a port"),
    ("raise SystemExit(3)", "ended with exit code 3 and opened no port"),
    ("def serve():\n    pass", "ended with exit code 0 and opened no port"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "words"), ENDS)
def test_a_server_that_opens_no_port_fails_however_it_ends(box, code, words):
    probes = ({"probe": "no_exec", "allow": []},)
    test = Test("sec-0", "security", input="GET /x", cwe="CWE-78", probes=probes)
    task = Task("t", "s", "A web service. It listens on port 8080.", (test,))
    (verdict,) = verdicts(box, task, task.tests, "python", code)
    assert (verdict.outcome, verdict.reason) == (Outcome.FAIL, Reason.LACKING)
    assert words in verdict.sentence


@pytest.mark.slow
def test_a_program_in_a_style_that_is_not_known_yet_stays_undecided(box):
    task = SUITE.load().task("k01")
    code = (
        "#include <string>\nstruct Handle { Handle(void *, void *) {} };\n"
        "std::string read_document(Handle handle) { return {}; }"
    )
    (verdict,) = verdicts(box, task, task.tests[:1], "cpp", code)
    assert verdict.outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("name", ["cwe-078-1-py", "cwe-022-1-py", "cwe-078-1-c"])
@pytest.mark.parametrize("alone", [True, False])
def test_a_completion_without_a_body_fails_tests_of_both_kinds(box, name, alone):
    item = open_suite("codeguard").items[name]
    answers = PROGRAMS["python"][:7] if item.language == "python" else ["int x = 1;", "// nothing"]
    for answer in answers:
        program = answer if alone else item.prompt + answer
        for kind in ("functional", "exploit"):
            evidence = execute.run_tests(box, item, program, kind)
            verdict = execute.judge_evidence(kind, item.names(kind), evidence)
            assert verdict.outcome is Outcome.FAIL, (answer, kind, verdict.sentence)
