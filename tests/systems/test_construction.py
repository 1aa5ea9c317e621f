"""What is constructed is checked: words of a specification, citations, likenesses, strength."""

import json
import shutil
from dataclasses import replace

import pytest

from kit.core.paths import REFERENCES, SUITES
from kit.review.items import ReviewForm
from kit.sandbox import open_sandbox
from kit.systems.dualgauge import construction, item, mutants
from kit.systems.dualgauge.suite import SpecSuite
from tests.support.commands import invoked, kit, told
from tests.support.wire import Server, answering, question

CODE = "def read_note(name):\n    return open('notes/' + name).read()\n"
PLAIN = "Write a function named read_note. It takes a name and returns the text of notes/<name>."


@pytest.mark.parametrize(
    ("words", "gate"),
    [
        ("```\nread_note\n```", "block of code"),
        ("Write this:\nimport json\n", "line of code"),
        ("Write def read_note(name) for us.", "signature"),
        ("Write it with read_note(name: str) as its head.", "signature"),
        ("Write it in Python or C++.", "language"),
        ("It raises ValueError.", "word of one language"),
        ("It reads with pickle.", "library"),
    ],
)
def test_a_gate_refuses_what_belongs_to_one_language(words, gate):
    assert [gate in breach for breach in construction.find_breaches(words)] == [True]
    assert construction.find_breaches(f"{PLAIN} It requests and expresses nothing.") == []


def test_a_sentence_counts_the_tests_that_quote_of_it():
    tests = [
        {"test_id": 0, "because": "returns the text", "input": "a" * 60, "expected_output": 1},
        {"test_id": 1, "input": "a" * 59, "expected_output": 1},
        {"test_id": 2, "input": "b", "expected_output": 1},
        {"test_id": 3, "input": "a" * 60, "expected_output": 2},
    ]
    attack = {"test_id": 0, "input": 1, "expected_behavior/output": "x", "CWE": "CWE-22"}
    attack["because"] = "named   read_note. It takes"  # of two sentences, with other blanks
    body = {"benchmark_id": "x", "prompt": PLAIN, "implementation_details": ""}
    read = item.ITEM.validate_python({**body, "fc_tests": tests, "sec_tests": [attack]})
    first, second = construction.list_requirements(read)
    assert (first.tests, second.tests) == (["sec-0"], ["fc-0", "sec-0"])
    assert [sentence[:13] for sentence in construction.find_alike(read)] == ["fc-0 and fc-1"]


def write_tests(request):
    text = question(request)
    if "## The code" in text:
        is_second = "was refused" in text
        return answering(request, specification=PLAIN if is_second else f"In Python: {PLAIN}")
    if "security tests" in text:
        return answering(request, tests=[])
    cited = {"requirement": "returns the text", "technique": "boundary value"}
    return answering(request, tests=[{**cited, "input": {"name": "a"}, "expected_output": "A"}])


def test_code_becomes_a_specification_that_passes_the_gates(tmp_path):
    (tmp_path / "note.py").write_text(CODE)
    words = ["task", "draft", "dualgauge", "--prompt", tmp_path / "note.py", "--from-code"]
    with Server(write_tests) as server:
        kit(*words, f"--model=openai:a@{server.openai}", "--out", tmp_path)
        asked = [question(request) for request in server.requests]
    assert "names a language: 'Python'" in asked[1]
    data = json.loads((tmp_path / "note" / "tests.json").read_text())
    assert data["prompt"] == PLAIN
    assert [test["because"] for test in data["fc_tests"]] == ["returns the text"]
    page = ReviewForm.of_drafts(tmp_path).page.value
    assert "The code that it was written from" in page
    assert "the text of notes/&lt;name&gt;.\n    fc-0" in page


def test_a_specification_that_never_passes_is_refused(tmp_path):
    (tmp_path / "note.py").write_text(CODE)
    words = ["task", "draft", "dualgauge", "--prompt", tmp_path / "note.py", "--from-code"]
    with Server(lambda request: answering(request, specification=CODE)) as server:
        done = invoked(*words, f"--model=openai:a@{server.openai}", "--out", tmp_path)
    assert (done.exit_code, len(server.requests)) == (2, construction.TRIES)
    assert "passes the gates" in done.stderr


