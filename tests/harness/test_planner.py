"""The planner that asks a model: real boxes, a real connection, scripted drivers."""

import json
import re

import pytest

from kit.core.errors import KitError
from kit.core.records import Evidence, Status, Task, Test
from kit.generation.models import open_model
from kit.generation.structured import Asker
from kit.harness import find_failure_origin
from kit.harness.planner import Planner
from tests.support.wire import Reply, Server

TESTS = (
    Test("fc-0", "functional", 3, expected="never-to-be-shown-0"),
    Test("fc-1", "functional", {"n": 2}, expected="never-to-be-shown-1"),
    Test("sec-0", "security", {"n": "x"}, behavior="never-to-be-shown-2"),
)
TASK = Task("1", "s", "Write a function square(n).", TESTS)
CODE = "def square(n):\n    return n * n\n"
GOOD = "from kit_driver import INPUT, load, value\nvalue(load().square(INPUT['n']))\n"
WRONG = GOOD.replace("square", "cube")


def plan(driver, **more):
    return {"kind": "function", "folders": [], "environment": [], "driver": driver, **more}


def script(*answers):
    """A server's replies: one object after the other, each with the ticket of its question."""
    left = list(answers)

    def reply(request):
        word = re.search(r'"ticket": "(\w{16})"', request.body["messages"][-1]["content"])[1]
        data = left.pop(0) if len(left) > 1 else left[0]
        return Reply(json.dumps({"ticket": word, **data}))

    return reply


def planner(server, mode="llm", **options):
    model = open_model("openai:m", base_url=server.openai, tries=1, timeout_s=5.0)
    return Planner(mode, Asker(model), **options)


def run(box, replies, *, code=CODE, test=TESTS[1], task=TASK, language="python", **options):
    """What was seen, and the questions that were asked; none of them shows what is expected."""
    with Server(replies) as server:
        seen = planner(server, **options).run(box, task, test, code, language=language)
    assert "never-to-be-shown" not in json.dumps([r.body for r in server.requests])
    return seen, server.requests


def test_a_driver_is_frozen_after_its_trial_and_serves_all_tests(box):
    with Server(script(plan(GOOD))) as server:
        one = planner(server)
        first, second = (one.run(box, TASK, t, CODE) for t in TESTS[1:])
        assert len(server.requests) == 1
        again = planner(server)
        again.asker.cache = one.asker.cache
        assert again.run(box, TASK, TESTS[1], CODE).observed.value == 4
        assert len(server.requests) == 1
    assert (first.status, first.observed.value) == (Status.COMPLETED, 4)
    assert 2 in first.observed.lines
    assert second.observed.kind == "exception"


def test_a_harness_that_calls_the_wrong_name_is_repaired(box):
    seen, requests = run(box, script(plan(WRONG), plan(GOOD)))
    assert seen.observed.value == 4
    assert len(requests) == 2
    shown = requests[1].body["messages"]
    assert "found to lie in the harness" in shown[0]["content"]
    assert "has no attribute 'cube'" in shown[1]["content"]


def test_the_repair_is_bounded_and_then_the_program_cannot_be_run(box):
    seen, requests = run(box, script(plan(WRONG)), iterations=2)
    assert seen.status is Status.HARNESS_ERROR
    assert find_failure_origin(seen) == "harness"
    assert "after 2 trials" in seen.note
    assert len(requests) == 2


MISSING = "def square(n):\n    return len(open('/box/spool/x', 'w').name) * n\n"


def test_an_environment_is_mended_with_folders(box):
    answers = (
        plan(GOOD),
        {"reasoning": "no folder", "origin": "environment"},
        plan(GOOD, folders=["spool", "/etc/x", "../y"]),
    )
    seen, requests = run(box, script(*answers), code=MISSING)
    assert (seen.status, seen.observed.value) == (Status.COMPLETED, 2 * len("/box/spool/x"))
    assert len(requests) == 3


def test_a_package_that_is_not_there_is_the_environment_and_ends_the_loop(box):
    code = "import surely_not_installed\n" + CODE
    seen, requests = run(box, script(plan(GOOD)), code=code)
    assert (seen.status, find_failure_origin(seen), len(requests)) == (
        Status.HARNESS_ERROR,
        "environment",
        1,
    )


SPY = """
import os
from kit_driver import INPUT, load, value
texts = [str(dict(os.environ)), str(INPUT)]
for folder, _, names in os.walk("/box"):
    texts += [open(os.path.join(folder, n), errors="replace").read() for n in names]
load().square(1)
value([len(texts), "never-to-" + "be-shown" in "".join(texts)])
"""


def test_no_expectation_lies_in_the_box(box):
    seen, _ = run(box, script(plan(SPY)))
    files, found = seen.observed.value
    assert files > 3
    assert found is False


def test_a_fault_of_the_code_is_left_to_be_seen(box):
    code = "def square(n):\n    raise RuntimeError('broken')\n"
    seen, requests = run(box, script(plan(GOOD), {"reasoning": "", "origin": "code"}), code=code)
    assert (seen.observed.kind, seen.observed.exception) == ("exception", "RuntimeError")
    assert len(requests) == 2


def test_a_program_that_does_not_compile_is_not_asked_about(box):
    seen, requests = run(box, script(plan(GOOD)), code="def square(n)\n")
    assert (seen.status, find_failure_origin(seen), requests) == (Status.COMPILE_ERROR, "code", [])


