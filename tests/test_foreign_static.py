"""Benchmarks without tests of what programs do: static analysis alone judges, and is measured."""

import json
import re

import clones
import pandas as pd
import pytest
from commands import kit
from wire import Reply, Server

from kit.errors import KitError
from kit.generation.base import Response
from kit.metrics.rates import recall
from kit.oracle import sast
from kit.records import Sample, Status, finding_from
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.systems.codeguard import securityeval
from kit.systems.codeguard.securityeval import SecurityEval
from kit.systems.foreign import cyberseceval
from kit.systems.foreign.cyberseceval import CyberSecEval, CyberSettings, Program

needs_opengrep = pytest.mark.skipif(
    not sast.version("opengrep"), reason="opengrep is not here; type: kit doctor --install"
)


@pytest.fixture(scope="module")
def loud(tmp_path_factory):
    return clones.purplellama(tmp_path_factory.mktemp("purple"))


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    return clones.securityeval(tmp_path_factory.mktemp("asks"))


@pytest.fixture(scope="module")
def rules(loud):
    return cyberseceval.read_rules(loud)


def looked_at(rules, language, *programs):
    """The rules that were broken by each program, or why it was not read."""
    with open_sandbox("bwrap") as box:
        value = cyberseceval.scan(box, rules, language, programs).observed.value
    found = {k: [finding_from(f).rule for f in some] for k, some in value["findings"].items()}
    return [found.get(p.key) or value["unread"].get(p.key, "") for p in programs]


def test_a_clone_says_what_it_is_and_what_is_not_run(loud, rules):
    found = cyberseceval.read(loud)
    told = "meta-llama/PurpleLlama@0123456789ab, licence A Licence of Our Own"
    assert str(found.origin) == told
    assert found.languages["autocomplete-0001"] == "c"
    assert len(found.tasks) == 6
    assert "1 of the 4 instruct prompts were made with weggli" in " ".join(found.problems)
    assert "Entry 3 of" in " ".join(found.problems)
    assert str(rules) == "4 regular expressions, 1 semgrep rules"
    off, swift, php = rules.left
    assert off.startswith("2 regular expressions are switched off")
    assert "swift" in swift
    assert php.startswith("1 semgrep rules for php are not run")


@pytest.mark.parametrize(
    ("reader", "source"),
    [(cyberseceval, "meta-llama/PurpleLlama"), (securityeval, "s2e-lab/SecurityEval")],
)
def test_without_a_clone_the_mend_is_said(reader, source, tmp_path):
    for path in (None, tmp_path):
        with pytest.raises(KitError, match=f"git clone https://github.com/{source}"):
            reader.read(path)


def test_a_rule_that_cannot_be_read_is_said(tmp_path):
    place = tmp_path / cyberseceval.RULES
    place.mkdir(parents=True)
    (place / "config.yaml").write_text("config: {cyberseceval: {}}")
    with pytest.raises(KitError, match="rules below"):
        cyberseceval.read_rules(tmp_path)
    (place / "regex").mkdir()
    odd = [{"pattern_id": "odd", "rule": "(", "cwe_id": "", "description": ""}]
    (place / "regex/c.yaml").write_text(json.dumps(odd))
    with pytest.raises(KitError, match="odd"):
        cyberseceval.read_rules(tmp_path)


@needs_opengrep
def test_what_was_given_is_not_blamed_and_a_comment_is_no_finding(rules):
    found = "shouting.loud(1)\n"
    said = looked_at(
        rules, "python", Program(found), Program(found + "x = 1\n", found),
        Program(f"# {found}"), Program(f"# {found}{found}"), Program("KEY = 'KEY-123456'\n"),
    )  # fmt: skip
    assert said == [["loud-call"], "", "", ["loud-call"], ["loud-key"]]


@needs_opengrep
def test_what_cannot_be_read_wholly_is_not_taken_for_secure(rules):
    whole, broken = "int a(void) { bellow(1); }\n", "} else { int a = ;\n"
    found, clean, said = looked_at(rules, "c", Program(whole), Program("int a;\n"), Program(broken))
    assert (found, clean) == (["roaring"], "")
    assert "does not parse as c" in said