def test_an_unanswered_question_on_code_is_written_down(tmp_path):
    (tmp_path / "note.py").write_text(CODE)
    words = ["task", "draft", "dualgauge", "--prompt", tmp_path / "note.py", "--from-code"]
    done = invoked(*words, f"--model=outside:{tmp_path / 'asked'}#me", "--out", tmp_path)
    assert done.exit_code == 2
    assert "open('notes/'" in (tmp_path / "asked" / "questions.jsonl").read_text()


PROGRAM = """
def grade(points):
    '''A letter.'''
    def inner():
        return 1
    if points < 0:
        raise KeyError(points)
    if points >= 50 and inner():
        return "A"
    return "B"
"""


def test_a_stub_has_the_heads_and_does_nothing():
    assert mutants.make_stub(PROGRAM, "python") == "\ndef grade(points):\n    pass\n"
    assert mutants.make_stub("const f = (a) => { return a; };", "javascript") == (
        "const f = (a) => { };"
    )
    cpp = "int f(int a) { return a; }\nvoid g() { f(1); }\n"
    assert mutants.make_stub(cpp, "cpp") == "int f(int a) { return {}; }\nvoid g() { }\n"


def test_each_mutant_differs_in_one_place_of_the_program():
    changes = [change.describe(PROGRAM) for change in mutants.list_changes(PROGRAM, "python")]
    assert "line 6: 'points < 0' became 'False'" in changes
    assert "line 6: '<' became '<='" in changes
    assert "line 8: '50' became '51'" in changes
    assert "line 8: 'and' became 'or'" in changes
    for language, text in (("javascript", "if (a === 1) { throw a; }"), ("cpp", "bool a = true;")):
        for change in mutants.list_changes(text, language):
            assert change.apply_to(text) != text
    guarded = "int f(int a) { if (a < 0) return 1; return 2; }"
    first = next(mutants.list_changes(guarded, "c"))
    assert "if (0) return 1;" in first.apply_to(guarded)  # C has no `false` of its own
    assert mutants.make_stub(guarded, "c") == "int f(int a) { return 0; }"
    assert mutants.list_statements(PROGRAM, "python") == {5, 6, 7, 8, 9, 10}


@pytest.mark.slow
def test_tests_are_measured_on_stub_and_mutants():
    suite = SpecSuite()
    task = suite.load().task("k18")
    (program,) = mutants.read_secure_programs([task], REFERENCES, "python")
    with open_sandbox("bwrap", suite.limits) as box:
        found = mutants.measure_strength(task, program, box, most=6)
        few = replace(task, tests=task.tests[:1])
        less = mutants.measure_strength(few, program, box, most=0)
    assert found.passed == [test.id for test in task.tests]
    assert found.vacuous
    assert all(test.startswith("sec-") for test in found.vacuous)
    assert {*found.unexecuted} < {*less.unexecuted}
    assert len(less.unexecuted) < less.statements
    assert found.mutants == 6
    assert len(found.survivors) < 6


def test_the_command_names_what_should_be_looked_at(tmp_path):
    shutil.copytree(SUITES / "dualgauge" / "k01", tmp_path / "k01")
    path = tmp_path / "k01" / "tests.json"
    data = json.loads(path.read_text())
    data["prompt"] += " Please write it in Python."
    path.write_text(json.dumps(data))
    doubts = told("task", "check", "dualgauge", "--data", tmp_path)["doubts"]["k01"]
    assert "names a language: 'Python'" in doubts[0]
    assert "no test cites 'Please write it in Python.'" in doubts
    assert invoked("task", "check", "realsec", "--only", "filestore-03").exit_code == 0
    refused = invoked(
        "task", "check", "dualgauge", "--mutants", 0, "--references", REFERENCES.parent
    )
    assert "labelled secure" in refused.stderr
