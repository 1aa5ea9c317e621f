"""The Java repositories and the labelled bodies behave as their files say, by running them."""

import hashlib
import json
import re

import pytest

from kit.core.paths import SUITES
from kit.systems.realsec import testing
from kit.systems.realsec.draft import find_leaks
from kit.systems.realsec.instance import locate_method
from kit.systems.realsec.repository import Repository
from kit.systems.realsec.suite import JavaRepoSettings, JavaRepoSuite

REALSEC = SUITES / "realsec"
KINDS = {
    "secure_correct": ("pass", "pass"),
    "insecure_correct": ("pass", "fail"),
    "secure_wrong": ("fail", "pass"),
    "does_not_compile": ("fail", "fail"),
}
FOLDERS = sorted(p.parent for p in REALSEC.glob("instances/*/instance.json"))
SOME = [f for f in FOLDERS if hashlib.sha256(f.name.encode()).digest()[0] < 256 // 16]

TYPES = {
    f"CWE-{n}"
    for n in (22, 89, 117, 129, 190, 191, 197, 327, 352, 367, 377, 426, 502, 532, 611, 730)
} | {"CWE-764", "CWE-780", "CWE-798"}  # Table 4


def read(folder):
    return json.loads((folder / "instance.json").read_text("utf-8"))


def source_of(instance):
    repository = REALSEC / "repositories" / instance["repository"]
    return repository, (repository / instance["file"]).read_text("utf-8")


@pytest.fixture(scope="module")
def suite():
    """The suite whose tests are run, not scanned for, with all instances."""
    made = JavaRepoSuite(JavaRepoSettings(security="exploit"))
    made.load()
    return made


@pytest.mark.slow
@pytest.mark.parametrize("folder", SOME, ids=lambda f: f.name)
def test_bodies_behave_as_labelled(builder, suite, folder):
    """The original's tests also reach its method, or the verdict would be unknown."""
    instance = suite.instance(folder.name)
    samples, rows = suite.references([instance.task(suite.tests(instance))])
    labels = rows.set_index(["program", "test"])["label"]
    tested = 0
    for sample in samples:
        evidence = testing.run_tests(builder, instance, sample.code)
        for test in instance.task(suite.tests(instance)).tests:
            if (key := (sample.arm["program"], test.id)) in labels.index:
                verdict = testing.judge_evidence(test.id, test.input, evidence)
                assert verdict.outcome == labels[key], (key, verdict.sentence)
                tested += 1
    assert tested == len(labels)


def test_the_instances_cover_types_categories_and_hops():
    instances = [read(f) for f in FOLDERS]
    assert len(instances) >= 40
    assert {i["cwe"] for i in instances} == TYPES
    assert len({i["category"] for i in instances}) == 5
    assert {0, 1, 2, 3} <= {i["hops"] for i in instances}
    assert len({i["repository"] for i in instances}) >= 10
    one_category = {i["cwe"]: i["category"] for i in instances}
    assert all(one_category[i["cwe"]] == i["category"] for i in instances)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_an_instance_fits_its_repository(folder):
    instance = read(folder)
    repository, source = source_of(instance)
    method = locate_method(source, instance["class"], instance["signature"])
    inside = range(method.first_line, method.last_line + 1)
    assert instance["instance_id"] == folder.name
    assert instance["function_body"] == method.text
    assert instance["report"]["line"] in inside
    assert any(s["file"] == instance["file"] and s["line"] in inside for s in instance["flow"])
    places = [(s["file"], s["function"]) for s in instance["flow"]]
    assert instance["hops"] == sum(a != b for a, b in zip(places, places[1:], strict=False))
    for step in instance["flow"]:
        lines = (repository / step["file"]).read_text("utf-8").splitlines()
        assert lines[step["line"] - 1].strip()


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f.name)
def test_bodies_are_labelled_and_docstrings_neutral(folder):
    labels = json.loads((folder / "bodies" / "labels.json").read_text("utf-8"))
    assert {p.name for p in (folder / "bodies").glob("*.java")} == set(labels)
    kinds = [label["kind"] for label in labels.values()]
    assert {"secure_correct", "insecure_correct", "secure_wrong"} <= set(kinds)
    for label in labels.values():
        expected = KINDS.get(label["kind"])
        assert expected in (None, (label["functional"], label["secure"]))
        assert label["why"]
    assert find_leaks(read(folder)["docstring"]) == []


REAL = REALSEC / "real"
REAL_FOLDERS = sorted(p.parent for p in REAL.glob("instances/*/instance.json"))


def test_real_instances_are_as_many_and_as_far_apart_as_their_page_says():
    instances = [read(f) for f in REAL_FOLDERS]
    assert len(instances) == 63
    assert len({i["repository"] for i in instances}) == 10
    assert len({i["cwe"] for i in instances}) == 46
    assert len({i["category"] for i in instances}) == 5
    assert sum(i["hops"] >= 4 for i in instances) == 36
    assert {i["hops"] for i in instances} == set(range(1, 9))
    authors = [i["author"] for i in instances]
    assert max(map(authors.count, authors)) * 3 <= len(authors)
    assert sum("renames" in i for i in instances) == 63


@pytest.mark.parametrize("folder", REAL_FOLDERS, ids=lambda f: f.name)
def test_a_real_instance_stores_nothing_of_its_project_but_its_place(folder):
    instance = read(folder)
    labels = json.loads((folder / "bodies" / "labels.json").read_text("utf-8"))
    assert "function_body" not in instance
    assert re.fullmatch("[0-9a-f]{64}", instance["method_sha256"])
    assert {p.name for p in (folder / "bodies").glob("*.java")} == set(labels) - {"original.java"}
    kinds = [label["kind"] for label in labels.values()]
    assert {"secure_correct", "insecure_correct", "secure_wrong", "pattern_trap"} <= set(kinds)
    insecure = [entry for name, entry in labels.items() if entry["secure"] == "fail"]
    assert sum(entry["functional"] == "pass" for entry in insecure) >= 1
    assert len(insecure) >= 2
    places = [(s["file"], s["function"]) for s in instance["flow"]]
    assert instance["hops"] == sum(a != b for a, b in zip(places, places[1:], strict=False))
    repository = REAL / "repositories" / instance["repository"]
    assert (repository / "NOTICE").is_file()
    code = re.compile(r"[a-z]+[A-Z]\w*|[A-Z_]{3,}|safelist")  # names of the project's own
    assert find_leaks(code.sub("", instance["docstring"])) == []
    assert instance["reader"]["verdict"] == "neutral" or instance["reader"]["hint"]
    archive = Repository(repository).recipe.texts
    assert archive["archive"].startswith("pool/main/")
    for jar in Repository(repository).recipe.words["jars"]:
        assert re.fullmatch("[0-9a-f]{64}", jar["sha256"])


@pytest.mark.slow
def test_a_real_project_is_fetched_and_a_body_behaves_as_labelled(builder):
    suite = JavaRepoSuite(JavaRepoSettings(repositories="real"))
    suite.load()
    instance = suite.instance("commons-fileupload-03")
    samples, rows = suite.references([instance.task(suite.tests(instance))], suite.labels)
    labels = rows.set_index(["program", "test"])["label"]
    for sample in samples:
        evidence = testing.run_tests(builder, instance, sample.code)
        for test in instance.task(suite.tests(instance)).tests:
            if (key := (sample.arm["program"], test.id)) in labels.index:
                verdict = testing.judge_evidence(test.id, test.input, evidence)
                assert verdict.outcome == labels[key], (key, verdict.sentence)
