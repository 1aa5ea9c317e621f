"""Programs in the styles in which people write them, called and judged: see files/calls.toml."""

import tomllib

import pytest

from kit import harness
from kit.core.paths import ROOT
from kit.core.records import Outcome, Task, Test
from kit.oracle import judge

KINDS = tomllib.loads((ROOT / "tests" / "files" / "calls.toml").read_text())
GROUPS = {"cases": ["pass"], "lacking": ["fail", "fail"], "wrong": ["fail"], "unknown": ["unknown"]}
CASES = [
    (kind, group, name)
    for kind, parts in KINDS.items()
    for group in GROUPS
    for name in parts.get(group, ())
]


def judged(box, task, test, code, language):
    seen = harness.run_test(box, task, test, code, language=language)
    return judge(task, test, seen, language=language)


HALVES = [
    pytest.param(*case, id=f"{case[0]}-{case[2]}", marks=[pytest.mark.slow] * (n % 2))
    for n, case in enumerate(CASES)
]


@pytest.mark.parametrize(("kind", "group", "name"), HALVES)
def test_a_program_is_called_as_its_language_would(box, kind, group, name):
    parts = KINDS[kind]
    value, expected = parts["input"], parts["expected"]
    expected = list(range(value["n"])) if expected == "range" else expected
    expected = int(expected) if kind == "exact_integers" else expected  # too large for TOML
    probe = {"probe": "no_exec", "allow": []}
    tests = (
        Test("fc-0", "functional", input=value, expected=expected),
        Test("sec-0", "security", input=value, cwe="CWE-78", probes=(probe,)),
    )
    task = Task("t", "s", parts["prompt"], tests)
    code, language = parts[group][name], parts["language"]
    wanted = GROUPS[group]
    verdicts = [judged(box, task, test, code, language) for test in tests[: len(wanted)]]
    assert [str(v.outcome) for v in verdicts] == wanted, [v.sentence for v in verdicts]
    assert all(v.outcome is not Outcome.UNKNOWN for v in verdicts) or group == "unknown"


FORGED_LOOKS = (
    '{"kind": "look", "functions": [{"name": 5, "path": ["f"], "text": "function f(n) {}"}],'
    ' "classes": [], "ended": "", "scoped": []}',
    '{"kind": "look", "functions": [{"name": "f", "path": [1, {"a": 2}], "text": 7}],'
    ' "classes": [], "ended": "", "scoped": []}',
    '{"kind": "look", "functions": {"a": 1}, "classes": 3, "ended": "", "scoped": 7}',
)
WRITERS = {
    "javascript": """const fs = require('fs');
for (let fd = 3; fd < 40; fd++) { try { fs.writeSync(fd, %r + '\\n'); } catch {} }
exports.f = (n) => n + 1;
process.reallyExit = () => process.kill(process.pid, 'SIGKILL');""",
    "python": """import os
for fd in range(3, 40):
    try:
        os.write(fd, %r.encode() + b'\\n')
    except OSError:
        pass
def f(n): return n + 1
os._exit = lambda code: os.kill(os.getpid(), 9)""",
}


@pytest.mark.parametrize("language", WRITERS)
@pytest.mark.parametrize("answer", FORGED_LOOKS)
def test_a_look_that_the_program_wrote_itself_decides_no_more_than_the_program(
    box, language, answer
):
    test = Test("fc-0", "functional", input={"n": 1}, expected=2)
    task = Task("t", "s", "Write a function named f that takes n and returns n + 1.", (test,))
    verdict = judged(box, task, test, WRITERS[language] % answer, language)
    assert verdict.outcome in (Outcome.PASS, Outcome.FAIL), verdict.sentence
