"""Static analysis: rules find what is marked and nothing else; silence is never safety."""

import json
import re
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.core.records import Finding, Status
from kit.oracle.sast import (
    ENGINES,
    RULES,
    best_engine,
    covered_weaknesses,
    decides,
    explain_missing_rule,
    is_same_weakness,
    reading,
    scan,
    source,
    version,
)
from kit.oracle.sast.programs import Batch, ProgramReport, ScannedProgram

SAMPLES = Path(__file__).parents[1] / "sast"
SUFFIX = {n: e for n, e in source.LANGUAGES.items() if (RULES / n).is_dir()}
MARK = re.compile(r"finds: (.*)")


def needs(engine):
    return pytest.mark.skipif(not version(engine), reason=f"no {engine}: kit doctor --install")


def samples(language):
    return {p.name: p.read_bytes() for p in (SAMPLES / language).glob("*" + SUFFIX[language])}


def marks(files):
    return {
        (name, number, rule)
        for name, content in files.items()
        for number, line in enumerate(content.decode().split("\n"), 1)
        if (found := MARK.search(line))
        for rule in found[1].split()
    }


@pytest.mark.slow
@needs("opengrep")
@pytest.mark.parametrize("language", sorted(SUFFIX))
def test_rules_find_what_is_marked_and_nothing_else(box, language):
    files = samples(language)
    seen = scan(box, "opengrep", files, language=language)
    assert (seen.status, dict(seen.unread)) == (Status.COMPLETED, {})
    assert {(f.file, f.line, f.rule) for f in seen.findings} == marks(files)


@pytest.mark.slow
@needs("semgrep")
def test_semgrep_reads_the_same_rules(box):
    files = samples("python")
    seen = scan(box, "semgrep", files, language="python")
    within = {m for m in marks(files) if (m[0], m[1]) in {(f.file, f.line) for f in seen.findings}}
    assert len(within) >= 0.9 * len(marks(files))  # it follows no taint into helpers


@pytest.mark.parametrize("language", sorted(SUFFIX))
def test_every_rule_has_code_that_it_finds(language):
    texts = "".join(p.read_text() for p in (RULES / language).glob("*.yaml"))
    named = re.findall(r"^ *- id: (\S+)", texts, re.MULTILINE)
    assert len(named) == len(set(named))
    assert set(named) == {rule for _, _, rule in marks(samples(language))}


BAD = b"import os\ndef f(x):\n    os.system(x)\n"


@pytest.mark.slow
@needs("opengrep")
def test_what_cannot_be_read_is_unknown_and_silences_nobody(box):
    files = {
        "bad.py": BAD,
        "torn.py": b"def f(:\n    os.system(x)\n",
        "binary.py": b"x = 1\0",
        "latin.py": b"# \xe9\n",
        "coded.py": b"# -*- coding: utf-7 -*-\n",
        "odd.txt": BAD,
        "deep.py": b"(" * 5000 + b")" * 5000,
    }
    seen = scan(box, "opengrep", files, language="python")
    assert set(seen.unread) == set(files) - {"bad.py"}
    assert all(reason.endswith(".") for reason in seen.unread.values())
    (bad,) = seen.findings
    assert (bad.file, bad.line, bad.function, bad.cwe) == ("bad.py", 3, "f", "CWE-78")
    assert bad.flow == ("bad.py:2 f", "bad.py:3 f")
    assert seen.engine_version.startswith("opengrep 1.30.0 rules ")


@pytest.mark.parametrize("name", [pytest.param(e, marks=needs(e)) for e in ("opengrep", "bandit")])
def test_a_candidate_cannot_ask_for_silence(box, name):
    quiet = {
        "a.py": BAD.replace(b"(x)\n", b"(x)  # nosem\n"),
        "tests/b.py": BAD.replace(b"(x)\n", b"(x)  # nosemgrep: python-command-injection\n"),
        "node_modules/c.py": BAD.replace(b"(x)\n", b"(x)  # noopengrep\n"),
        ".semgrepignore.py": BAD,
        "none/.git/.tox/none.py": BAD.replace(b"(x)\n", b"(x)  # nosec\n"),
    }
    seen = scan(box, name, quiet, language="python")
    assert {(f.file, f.cwe, f.line) for f in seen.findings} == {
        (file, "CWE-78", 3) for file in quiet
    }


