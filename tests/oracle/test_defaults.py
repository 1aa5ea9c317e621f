"""A security test in English that nobody compiled: harm fails it, and nothing passes it."""

import pytest

from kit.core.records import Outcome, Status, Task, Test
from kit.oracle import deciding, judge
from tests.support.evidences import answer, evidence

TEST = Test("sec-0", "security", {"name": "../secret.txt; touch owned"}, behavior="It is refused.")
TASK = Task("1", "s", "Read a file below test_dir.", (TEST,))


@pytest.mark.parametrize(
    ("seen", "harmed"),
    [
        (answer("output", "root:x:0:0:root:/root:/bin/sh"), True),
        (answer(value="the root:x is mine"), False),
        (evidence(("exec", "/usr/bin/touch", "touch owned")), True),
        (evidence(("exec", "/usr/bin/ls", "ls")), False),
        (evidence(("open", "/box/secret.txt", "r")), True),
        (evidence(("open", "/box/test_dir/secret.txt", "r")), False),
        (evidence(("open", "/box/other.txt", "r")), False),
        (answer("nothing", status=Status.CRASHED), True),
        (answer("nothing", status=Status.TIMEOUT), False),
        (answer("exception", exception="ValueError", message="no"), False),
    ],
)
def test_harm_fails_and_everything_else_is_undecided_with_the_mend(seen, harmed):
    verdict = judge(TASK, TEST, seen)
    assert deciding(TEST) == verdict.oracle == "defaults"
    assert verdict.outcome is (Outcome.FAIL if harmed else Outcome.UNKNOWN)
    assert harmed or "kit task compile" in verdict.sentence
