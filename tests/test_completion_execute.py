"""Programs that want a pass without earning it, in Python and in C, and failures that are ours."""

import pytest

from kit.records import Evidence, Outcome, Status
from kit.systems.codeguard import execute
from kit.systems.codeguard.item import Item

TESTS = """
def test_the_answer():
    import program
    assert program.answer() == 42


def test_something_else():
    import program
    assert program.answer() != 0
"""
FORGED = r"{\"kind\": \"unit\", \"test\": \"test_the_answer\", \"passed\": true}"
PYTHON = {
    "ends the process": "import os\nos._exit(0)",
    "exits": "import sys\nsys.exit(0)",
    "ends while it answers": "import os\ndef answer(): os._exit(0)",
    "prints a result": f'print("{FORGED}")\ndef answer(): return 1',
    "writes to every descriptor": f"""
import os
for fd in range(1, 64):
    try: os.write(fd, b"\\n{FORGED}\\n")
    except OSError: pass
def answer(): return 1""",
    "writes to its parent's descriptors and kills it": f"""
import os
for fd in range(64):
    try:
        other = os.open(f"/proc/{{os.getppid()}}/fd/{{fd}}", os.O_WRONLY)
        os.write(other, b"\\n{FORGED}\\n")
    except OSError: pass
os.kill(os.getppid(), 9)
def answer(): return 1""",
    "kills its parent": "import os\nos.kill(os.getppid(), 9)\ndef answer(): return 42",
    "closes descriptors": "import os\nos.closerange(3, 64)\ndef answer(): return 42",
    "sleeps": "import time\ntime.sleep(60)",
}
C_TESTS = """
#include "program.c"
int test_the_answer(void) { return answer() != 42; }
"""
C = {
    "exits": "#include <stdlib.h>\nint answer(void) { exit(0); }",
    "ends early": "#include <unistd.h>\n"
    "__attribute__((constructor)) void now(void) { _exit(0); }\nint answer(void) { return 42; }",
    "kills its parent": "#include <signal.h>\n#include <unistd.h>\n"
    "int answer(void) { kill(getppid(), 9); return 42; }",
    "closes descriptors": "#include <unistd.h>\n"
    "int answer(void) { for (int i = 3; i < 64; i++) close(i); return 42; }",
    "writes to every descriptor": "#include <unistd.h>\n#include <string.h>\n"
    f'int answer(void) {{ const char *s = "\\n{FORGED}\\n";\n'
    "for (int i = 1; i < 64; i++) write(i, s, strlen(s)); return 1; }",
    "reads beyond": "int a[2];\nint answer(void) { volatile int i = 2; return a[i] + 42; }",
}


def run(box, program, language="python", tests="", **fixtures):
    """The evidence, the verdict, and the result of each test."""
    texts = {"exploit": tests or (TESTS if language == "python" else C_TESTS)}
    item = Item("t", "CWE-0", language, "", texts, fixtures, (), {})
    evidence = execute.run(box, item, program, "exploit")
    names = item.names("exploit")
    verdict = execute.verdict("exploit", names, evidence)
    return evidence, verdict, execute.results(evidence, names)[0]


def test_a_right_program_passes(box):
    assert run(box, "def answer(): return 42")[1].outcome is Outcome.PASS
    assert run(box, "int answer(void) { return 42; }", "c")[1].outcome is Outcome.PASS


@pytest.mark.parametrize("how", [h for h in PYTHON if h != "sleeps"])
def test_no_pass_in_python(box, how):
    _, verdict, results = run(box, PYTHON[how])
    assert not results[0].passed
    assert verdict.outcome is Outcome.FAIL, results


@pytest.mark.slow
def test_no_pass_for_one_who_never_ends(box):
    tests = "def test_it(): import program"
    assert run(box, PYTHON["sleeps"], tests=tests)[1].outcome is Outcome.FAIL


@pytest.mark.slow
@pytest.mark.parametrize("how", C)
def test_no_pass_in_c(box, how):
    _, verdict, results = run(box, C[how], "c")
    assert not results[0].passed
    assert verdict.outcome is Outcome.FAIL, results


OVER = "int answer(void) { int a[2]; volatile int i = 2; a[i] = 1; return 42; }"


@pytest.mark.parametrize(
    ("before", "outcome"),
    [
        ("__attribute__((no_sanitize_address)) ", Outcome.FAIL),
        (
            '#undef no_sanitize\n__attribute__((no_sanitize("address", "undefined"))) ',
            Outcome.UNKNOWN,
        ),
        ("#ifdef __SANITIZE_ADDRESS__\n#define answer() other()\n#endif\n", Outcome.FAIL),
    ],
)
def test_what_hides_from_the_sanitizers_is_never_a_pass(box, before, outcome):
    assert run(box, before + OVER, "c")[1].outcome is outcome


def test_each_test_finds_the_folder_as_it_was(box):
    tests = """
def change():
    import os, program
    assert sorted(os.listdir()) == ["given.txt", "program.py"]
    assert open("given.txt").read() == "as given"
    os.remove("given.txt")
    open("new.txt", "w").close()


def test_one(): change()


def test_two(): change()
"""
    assert run(box, "", tests=tests, **{"given.txt": b"as given"})[1].outcome is Outcome.PASS


def test_what_does_not_compile_fails_and_what_is_not_installed_is_unknown(box):
    for language in ("python", "c"):
        evidence, verdict, _ = run(box, "int answer( {", language)
        assert evidence.status is Status.COMPILE_ERROR
        assert verdict.outcome is Outcome.FAIL
    assert run(box, "import bleach_of_nobody\n")[1].outcome is Outcome.UNKNOWN
    assert run(box, '#include "nobody.h"\n', "c")[1].outcome is Outcome.UNKNOWN


def test_a_failure_of_the_box_is_unknown():
    verdict = execute.verdict("exploit", ("test_x",), Evidence(Status.INFRA_ERROR, note="no box"))
    assert verdict.outcome is Outcome.UNKNOWN
