"""The labelled programs against the oracle, and what a suite must have."""

import json

import pytest

from kit.core.errors import KitError
from kit.core.paths import REFERENCES, SUITES
from kit.core.store import Store
from kit.run import validate
from kit.run.suites import open_suite
from kit.systems.dualgauge import spec
from kit.systems.dualgauge.suite import SpecSuite

SUITE = SpecSuite()

TASKS = spec.load_items(SUITES / "dualgauge").tasks
KINDS = {"secure", "functional_but_insecure", "secure_but_wrong"}


def test_the_suite_covers_the_seven_domains_and_its_weaknesses():
    assert len(TASKS) >= 40
    assert {t.domain for t in TASKS} == {
        "files",
        "web",
        "database",
        "crypto",
        "system",
        "data",
        "input",
    }
    assert len({x.cwe for t in TASKS for x in t.tests if x.cwe}) >= 45


def test_twenty_tasks_have_programs_of_each_kind_in_each_language_and_four_one_that_refuses_all():
    samples, _ = SUITE.references(TASKS)
    assert len({s.task for s in samples if s.label == "trivially_safe"}) >= 4
    for language in ("javascript", "cpp"):
        kinds = {(s.task, s.label) for s in samples if s.language == language}
        whole = [t.id for t in TASKS if {(t.id, kind) for kind in KINDS} <= kinds]
        assert len(whole) >= 20


@pytest.mark.parametrize("task", TASKS, ids=lambda t: t.id)
def test_a_task_has_six_tests_and_a_program_of_each_kind_whose_labels_say_its_kind(task):
    for kind in ("functional", "security"):
        assert sum(t.kind == kind for t in task.tests) >= 6
    samples, labels = SUITE.references([task])
    assert {s.label for s in samples} >= KINDS
    assert labels["why"].str.len().min() >= 5
    ok = labels.assign(ok=labels["label"] == "pass").groupby(["kind_of_program", "program", "kind"])
    for (kind, _, axis), passed in ok["ok"].all().items():
        wanted = {
            "secure": True,
            "functional_but_insecure": axis == "functional",
            "secure_but_wrong": axis == "security",
            "trivially_safe": axis == "security",
            "insecure": False,
        }[kind]
        assert passed == wanted


@pytest.mark.slow
def test_the_oracle_agrees_with_the_labels(validated):
    result, code = validated
    assert result["both"]["f1"] >= 0.95
    assert result["both"]["coverage"] >= 0.95
    assert result["security"]["f1"] >= 0.95
    assert (code == 0) == (result["disagreements"] == [])


@pytest.mark.parametrize("name", ["dualgauge", "codeguard", "realsec"])
def test_the_validation_in_the_repository_is_that_of_today(name):
    suite = open_suite(name)
    refused = validate.list_refusals(suite, suite.load().tasks, suite.labels)
    assert refused == [], f"run `kit validate {name}` and commit the result"


def test_the_recorded_scans_are_of_the_labelled_completions_of_today():
    suite = open_suite("codeguard")
    samples, _ = suite.references(suite.load().tasks, suite.labels)
    with Store("codeguard-labelled", write=False) as store:
        assert {s.code for s in store.samples()} == {s.code for s in samples}


def test_a_task_that_was_changed_after_its_validation_is_refused(tmp_path):
    task = TASKS[0]
    home = tmp_path / task.id
    home.mkdir()
    (home / "labels.json").write_text("{}")
    assert "not validated with this version" in validate.list_refusals(SUITE, [task], tmp_path)[0]
    result = {
        task.id: {"key": validate.task_key(SUITE, task, tmp_path), "differing": ["a.py sec-1"]}
    }
    (tmp_path / "validation.json").write_text(json.dumps(result))
    (home / "__pycache__").mkdir()  # as pip leaves one beside every Python file that it installs
    (home / "__pycache__" / "a.cpython-311.pyc").touch()
    assert "a.py sec-1" in validate.list_refusals(SUITE, [task], tmp_path)[0]
    (home / "new.py").write_text("x = 1\n")
    assert "not validated with this version" in validate.list_refusals(SUITE, [task], tmp_path)[0]


def test_labels_that_miss_a_test_are_refused_by_name(tmp_path):
    home = tmp_path / TASKS[0].id
    home.mkdir()
    (home / "a.py").write_text("x = 1\n")
    (home / "labels.json").write_text(json.dumps({"a.py": {"kind": "secure", "tests": {}}}))
    ids = ", ".join(test.id for test in TASKS[0].tests)
    with pytest.raises(KitError, match=rf"a\.py has no label for {ids}\.$"):
        SUITE.references([TASKS[0]], tmp_path)


def test_references_are_for_tasks_that_exist():
    ids = {t.id for t in TASKS}
    assert {p.parent.name for p in REFERENCES.glob("*/labels.json")} == ids
