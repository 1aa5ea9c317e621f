"""`kit scan`: any folder of programs, with labels or without; what nobody knows is never clean."""

import json
import re
from collections import Counter

import pytest

from kit.bridges import scan
from kit.core.paths import SUITES
from kit.oracle.sast import best_engine, version
from kit.systems.codeguard import item
from tests.benchmarks import false_alarms
from tests.support.commands import invoked, kit, told

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not version("opengrep"), reason="no opengrep: kit doctor --install"),
]
SHELL = "import os, sys\n\nos.system('ls ' + sys.argv[1])\n"
SAFE = "print(1)\n"


@pytest.fixture(scope="module")
def fifty(tmp_path_factory):
    """Labelled completions of the suite, 25 in each language: an insecure and a secure one each."""
    folder, rows, counts = tmp_path_factory.mktemp("fifty"), [], Counter()
    for task in sorted((SUITES / "codeguard").glob("cwe-*")):
        read = item.read_task(task)
        for program in {p.secure: p for p in item.read_labelled_completions(task)}.values():
            if counts[read.language] < 25:
                counts[read.language] += 1
                path = folder / task.name / program.file
                path.parent.mkdir(exist_ok=True)
                path.write_text(read.prompt + program.text)
                cwe = read.cwe if program.secure == "fail" else ""
                rows.append(f"{task.name}/{program.file},{cwe},,{task.name}")
    (folder / "labels.csv").write_text("\n".join(["file,cwe,line,group", *rows]))
    return folder


def scores(result):
    return {(row["engine"], row["of"]): row for row in result["scores"]}


def test_labelled_programs_are_scored_by_cwe_and_engine(fifty, tmp_path):
    table, page, sarif = (tmp_path / name for name in ("t.csv", "p.html", "s.sarif"))
    words = ["--labels", fifty / "labels.csv", "--engine", "opengrep,bandit,gcc-fanalyzer"]
    written = ["--table", table, "--page", page, "--sarif", sarif]
    done = invoked("scan", fifty, *words, *written, "--json")
    assert done.exit_code == 1, done.output
    rates = scores(json.loads(done.stdout))
    rules, alone = rates["opengrep", "all"], rates["gcc-fanalyzer", "all"]
    assert (rules["programs"], rules["recall"] > 0.8, rules["recall_low"] < 1) == (50, True, True)
    assert (alone["programs"], alone["undecided"] > 0) == (25, True)  # it has no rule for CWE-89
    assert {"python", "c", "CWE-78"} <= {of for engine, of in rates if engine == "opengrep"}
    (run,) = json.loads(sarif.read_text())["runs"]
    lines = table.read_text().splitlines()
    assert len(run["results"]) == len(lines) - 1 > 24
    assert lines[1].partition(",")[0] in page.read_text()


def test_what_nobody_read_is_said_and_never_clean(tmp_path):
    for name, text in {"a.py": SHELL, "b.js": "f()\n", "node_modules/c.py": SHELL}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'\n")
    (tmp_path / "marked.py").write_bytes(b"\xef\xbb\xbf" + SHELL.encode())
    (tmp_path / "binary.c").write_bytes(b"int a;\0")
    (tmp_path / "torn.py").write_text("def f(:\n    os.system(x)\n")
    (tmp_path / "large.py").write_text("#" * 1_000_001)
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "notes.md").write_text("-")
    rows = told("scan", tmp_path)["findings"]
    assert {r["file"] for r in rows if r["state"] == "finding"} == {"a.py", "marked.py"}
    unread = {r["file"]: r["message"] for r in rows if r["state"] == "not read"}
    assert set(unread) == {"b.js", "latin.py", "binary.c", "torn.py", "large.py", "link.py"}
    assert "No selected engine reads JavaScript." in unread["b.js"]
    rows = "b.js,CWE-78,1\na.py,78,3\nlarge.py,,\ntorn.py,,\n"
    (tmp_path / "labels.csv").write_text("file,cwe,line\n" + rows)
    done = told("scan", tmp_path, "--labels", tmp_path / "labels.csv")
    assert [row["outcome"] for row in done["labels"]].count("unknown") == 3
    assert scores(done)[best_engine("c"), "CWE-78"]["tp"] == 1
    shown = kit("scan", tmp_path).stdout
    assert "6 programs (Python 4, JavaScript 1, C 1)" in shown
    assert re.search(r"Python: opengrep [\d.]+( \+ [\w-]+ [\d.]+)*, combined, rules about", shown)


