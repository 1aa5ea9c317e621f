"""Labelled bodies: instances/<id>/bodies/labels.json names them and what they must do."""

import json
from collections.abc import Iterable
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.records import Sample
from kit.suite import LABELS
from kit.suites.javarepo.instance import EXPLOIT, FUNCTIONAL, SAST, Instance
from kit.suites.javarepo.testing import STUB

STUB_NAME = "stub.java"


def read(instances: Iterable[Instance]) -> tuple[list[Sample], pd.DataFrame]:
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
        stub = instance.method.with_body(STUB)
        samples.append(_sample(instance, STUB_NAME, "stub", stub))
        rows.append(_row(instance, STUB_NAME, "stub", FUNCTIONAL, "fail", "It only throws."))
        for name, entry in sorted(labels.items()):
            text = (path.parent / name).read_text("utf-8")
            samples.append(_sample(instance, name, entry["kind"], text))
            for test, label in ((FUNCTIONAL, entry["functional"]), (EXPLOIT, entry["secure"]),
                                (SAST, entry["secure"])):  # fmt: skip
                rows.append(_row(instance, name, entry["kind"], test, label, entry["why"]))
    return samples, pd.DataFrame(rows, columns=LABELS)


def _sample(instance: Instance, name: str, kind: str, code: str) -> Sample:
    return Sample(instance.id, "reference", language="java", arm={"program": name}, label=kind,
                  code=code)  # fmt: skip


def _row(
    instance: Instance, name: str, kind: str, test: str, label: str, why: str
) -> dict[str, Any]:
    secure = test != FUNCTIONAL
    return {"task": instance.id, "program": name, "kind_of_program": kind, "test": test,
            "kind": "security" if secure else "functional",
            "cwe": instance.data["cwe"] if secure else "", "label": label, "why": why}  # fmt: skip
