"""The documentation of a task is what the code reads; a task begun by the command validates."""

import json
import re
from collections.abc import Iterator
from typing import ClassVar

import jsonschema
import pytest
import yaml

import kit
from kit.core.form import Filled
from kit.core.paths import ROOT, SUITES
from kit.core.records import Evidence, Observed, Status, Task, Test
from kit.oracle import probes
from kit.oracle.facts import Case, Conclusion
from kit.oracle.probes.probe import Probe, broken_finding, held_finding
from kit.scoring import measures
from kit.systems.dualgauge import authoring
from tests.support.commands import invoked, told

SCHEMA = authoring.build_schema()
TASKS = sorted(SUITES.glob("dualgauge/*/tests.json"))


def test_the_page_and_the_schema_in_the_repository_are_those_of_the_code():
    assert (SUITES / "README.md").read_text() == authoring.render_page(), (
        "run kit task docs --write"
    )
    assert (SUITES / "tests.schema.json").read_text() == authoring.text_of_schema()


def test_every_task_of_ours_fits_the_schema():
    check = jsonschema.Draft202012Validator(SCHEMA)
    for path in TASKS:
        assert [e.message for e in check.iter_errors(json.loads(path.read_text()))] == [], path


def test_what_the_reader_refuses_the_schema_refuses_too():
    item = json.loads(TASKS[0].read_text())
    item["sec_tests"][0]["probes"] = [{"probe": "no_opne"}]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(item, SCHEMA)


@pytest.fixture
def toy() -> Iterator[type[Probe]]:
    """A probe of a suite's own: this class is all that is written for it."""

    class BeginsWith(Probe):
        """The text that was returned begins with this one."""

        example: ClassVar = {"text": "Dear "}
        text: Filled

        def check(self, run: Case) -> Conclusion:
            begins = str(run.evidence.observed.value).startswith(self.text)
            return (held_finding if begins else broken_finding)(
                f"it begins with {self.text!r}", "value"
            )

    yield BeginsWith
    del probes.VOCABULARY["begins_with"]


def test_a_probe_is_one_edit(toy):
    written = {"probe": "begins_with", **toy.example}
    said = "p: key 'text' is missing; give a non-empty text."
    assert probes.mistake({"probe": "begins_with"}, "p") == said
    test = Test("sec-0", "security", {}, probes=(written,))
    for answer, outcome in (("Dear Ann", "pass"), ("root:x", "fail")):
        seen = Evidence(Status.COMPLETED, observed=Observed("value", answer))
        assert (
            probes.judge_by_probes(Case(Task("1", "s", "", (test,)), test, seen)).outcome == outcome
        )
    item = json.loads(TASKS[0].read_text())
    item["sec_tests"][0]["probes"] = [{"probe": "not", "of": written}]
    jsonschema.validate(item, authoring.build_schema())
    assert (
        f"| `begins_with` | `text`: a non-empty text | {toy.__doc__} |" in authoring.render_page()
    )


def test_the_example_of_every_probe_is_one():
    form = {"$defs": SCHEMA["$defs"], "$ref": "#/$defs/probe"}
    check = jsonschema.Draft202012Validator(form)
    for name, kind in probes.VOCABULARY.items():
        written = {"probe": name, **kind.example}
        assert probes.mistake(written, "p") == ""
        check.validate(written)


@pytest.mark.slow
def test_a_task_begun_by_the_command_validates_as_it_is(tmp_path):
    line = told("task", "new", tmp_path / "mine")["validate"].split()[1:]
    assert told(*line)["both"]["coverage"] == 1
    assert "is not empty" in invoked("task", "new", tmp_path / "mine").stderr


PAGES = [ROOT / "README.md", *(ROOT / "kit" / "docs").glob("*.md"), *ROOT.glob("data/**/README.md")]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_link_of_a_page_leads_nowhere(page):
    targets = LINK.findall(page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_page_of_verdicts_says_what_each_pair_counts_as():
    words = {measures.PASS: "passed", measures.FAIL: "failed", measures.UNDECIDED: "undecided"}
    page = (ROOT / "kit" / "docs" / "verdicts.md").read_text()
    for (status, outcome), rule in measures.POLICY.items():
        assert f"| {status} | {outcome} | {words.get(rule, 'ours')} |" in page


def test_the_citation_is_of_this_version_in_the_form_cff():
    cited = yaml.safe_load((ROOT / "kit" / "docs" / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert (cited["cff-version"], str(cited["version"])) == ("1.2.0", kit.__version__)
    assert all({"name"} == set(author) for author in cited["authors"])


def test_the_page_of_recordings_names_each():
    page = (ROOT / "data" / "runs" / "README.md").read_text()
    recorded = [p.parent.name for p in (ROOT / "data" / "runs").glob("*/samples.jsonl")]
    assert [name for name in recorded if f"`{name}`" not in page] == []