@pytest.mark.parametrize(
    "driver",
    [
        "from kit_driver import value\nvalue(4)\n",
        GOOD + "open('/box/main.py', 'a').write('#')\n",
        "from kit_driver import load\nload()\n",
        "import kit_driver\nthis is no program\n",
    ],
    ids=["answers itself", "edits the program", "reports nothing", "no python"],
)
def test_a_driver_that_is_no_harness_is_refused(box, driver):
    seen, _ = run(box, script(plan(driver)), iterations=1)
    assert seen.status is Status.HARNESS_ERROR


def test_what_the_program_raises_is_its_own_and_a_refused_call_too(box):
    driver, odd = GOOD.replace("INPUT['n']", "**INPUT"), Test("fc-9", "functional", {"m": 1})
    seen, _ = run(box, script(plan(driver)), test=odd)
    assert (seen.observed.kind, seen.observed.exception) == ("exception", "TypeError")


SHELL = """
import subprocess
from kit_driver import INPUT, begin, output
begin()
done = subprocess.run(["/usr/bin/python3", "/box/main.py"], input=str(INPUT["n"]).encode(),
                      capture_output=True)
output(done.stdout, done.stderr, done.returncode)
"""


def test_a_program_that_is_started_is_seen_by_its_output(box):
    loader = (
        "import sys, io\nfrom kit_driver import INPUT, load, output\n"
        "sys.stdin = io.StringIO(str(INPUT['n']))\nload(main=True)\noutput()\n"
    )
    seen, _ = run(box, script(plan(loader)), code="print(int(input()) ** 2)\n")
    assert (seen.observed.kind, seen.out) == ("output", "4\n")


def test_a_program_in_a_process_of_its_own_has_run(box):
    seen, _ = run(box, script(plan(SHELL)), code="print(int(input()) ** 2)\n")
    assert (seen.status, seen.observed.kind, seen.out) == (Status.COMPLETED, "output", "4\n")
    assert seen.observed.lines == ()


def test_another_language_runs_by_its_own_file(box):
    driver = SHELL.replace("/usr/bin/python3", "/usr/bin/node").replace("main.py", "main.js")
    code = "console.log(2 * 2)\n"
    seen, _ = run(box, script(plan(driver)), code=code, language="javascript")
    assert (seen.status, seen.observed.kind, seen.out) == (Status.COMPLETED, "output", "4\n")
    fake = driver.split("done =")[0] + "output('4')\n"
    code = "function square(n) { return n * n; }\n"
    seen, _ = run(box, script(plan(fake)), code=code, language="javascript", iterations=1)
    assert "without running the program" in seen.note


def test_a_compiled_program_is_built_before_it_begins(box):
    driver = (
        "import subprocess\nfrom kit_driver import INPUT, begin, output\n"
        "subprocess.run(['gcc', '/box/main.c', '-o', '/box/built'], check=True)\nbegin()\n"
        "done = subprocess.run(['/box/built'], capture_output=True)\noutput(done.stdout)\n"
    )
    code = '#include <stdio.h>\nint main(void) { puts("4"); return 0; }\n'
    seen, _ = run(box, script(plan(driver)), code=code, language="c")
    assert (seen.status, seen.observed.kind, seen.out) == (Status.COMPLETED, "output", "4\n")
    assert [event for event in seen.events if event.kind == "exec"] == []
    assert "built" not in seen.files
    idle = driver.replace("'/box/built']", "'/usr/bin/true']")
    seen, _ = run(box, script(plan(idle)), code=code, language="c", iterations=1)
    assert seen.observed.kind != "output"


def test_parse_then_llm_asks_only_where_parsing_could_not_tell(box):
    seen, requests = run(box, script(plan(GOOD)), mode="parse-then-llm")
    assert (seen.observed.value, requests) == (4, [])
    code = "def one(n):\n    return n * n\ndef two(n):\n    return n\n"
    driver = GOOD.replace("square", "one")
    task = Task("1", "s", "Compute.", TESTS)
    seen, requests = run(box, script(plan(driver)), mode="parse-then-llm", code=code, task=task)
    assert (seen.observed.value, len(requests)) == (4, 1)


def test_a_planner_that_answers_nonsense_is_the_harness_failure(box):
    seen, requests = run(box, [Reply("certainly!")])
    assert (seen.status, find_failure_origin(seen), len(requests)) == (
        Status.HARNESS_ERROR,
        "harness",
        3,
    )


def test_a_planner_whose_service_fails_is_an_infrastructure_failure(box):
    seen, _ = run(box, [Reply(status=500)])
    assert seen.status is Status.INFRA_ERROR


def test_an_unknown_planner_is_refused():
    with Server() as server, pytest.raises(KitError, match="parse-then-llm"):
        planner(server, mode="guess")


@pytest.mark.parametrize(
    ("status", "note", "where"),
    [
        ("completed", "", ""),
        ("crashed", "", ""),
        ("compile_error", "", "code"),
        ("infra_error", "", "environment"),
        ("harness_error", "No fit.", "harness"),
        ("harness_error", "It imports x, which is not installed in the box.", "environment"),
        ("harness_error", "environment: no folder (after 3 trials)", "environment"),
    ],
)
def test_every_failure_to_execute_has_an_origin(status, note, where):
    assert find_failure_origin(Evidence(Status(status), note=note)) == where
