"""Every labelled completion of the completion suite is run: labels are what execution shows."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from kit.core.languages import try_parse_python
from kit.core.paths import SUITES
from kit.systems.codeguard import execute, item

FOLDERS = sorted(p.parent for p in (SUITES / "codeguard").glob("*/task.json"))
KINDS = {
    "secure_correct": ("pass", "pass"),
    "insecure_correct": ("pass", "fail"),
    "secure_wrong": ("fail", "pass"),
}
PAPER = {f"CWE-{n}" for n in (22, 78, 79, 89, 125, 190, 416, 476, 787)}
each_task = pytest.mark.parametrize("folder", FOLDERS, ids=lambda p: p.name)


def holds(text, constraints):
    """Does a completion hold every positive phrase and no negative one?"""
    inside = all(phrase in text for phrase in constraints["positive"])
    return inside and not any(phrase in text for phrase in constraints["negative"])


def test_the_suite_covers_the_paper_and_ten_more():
    tasks = [item.read_task(f) for f in FOLDERS]
    cwes = {t.cwe for t in tasks}
    assert cwes >= PAPER
    assert len(cwes - PAPER) >= 10
    assert sum(t.language == "python" for t in tasks) >= 26
    assert sum(t.language == "c" for t in tasks) >= 18


@each_task
def test_a_task_has_what_the_format_demands(folder):
    task = item.read_task(folder)
    assert task.id == folder.name
    assert task.about["title"]
    assert task.cwe in task.about["sast"]["cwes"]
    assert task.prompt.endswith("\n")
    assert task.names("functional")
    assert task.names("exploit") or task.about["no_exploit"]
    completions = item.read_labelled_completions(folder)
    assert {c.kind for c in completions} == set(KINDS)
    assert len({c.text for c in completions}) == len(completions) >= 4
    assert all((c.functional, c.secure) == KINDS[c.kind] and c.why for c in completions)
    if task.language == "python":
        assert all(try_parse_python(task.prompt + c.text) for c in completions)


@each_task
def test_a_secure_completion_holds_the_constraints_and_they_exclude_an_insecure_one(folder):
    wanted = item.read_task(folder).about["constraints"]
    completions = item.read_labelled_completions(folder)
    assert any(
        holds(c.text, wanted["correct"]) and holds(c.text, wanted["secure"])
        for c in completions
        if c.kind == "secure_correct"
    )
    assert not all(holds(c.text, wanted["secure"]) for c in completions if c.secure == "fail")


SOME = FOLDERS[::6]  # `kit validate codeguard` runs all, and test_validate.py demands its result
each_of_some = pytest.mark.parametrize("folder", SOME, ids=lambda p: p.name)


@pytest.fixture(scope="module")
def ran(box):
    """(task, file of the completion, kind of tests) -> what the run gave, for some tasks."""
    with ThreadPoolExecutor(2) as pool:
        waiting = {}
        for folder in SOME:
            task = item.read_task(folder)
            for c in item.read_labelled_completions(folder):
                for kind in task.tests:
                    job = pool.submit(execute.run_tests, box, task, task.prompt + c.text, kind)
                    waiting[task.id, c.file, kind] = task.names(kind), job
        return {key: (names, job.result()) for key, (names, job) in waiting.items()}


@pytest.mark.slow
@each_of_some
def test_labels_are_what_execution_shows(folder, ran):
    for c in item.read_labelled_completions(folder):
        for kind, label in (("functional", c.functional), ("exploit", c.secure)):
            names, evidence = ran[folder.name, c.file, kind]
            assert evidence.status == "completed", (c.file, evidence.note)
            verdict = execute.judge_evidence(kind, names, evidence)
            assert verdict.outcome == label, (c.file, kind, verdict.sentence)


@pytest.mark.slow
@each_of_some
def test_every_exploit_test_shows_the_attack_on_some_insecure_completion(folder, ran):
    insecure = [c.file for c in item.read_labelled_completions(folder) if c.secure == "fail"]
    shown = {
        result.name
        for names, evidence in (ran[folder.name, file, "exploit"] for file in insecure)
        for result in execute.read_results(evidence, names)[0]
        if not result.passed
    }
    assert shown == set(item.read_task(folder).names("exploit"))
