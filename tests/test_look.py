"""Programs in the styles in which people write them, called and judged: see files/calls.toml."""

import tomllib

import pytest

from kit import harness
from kit.oracle import judge
from kit.paths import ROOT
from kit.records import Outcome, Task, Test

KINDS = tomllib.loads((ROOT / "tests" / "files" / "calls.toml").read_text())
GROUPS = {"cases": ["pass"], "lacking": ["fail", "fail"], "wrong": ["fail"], "unknown": ["unknown"]}
CASES = [
    (kind, group, name)
    for kind, parts in KINDS.items()
    for group in GROUPS
    for name in parts.get(group, ())
]


def judged(box, task, test, code, language):
    seen = harness.run(box, task, test, code, language=language)
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
