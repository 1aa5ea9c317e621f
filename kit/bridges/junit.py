"""Writes a run's checks as JUnit XML, for build servers."""

from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kit.run.export import FAILED, NOT_RUN, PASSED, UNDECIDED, Check

WORD = {FAILED: "failure", NOT_RUN: "error", UNDECIDED: "skipped"}  # JUnit lacks "undecided"


def junit(found: Sequence[Check]) -> str:
    """A testsuite for each program, with a testcase for each test; undecided ones are skipped."""
    root = Element("testsuites", {"name": "securecode-kit", **_counts(found)})
    for file, group in groupby(found, key=lambda check: (check.task, check.program, check.file)):
        mine = list(group)
        named = f"{mine[0].suite}.{file[0]}.{file[1]}"
        suite = SubElement(root, "testsuite", {"name": named, "file": file[2], **_counts(mine)})
        for check in mine:
            seconds = f"{check.seconds:.3f}"
            case = SubElement(suite, "testcase", name=check.test, classname=named, time=seconds)
            if check.cwe:
                properties = SubElement(case, "properties")
                SubElement(properties, "property", name="cwe", value=check.cwe)
            if check.state != PASSED:
                message = f"{check.state}: {check.sentence}"
                SubElement(case, WORD[check.state], message=message, type=check.cwe or check.kind)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _counts(found: Sequence[Check]) -> dict[str, str]:
    states = [check.state for check in found]
    counts = {"tests": len(states), "failures": states.count(FAILED),
              "errors": states.count(NOT_RUN), "skipped": states.count(UNDECIDED)}  # fmt: skip
    return {name: str(n) for name, n in counts.items()}
