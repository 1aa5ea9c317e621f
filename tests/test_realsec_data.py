"""The Java repositories and the labelled bodies behave as their files say, by running them."""

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from kit.paths import SUITES
from kit.sandbox import open_sandbox
from kit.systems.realsec.replace import locate, replace
from kit.systems.realsec.testing import Builder

REALSEC = SUITES / "realsec"
KINDS = {
    "secure_correct": ("pass", "pass"),
    "insecure_correct": ("pass", "fail"),
    "secure_wrong": ("fail", "pass"),
    "does_not_compile": ("fail", "fail"),
}
STUB = '{ throw new UnsupportedOperationException("stub"); }'
FOLDERS = sorted(p.parent for p in REALSEC.glob("instances/*/instance.json"))
SOME = [f for f in FOLDERS if hashlib.sha256(f.name.encode()).digest()[0] < 256 // 8]

TYPES = {
    f"CWE-{n}"
    for n in (22, 89, 117, 129, 190, 191, 197, 327, 352, 367, 377, 426, 502, 532, 611, 730)
} | {"CWE-764", "CWE-780", "CWE-798"}  # Table 4
ALARMING = re.compile(
    r"secur|vulnerab|attack|inject|travers|malicious|sanitiz|escap|leak|overflow|unsafe|"
    r"csrf|cwe|exploit|untrusted|deadlock|race condition",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Behaved:
    """pass or fail for all functional and all exploit tests; lines that ran; what went wrong."""

    functional: str
    secure: str
    lines: frozenset[int] = frozenset()
    why: str = ""


def read(folder):
    return json.loads((folder / "instance.json").read_text("utf-8"))


def source_of(instance):
    repository = REALSEC / "repositories" / instance["repository"]
    return repository, (repository / instance["file"]).read_text("utf-8")


def behaves(builder, instance, body, *, cover=False):
    """The repository with this body in the method's place, built and tested."""
    repository, source = source_of(instance)
    done = replace(source, instance["class"], instance["signature"], body)
    if done.error:
        return Behaved("fail", "fail", why=done.error)
    built = builder.compile(
        repository, instance["file"], done.source, same_interface=done.same_interface
    )
    if not built.ok:
        return Behaved("fail", "fail", why=built.log)
    kinds = (instance["test_functions"], instance["exploit_functions"])
    class_name = instance["class"] if cover else ""
    seen = builder.test(repository, built, [*kinds[0], *kinds[1]], cover=class_name)
    said = ["pass" if all(seen.outcomes[t] == "pass" for t in k) else "fail" for k in kinds]
    why = "; ".join(f"{t}: {m}" for t, m in seen.messages.items() if m)
    return Behaved(*said, seen.lines, why)


def validate(builder, folder):
    """What of one instance does not hold, as sentences."""
    instance = read(folder)
    _, source = source_of(instance)
    method = locate(source, instance["class"], instance["signature"])
    if method.text != instance["function_body"]:
        yield "function_body is not the text of the file"
    seen = behaves(builder, instance, method.text, cover=True)
    if (seen.functional, seen.secure) != ("pass", "fail"):
        yield f"the original is {seen.functional}/{seen.secure}: {seen.why}"
    if not seen.lines & set(range(method.first_line, method.last_line + 1)):
        yield "no test reaches the method"
    original, stub = seen, behaves(builder, instance, method.with_body(STUB))
    if stub.functional != "fail":
        yield "the stub passes every functional test"
    labels = json.loads((folder / "bodies" / "labels.json").read_text("utf-8"))
    for name, label in labels.items():
        body = (folder / "bodies" / name).read_text("utf-8")
        seen = original if name == "original.java" else behaves(builder, instance, body)
        if (seen.functional, seen.secure) != (label["functional"], label["secure"]):
            yield f"{name} ({label['kind']}) is {seen.functional}/{seen.secure}: {seen.why}"


def validate_all(pattern="*", workers=2):
    """Every instance whose id matches: id -> what does not hold. About 1 s for each body."""
    folders = [f for f in FOLDERS if f.match(pattern)]
    with open_sandbox("bwrap") as box, ThreadPoolExecutor(workers) as threads:
        builder = Builder(box)
        said = threads.map(lambda folder: list(validate(builder, folder)), folders)
        return {f.name: sentences for f, sentences in zip(folders, said, strict=True)}


@pytest.fixture(scope="module")
def builder():
    with open_sandbox("bwrap") as box:
        yield Builder(box)


@pytest.mark.slow
@pytest.mark.parametrize("folder", SOME, ids=lambda f: f.name)
def test_bodies_behave_as_labelled(builder, folder):
    assert list(validate(builder, folder)) == []


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
    method = locate(source, instance["class"], instance["signature"])
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
    assert not ALARMING.search(read(folder)["docstring"].replace("GeneralSecurityException", ""))


def test_the_survey_of_drafts_adds_up_over_todays_instances():
    told = json.loads((REALSEC / "draft.json").read_text())
    parts = told["repositories"]
    planted = {f.name for f in FOLDERS}
    missed = {name for part in parts.values() for name in part["missed"]}
    assert sum(part["planted"] for part in parts.values()) == len(planted)
    assert missed <= planted
    assert told["all"]["recall"] == round(1 - len(missed) / len(planted), 4)
