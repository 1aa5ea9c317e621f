"""The Java repositories and the labelled bodies behave as their files say, by running them."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from kit.paths import SUITES
from kit.sandbox import open_sandbox
from kit.suites.javarepo.build import Builder
from kit.suites.javarepo.replace import locate, replace

REALSEC = SUITES / "realsec"
KINDS = {
    "secure_correct": ("pass", "pass"),
    "insecure_correct": ("pass", "fail"),
    "secure_wrong": ("fail", "pass"),
    "does_not_compile": ("fail", "fail"),
}
STUB = '{ throw new UnsupportedOperationException("stub"); }'
FOLDERS = sorted(p.parent for p in REALSEC.glob("instances/*/instance.json"))
TENTH = [f for f in FOLDERS if hashlib.sha256(f.name.encode()).digest()[0] < 256 // 8]


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
    stub = behaves(builder, instance, method.with_body(STUB))
    if stub.functional != "fail":
        yield "the stub passes every functional test"
    labels = json.loads((folder / "bodies" / "labels.json").read_text("utf-8"))
    for name, label in labels.items():
        body = (folder / "bodies" / name).read_text("utf-8")
        seen = behaves(builder, instance, body)
        if (seen.functional, seen.secure) != (label["functional"], label["secure"]):
            yield f"{name} ({label['kind']}) is {seen.functional}/{seen.secure}: {seen.why}"


def validate_all(pattern="*"):
    """Every instance whose id matches: id -> what does not hold. About 1 s for each body."""
    with open_sandbox("bwrap") as box:
        builder = Builder(box)
        return {f.name: list(validate(builder, f)) for f in FOLDERS if f.match(pattern)}
