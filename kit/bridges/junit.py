"""Writes a run's checks as JUnit XML, for build servers."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kit.run.export import FAILED, NOT_RUN, PASSED, UNDECIDED, Check, escape_controls

WORD = {FAILED: "failure", NOT_RUN: "error", UNDECIDED: "skipped"}  # JUnit lacks "undecided"


def junit(checks: Sequence[Check]) -> str:
    """A testsuite for each program, with a testcase for each test; undecided ones are skipped."""
    root = Element("testsuites", {"name": "securecode-kit", **_count_states(checks)})
    for group, of_program in groupby(checks, key=attrgetter("task", "program", "file")):
        task, program, file = group
        tests = list(of_program)
        name = f"{tests[0].suite}.{task}.{program}"
        suite = SubElement(root, "testsuite", {"name": name, "file": file, **_count_states(tests)})
        for check in tests:
            title = f"{check.test}: {check.title}" if check.title else check.test
            case = SubElement(
                suite,
                "testcase",
                name=title,
                classname=name,
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


def _count_states(checks: Sequence[Check]) -> dict[str, str]:
    states = Counter(check.state for check in checks)
    return {
        "tests": str(states.total()),
        "failures": str(states[FAILED]),
        "errors": str(states[NOT_RUN]),
        "skipped": str(states[UNDECIDED]),
    }