@needs("gcc-fanalyzer")
def test_gcc_reports_a_path_and_is_not_steered(box):
    twice = b"#include <stdlib.h>\nvoid f(char *p) {\n  free(p);\n  free(p);\n}\n"
    steered = b'#pragma GCC diagnostic ignored "-Wanalyzer-double-free"\n' + twice
    files = {"a.c": twice, "b.c": steered, "c.c": b'#include "missing.h"\n', "d.c": b"int x;\n"}
    seen = scan(box, "gcc-fanalyzer", files, language="c")
    assert set(seen.unread) == {"b.c", "c.c"}
    found = [f for f in seen.findings if f.rule == "-Wanalyzer-double-free"]
    assert [(f.file, f.line, f.cwe, f.function) for f in found] == [("a.c", 4, "CWE-415", "f")]
    assert found[0].flow == ("a.c:3 f", "a.c:4 f")


@pytest.mark.slow
@needs("opengrep")
def test_data_is_followed_from_class_to_class(box):
    web = b"""package web;
import run.Runner;
class Web {
    void handle(HttpServletRequest request) throws Exception {
        Runner.start(request.getParameter("n"));
    }
}
"""
    run = b"""package run;
public class Runner {
    public static void start(Words n) throws Exception {
        new Deep().go(n + "");
    }
}
class Deep {
    void go(Words n) throws Exception {
        Runtime.getRuntime().exec("/bin/sh -c " + n);
    }
}
"""
    files = {"p/web/Web.java": web, "p/run/Runner.java": run}
    apart = scan(box, "opengrep", files, language="java")
    whole = scan(box, "opengrep", files, language="java", programs=True)
    assert "java-command-injection" not in {f.rule for f in apart.findings}
    (found,) = [f for f in whole.findings if f.rule == "java-command-injection"]
    assert (found.file, found.line, found.function) == ("p/run/Runner.java", 9, "go")
    assert found.flow[0] == "p/web/Web.java:5 handle"
    assert found.flow[-1] == "p/run/Runner.java:9 go"


@pytest.mark.slow
@needs("opengrep")
def test_a_completion_answers_for_its_own_lines(box):
    context = b"import os\ndef old(x):\n    os.system(x)\n\ndef new(x):\n"
    files = {
        "a.py": context + b"    os.system('ls ' + x)\n",
        "b.py": context + b"    return x\n",
        "c.py": context + b"    pass\n",
    }
    found = scan(box, "opengrep", files, language="python").findings
    by = {name: [f for f in found if f.file == name] for name in files}

    old = by["c.py"]
    for name, known, lines, brought in (
        ("a.py", old, (6, 6), [6]),
        ("b.py", old, (6, 6), []),
        ("c.py", [], (1, 3), [3]),
    ):
        report = ProgramReport("e", by[name], {}, lines, known)
        assert [f.line for f in report.list_new_findings()] == brought


@needs("bandit")
def test_who_asks_again_is_answered_again(box):
    batch = Batch("bandit", "python")
    ask = batch.add("a", lambda: ScannedProgram({"a.py": BAD}, (1, 3)), is_known=True)
    first, second = (ProgramReport.of(ask(box)).list_new_findings() for _ in range(2))
    assert first == second != []


def test_blanked_comments_move_no_line():
    for language, text in {
        "python": b"x = '#'  # eval\ny = 1\n",
        "c": b"int x; /* a\n b */ int y; // z\n",
        "java": b"class A { /* a\n b */ int y; // z\n}\n",
    }.items():
        heard = source.prepare_content(text, language)
        assert heard.count(b"\n") == text.count(b"\n")
        assert b"eval" not in heard
        assert b"z" not in heard


def test_joined_lines_go_home():
    files = {"p/A.java": b"class A {}\n", "p/B.java": b"class B {\n void f() { A.g(); }\n}"}
    made = source.join_files(files)
    assert made.back("joined:1") == "p/A.java:1"
    assert made.back("joined:3") == "p/B.java:2"
    assert b"new A().g()" in made.content
    assert made.content.count(b"\n") == 4


HOSTILE = [
    b"",
    b"[]",
    b"null",
    b"[" * 100_000,
    b'{"version": "2.1.0", "runs": 7}',
    b'{"version": "2.1.0", "runs": [{"results": [{}]}]}',
    b'{"version": "2.1.0", "runs": [{"results": [{"ruleId": 3}]}]}',
    b'{"version": "2.1.0", "runs": [{"results": [{"ruleId": "a", "level": []}]}]}',
    b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"rules": [1]}}}]}',
    b'{"version": "1.0.0", "runs": []}',
    b"\xff\xfe",
]