def test_an_expression_that_never_ends_costs_its_own_text_alone(rules, monkeypatch):
    monkeypatch.setattr(cyberseceval, "PATIENCE_S", 1)
    endless = Program("z" * 60 + "\n")
    said, found = looked_at(rules, "python", endless, Program("shouting.loud(1)\n"))
    assert "did not come to its end" in said
    assert found == ["loud-call"]


def test_an_answer_is_its_first_block_or_all_of_it(loud):
    suite = CyberSecEval()
    task = suite.load(loud).task("autocomplete-0000")
    slot = Sample(task.id, "m")
    fenced = suite.sample(slot, Response("Here:\n```python\nx = 1\n```\n```python\ny = 2\n```"))
    assert fenced.code == clones.SHOUT["python"][0] + "x = 1\n"
    assert suite.sample(slot, Response("x = 1")).code == fenced.code
    assert suite.sample(slot, Response(" ")).status is Status.EXTRACTION_ERROR
    assert suite.prompt(task, slot)[0]["content"] == "Shout in python: autocomplete."


@needs_opengrep
def test_the_lines_that_prompts_were_made_of_measure_the_detector(loud, tmp_path):
    words = ["--data", loud, "--references", tmp_path, "--run", tmp_path / "run", "--json"]
    told = json.loads(kit("validate", "cyberseceval", *words).stdout)
    assert told["benchmark"].endswith("licence A Licence of Our Own")
    by = {r["language"]: r for r in told["recall"]["language"] if r["variant"] == "instruct"}
    assert {n: r["found"] for n, r in by.items()} == {"c": 1, "python": 1, "rust": 1}
    assert by["c"]["programs"] == 1
    assert 0 < by["c"]["recall_low"] < by["c"]["recall"] == 1
    assert not (tmp_path / "validation.json").exists()  # no task rests on it


def test_recall_counts_what_was_not_read_as_not_found():
    rows = pd.DataFrame({"engine": "e", "outcome": ["fail", "pass", "unknown", "fail"]})
    (told,) = recall(rows, ["engine"])
    assert (told["found"], told["missed"], told["unread"]) == (2, 1, 1)
    assert (told["recall"], told["of_decided"]) == (0.5, 2 / 3)
    assert recall(rows[:0], ["engine"]) == []


LOUD = {"python": "shouting.loud('x')", "c": "} else {", "rust": "fn whisper() {}"}


@needs_opengrep
@pytest.mark.slow
def test_a_run_is_scored_exported_and_shown_like_any_other(loud, tmp_path):
    def answered(request):
        asked = request.body["messages"][-1]["content"]
        language = next(n for n in LOUD if f" {n}:" in asked)
        return Reply(f"```{language}\n{LOUD[language]}\n```")

    run, shown = tmp_path / "run", tmp_path / "page.html"
    with Server(answered) as server:
        words = ["--model", "openai:m", "--base-url", server.openai, "--variant", "instruct"]
        words += ["--n", 2, "--run", run]
        kit("run", "cyberseceval", "--data", loud, *words)
    scores = json.loads(kit("score", run, "--by", "model,language", "--json").stdout)
    rows = {r["language"]: r for r in scores["scores"] if r["metric"] == "secure@1"}
    assert (rows["python"]["estimate"], rows["rust"]["estimate"]) == (0, 1)
    assert (rows["c"]["bound_low"], rows["c"]["bound_high"]) == (0, 1)  # it could not be read
    assert not any("pass@1" == r["metric"] for r in scores["scores"])
    assert "licence A Licence of Our Own" in scores["benchmark"]
    kit("export", run, tmp_path / "rows.csv")
    assert len(pd.read_csv(tmp_path / "rows.csv")) == 6
    kit("export", run, "--html", shown, "--data", loud)
    assert "loud-call (CWE-77), line 1" in shown.read_text()
    assert "loud-call" in kit("show", run, "instruct-0000").stdout
    with Store(run, write=False) as store:
        trials = store.trials("detector")
    assert len(trials) == 3  # one for each language, whatever the number of samples


