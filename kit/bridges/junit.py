"""Writes a run's checks as JUnit XML, for build servers."""

from collections.abc import Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kit.run.export import FAILED, NOT_RUN, PASSED, UNDECIDED, Check, escape_controls

WORD = {FAILED: "failure", NOT_RUN: "error", UNDECIDED: "skipped"}  # JUnit lacks "undecided"


def junit(found: Sequence[Check]) -> str:
    """A testsuite for each program, with a testcase for each test; undecided ones are skipped."""
    root = Element("testsuites", {"name": "securecode-kit", **_count_states(found)})
    for group, checks in groupby(found, key=lambda check: (check.task, check.program, check.file)):
        task, program, file = group
        mine = list(checks)
        named = f"{mine[0].suite}.{task}.{program}"
        suite = SubElement(root, "testsuite", {"name": named, "file": file, **_count_states(mine)})
        for check in mine:
            title = f"{check.test}: {check.title}" if check.title else check.test
            case = SubElement(
                suite,
                "testcase",
                name=title,
                classname=named,
                file=file,
                time=f"{check.seconds:.3f}",
            )
            if check.cwe:
                properties = SubElement(case, "properties")
                SubElement(properties, "property", name="cwe", value=check.cwe)
            if check.state != PASSED:
                result = SubElement(case, WORD[check.state], type=check.cwe or check.kind)
                result.set("message", check.sentence)
                line = f", line {check.line}" if check.line else ""
                result.text = f"{check.sentence}\n{check.file}{line}"
    indent(root)
    # no name of a file or of a model may hold what XML cannot
    return escape_controls(tostring(root, encoding="unicode", xml_declaration=True)) + "\n"


def _count_states(found: Sequence[Check]) -> dict[str, str]:
    states = [check.state for check in found]
    counts = {
        "tests": len(states),
        "failures": states.count(FAILED),
        "errors": states.count(NOT_RUN),
        "skipped": states.count(UNDECIDED),
    }
    return {name: str(n) for name, n in counts.items()}