def test_false_alarms_are_those_measured_and_decide_the_exit_code(tmp_path):
    known = scan.read_false_alarms()
    secure = false_alarms.measure("secure")
    assert secure["engines"] == known["engines"]
    assert secure["found"]["secure"] == known["found"]["secure"] < known["programs"]["secure"]
    alarms = {rule: counts["secure"] for rule, counts in known["rules"].items()}
    assert {rule: n["secure"] for rule, n in secure["rules"].items()} == +Counter(alarms)
    target = tmp_path / "a.sarif"
    (tmp_path / "a.py").write_text("import re\n\n\ndef look(word):\n    return open(word).read()\n")
    done = invoked("scan", tmp_path, "--sarif", target)
    assert done.exit_code == 0, done.output
    assert f"{known['found']['secure']} have a finding" in done.stdout
    (run,) = json.loads(target.read_text())["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert [result["level"] for result in run["results"]] == ["warning"]
    assert 0 < float(rule["properties"]["security-severity"]) < 7
    assert "found in the program's text" in rule["shortDescription"]["text"]
    assert "security test" not in json.dumps(rule)


RULES = """\
rules:
  - {id: no-calls-of-f, languages: [js, py], severity: ERROR, message: f, pattern: f(...),
     metadata: {cwe: ["CWE-676: dangerous"]}}
"""


def test_rules_of_the_user_take_the_place_of_ours(tmp_path):
    for name, text in {"a.py": SHELL + "f()\n", "b.mjs": "g(f(1));\n", "c.c": "int a;\n"}.items():
        (tmp_path / name).write_text(text)
    (rules := tmp_path / "rules/deep/mine.yml").parent.mkdir(parents=True)
    rules.write_text(RULES)
    (tmp_path / "labels.csv").write_text("file,cwe\na.py,CWE-676\nb.mjs,CWE-89\nc.c,CWE-676\n")
    words = ["scan", tmp_path, "--rules", tmp_path / "rules", "--labels", tmp_path / "labels.csv"]
    done = told(*words)
    rows = {(r["file"], r["state"], r["cwe"], r["message"]) for r in done["findings"]}
    assert rows == {
        ("a.py", "finding", "CWE-676", "f"),
        ("b.mjs", "finding", "CWE-676", "f"),
        ("c.c", "not read", "", "No rule of yours covers C."),
    }
    outcomes = {row["file"]: row["outcome"] for row in done["labels"]}
    assert outcomes == {"a.py": "fail", "b.mjs": "unknown", "c.c": "unknown"}
    assert "reads your rules is named 'bandit'" in invoked(*words, "--engine", "bandit").stderr


@pytest.mark.parametrize(
    ("option", "text", "sentence"),
    [
        ("rules", RULES.replace("f(...)", "'f((('"), "Rule no-calls-of-f of my.yml is broken"),
        (
            "rules",
            RULES.replace("severity: ERROR, ", ""),
            "Missing required field severity. Mend it",
        ),
        ("rules", "rules: [", "my.yml holds no rules of opengrep (ParserError"),
        ("rules", "rules: [{id: a}]", "Write `rules:`, each with id, languages"),
        ("rules", "rules: []", "No rules (*.yaml) for python"),
        ("labels", "file,cwe\nb.py,CWE-1\n", "labels b.py, which is not in"),
        ("labels", "file,cwe\na.py,XSS\n", "'XSS' is not a CWE"),
        ("labels", "file,cwe\na.py,CWE-1\na.py,\n", "both secure and insecure"),
        ("labels", "name\na.py\n", "Name them file, cwe, line"),
        ("labels", None, "No labels in"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_file_and_the_mend(option, text, sentence, tmp_path):
    (tmp_path / "a.py").write_text(SAFE)
    path = tmp_path / "my.yml"
    if text:
        path.write_text(text)
    done = invoked("scan", tmp_path, f"--{option}", tmp_path if option == "rules" else path)
    assert (done.exit_code, sentence in done.stderr) == (2, True), done.output


def test_a_folder_without_programs_is_one_sentence(tmp_path):
    assert "it is empty" in invoked("scan", tmp_path).stderr
    (tmp_path / "a.md").write_text("-")
    assert ".md 1" in invoked("scan", tmp_path).stderr
    assert "No folder" in invoked("scan", tmp_path / "none").stderr
    assert "No engine is named 'x'" in invoked("scan", SUITES, "--engine", "x").stderr