@pytest.mark.parametrize("report", HOSTILE, ids=range(len(HOSTILE)))
def test_a_report_of_another_shape_is_unreadable(report):
    with pytest.raises(reading.Unreadable):
        reading.read_sarif_log(report, "x")


@pytest.mark.parametrize(
    "line", [b"[1]", b"[[1]]", b'[{"kind": "error"}]', b"[{", b'[{"kind": []}]']
)
def test_a_broken_diagnostic_is_unreadable(line):
    with pytest.raises(reading.Unreadable):
        reading.read_gcc_report(line, b"")


def test_sarif_keeps_suppressed_results_and_the_flow():
    place = {
        "physicalLocation": {"artifactLocation": {"uri": "a%20b.py"}, "region": {"startLine": 4}}
    }
    rule = {"id": "py/x", "properties": {"tags": ["external/cwe/cwe-079", "security"]}}
    flow = {"threadFlows": [{"locations": [{"location": place}, {"location": place}]}]}
    result = {
        "ruleId": "py/x",
        "message": {"text": "m"},
        "locations": [place],
        "suppressions": [{"kind": "inSource"}],
        "codeFlows": [flow],
    }
    run = {"tool": {"driver": {}, "extensions": [{"rules": [rule]}]}, "results": [result]}
    (found,) = reading.read_sarif_log(
        json.dumps({"version": "2.1.0", "runs": [run]}).encode(), "codeql"
    )
    assert found == Finding(
        "codeql", "py/x", "CWE-79", "a b.py", 4, 4, message="m", flow=("a b.py:4",), kind="warning"
    )


def test_a_kind_of_a_weakness_counts_for_it():
    assert is_same_weakness("CWE-121", "CWE-787")
    assert is_same_weakness("CWE-690", "CWE-476")
    assert not is_same_weakness("CWE-787", "CWE-121")
    assert not is_same_weakness("CWE-79", "CWE-89")


@needs("opengrep")
@needs("bandit")
def test_of_engines_that_are_joined_a_witness_needs_another_to_agree(box):
    alone = b"import subprocess\nsubprocess.run(['/bin/ls'])\n"  # of which bandit warns
    files = {"agreed.py": BAD, "alone.py": alone, "torn.py": b"def f(:\n"}
    report = scan(box, "joined", files, language="python")
    assert {(f.file, f.engine) for f in report.findings} == {
        ("agreed.py", "bandit"),
        ("agreed.py", "opengrep"),
    }
    assert set(report.unread) == {"torn.py"}
    assert best_engine("python") == "joined"
    assert "CWE-703" in covered_weaknesses("bandit", "python") - covered_weaknesses(
        "joined", "python"
    )


def test_what_an_engine_has_a_rule_for_is_read_from_its_rules():
    for engine, language in [(e, lang) for e, known in ENGINES.items() for lang in known.languages]:
        assert all(
            re.fullmatch(r"CWE-[1-9]\d*", cwe) for cwe in covered_weaknesses(engine, language)
        )
        assert len(covered_weaknesses(engine, language)) > 10
    assert covered_weaknesses("semgrep", "c") == covered_weaknesses("opengrep", "c")
    assert explain_missing_rule("opengrep", "python", ["CWE-89"]) == ""
    assert explain_missing_rule("codeql", "python", ["CWE-95"]) == ""
    assert (
        explain_missing_rule("bandit", "python", ["CWE-798"]) == ""
    )  # its rules name a kind of it
    rows = [{"engine": "bandit", "language": "python", "cwe": "CWE-78", "right": 1, "wrong": 1}]
    assert not decides("bandit", "python", "CWE-22", rows)  # by its average
    rows += [{**rows[0], "cwe": "CWE-22", "right": 30, "wrong": 0}]
    assert decides("bandit", "python", "CWE-22", rows)
    assert decides("opengrep", "python", "CWE-22", rows)  # nothing of it was measured
    assert explain_missing_rule("opengrep", "c", ["CWE-468"]) == "opengrep has no rule for CWE-468."


def test_refusals_say_what_to_use(box):
    with pytest.raises(KitError, match="No engine reads 'cobol'"):
        best_engine("cobol")
    with pytest.raises(KitError, match="does not read java"):
        scan(box, "bandit", {}, language="java")
    with pytest.raises(KitError, match="does not read c"):
        scan(box, "grep", {}, language="c")