@needs_opengrep
@pytest.mark.slow
def test_what_was_looked_at_once_is_not_looked_at_again(loud, tmp_path):
    words = ["validate", "cyberseceval", "--data", loud, "--run", tmp_path / "run", "--json"]
    first = json.loads(kit(*words, "--only", "instruct-0000").stdout)
    again = json.loads(kit(*words).stdout)
    assert (first["tally"], again["tally"]) == (
        "cached 0 / fresh 1", "cached 1 / fresh 5"
    )  # fmt: skip
    lenient = json.loads(kit(*words, "--unread", "pass").stdout)
    assert lenient["tally"] == "cached 6 / fresh 0"


def test_the_authors_own_count_takes_what_is_unread_for_secure(loud):
    strict, lenient = CyberSecEval(), CyberSecEval(CyberSettings(unread="pass"))
    assert strict.load(loud).tasks == lenient.load(loud).tasks
    task = strict.benchmark.tasks[0]
    assert strict.version(task) != lenient.version(task)


def test_a_completion_is_asked_for_and_joined_to_its_prompt(asks):
    suite = SecurityEval()
    loaded = suite.load(asks)
    assert [t.id for t in loaded.tasks] == ["cwe-502-author-1", "cwe-862-author-1"]
    assert "licence none stated" in loaded.problems[0]
    assert "Line 3" in loaded.problems[1]
    task, slot = loaded.tasks[0], Sample("cwe-502-author-1", "m")
    assert "return pickle" not in suite.prompt(task, slot)[0]["content"]
    made = suite.sample(slot, Response("```python\n    return json.loads(data)\n```"))
    assert made.code.startswith(task.prompt)
    compile(made.code, "made", "exec")


@needs_opengrep
@pytest.mark.slow
def test_completions_are_scored_exported_and_shown(asks, tmp_path):
    run, shown = tmp_path / "run", tmp_path / "page.html"
    for task, rest in (("cwe-502-author-1", "return pickle.loads(data)"),
                       ("cwe-862-author-1", "return None")):  # fmt: skip
        (tmp_path / "theirs" / task).mkdir(parents=True)
        begun = next(b for name, (b, _) in clones.ASKS.items() if name.lower()[:7] == task[:7])
        (tmp_path / "theirs" / task / "m.py").write_text(f"{begun}\n    {rest}\n")
    words = ["--programs", tmp_path / "theirs", "--data", asks, "--run", run]
    kit("evaluate", "securityeval", *words)
    told = json.loads(kit("score", run, "--json").stdout)
    scores = {r["metric"]: r for r in told["scores"]}
    secure = scores["secure@1"]  # of CWE-862 no engine has a rule
    assert [secure[name] for name in ("bound_low", "bound_high", "unknown")] == [0, 0.5, 1]
    assert (scores["SVEN-SR"]["estimate"], scores["SVEN-SR"]["coverage"]) == (0, 0.5)
    assert "pass@1" not in scores
    kit("export", run, "--html", shown, "--data", asks)
    assert "CWE-502" in shown.read_text()


@needs_opengrep
@pytest.mark.slow
def test_insecure_programs_measure_every_engine(asks, tmp_path):
    words = ["--data", asks, "--run", tmp_path / "run", "--json"]
    told = json.loads(kit("validate", "securityeval", *words).stdout)
    engines = {r["engine"]: r for r in told["recall"]["engines"]}
    assert (engines["opengrep"]["found"], engines["opengrep"]["programs"]) == (1, 2)
    cwes = {r["cwe"]: r["recall"] for r in told["recall"]["cwe"] if r["engine"] == "opengrep"}
    assert cwes == {"CWE-502": 1, "CWE-862": 0}
    loose = {r["engine"]: r["found"] for r in told["recall"]["engines_any_cwe"]}
    assert all(loose[name] >= r["found"] for name, r in engines.items())
    text = kit("validate", "securityeval", *words[:-1]).stdout
    assert re.search(r"opengrep +2 +1 +0 +1 +0\.5", text)
