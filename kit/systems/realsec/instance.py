"""An instance: one method of a repository, the tests that decide about it, its labelled bodies."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.records import Sample, Task, Test
from kit.suite import LABELS
from kit.systems.realsec.replace import STUB, Method, locate

FORM = ("instance_id", "repository", "category", "cwe", "hops", "file", "class", "function_name",
        "signature", "docstring", "test_functions", "exploit_functions", "function_body")  # fmt: skip  # noqa: E501
FUNCTIONAL, EXPLOIT, SAST, ADJUDICATED = "functional", "exploit", "sast", "adjudicated"
STUB_NAME = "stub.java"


@dataclass(frozen=True)
class Instance:
    """One folder of instances/, as its instance.json says it. root: of the suite's data."""

    root: Path
    data: dict[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["instance_id"])

    @property
    def repository(self) -> Path:
        return self.root / "repositories" / str(self.data["repository"])

    @property
    def place(self) -> tuple[str, str]:
        """The binary name of the class, and the signature."""
        return str(self.data["class"]), str(self.data["signature"])

    @property
    def bodies(self) -> Path:
        return self.root / "instances" / self.id / "bodies"

    @cached_property
    def source(self) -> str:
        """The text of the file that holds the method."""
        return (self.repository / str(self.data["file"])).read_text("utf-8")

    @cached_property
    def method(self) -> Method:
        """The method as the repository has it: the insecure original."""
        return locate(self.source, *self.place)

    def task(self, wanted: Sequence[str]) -> Task:
        """The task with the tests of these ids: functional tests are one, exploit tests are one."""
        d, cwe = self.data, str(self.data["cwe"])
        tests = (
            Test(FUNCTIONAL, "functional", input=d["test_functions"]),
            Test(EXPLOIT, "security", input=d["exploit_functions"], cwe=cwe),
            Test(SAST, "security", cwe=cwe),
            Test(ADJUDICATED, "security", cwe=cwe),
        )
        kept = tuple(t for t in tests if t.id in wanted)
        return Task(self.id, "realsec", f"{d['docstring']}\n{d['signature']}", kept,
                    title=f"{d['class']}.{d['function_name']}", domain=str(d["category"]),
                    details=json.dumps(d, sort_keys=True), source=str(d["repository"]))  # fmt: skip


def read(root: Path) -> tuple[list[Instance], list[str]]:
    """The instances below `root`/instances, and a sentence for each that is refused."""
    files = sorted(root.glob("instances/*/instance.json"))
    if not files:
        raise KitError(f"{root} has no instances/<id>/instance.json; give a folder in that format.")
    good, problems = [], []
    for path in files:
        try:
            data = json.loads(path.read_text("utf-8"))
            if lacking := [name for name in FORM if name not in data]:
                raise KitError(f"it lacks {', '.join(lacking)}")
            instance = Instance(root, data)
            said = list(_odd(instance))
        except (ValueError, OSError, KitError) as error:
            said = [str(error)]
        if said:
            problems.append(f"{path.parent.name} is refused: {'; '.join(said)}.")
        else:
            good.append(instance)
    return good, problems


def _odd(instance: Instance) -> Iterator[str]:
    """What of the instance does not fit its repository."""
    data = instance.data
    if instance.method.text != data["function_body"]:
        yield "function_body is not the method that the file has"
    for kind in ("test_functions", "exploit_functions"):
        if not data[kind]:
            yield f"{kind} is empty"
        for name in data[kind]:
            owner, _, method = str(name).partition("#")
            path = instance.repository / "src/test/java" / (owner.replace(".", "/") + ".java")
            if not path.is_file() or f" {method}(" not in path.read_text("utf-8"):
                yield f"there is no test {name}"


def labelled(instances: Iterable[Instance]) -> tuple[list[Sample], pd.DataFrame]:
    """The bodies, and a row for each of them and each test.

    To them comes the stub, which only throws: the functional tests must fail with it.
    """
    samples, rows = [], []
    for instance in instances:
        path = instance.bodies / "labels.json"
        try:
            labels = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise KitError(f"{path} cannot be read: {error}. Mend the file.") from None
        texts = {name: (path.parent / name).read_text("utf-8") for name in sorted(labels)}
        texts = {STUB_NAME: instance.method.with_body(STUB), **texts}
        labels[STUB_NAME] = {"kind": "stub", "functional": "fail", "why": "It only throws."}
        for name, code in texts.items():
            entry, arm = labels[name], {"program": name}
            samples.append(Sample(instance.id, "reference", language="java", arm=arm, code=code,
                                  label=entry["kind"]))  # fmt: skip
            for test in (FUNCTIONAL, EXPLOIT, SAST, ADJUDICATED):
                kind, axis = "security", "secure"
                if test == FUNCTIONAL:
                    kind = axis = "functional"
                if name != STUB_NAME or axis == "functional":
                    cwe = instance.data["cwe"] if axis == "secure" else ""
                    rows.append((instance.id, name, entry["kind"], test, kind, cwe, entry[axis],
                                 entry["why"]))  # fmt: skip
    return samples, pd.DataFrame(rows, columns=LABELS)
