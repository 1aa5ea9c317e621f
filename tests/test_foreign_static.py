"""Benchmarks without tests of what programs do: static analysis alone judges, and is measured."""

import json

import clones
import pytest
from commands import kit

from kit.errors import KitError
from kit.generation.base import Response
from kit.oracle import sast
from kit.records import Sample
from kit.systems.codeguard import securityeval
from kit.systems.codeguard.securityeval import SecurityEval

needs_opengrep = pytest.mark.skipif(
    not sast.version("opengrep"), reason="opengrep is not here; type: kit doctor --install"
)


@pytest.fixture(scope="module")
def asks(tmp_path_factory):
    return clones.securityeval(tmp_path_factory.mktemp("asks"))


def test_without_a_clone_the_mend_is_said(tmp_path):
    for path in (None, tmp_path):
        with pytest.raises(KitError, match="git clone https://github.com/s2e-lab/SecurityEval"):
            securityeval.read(path)


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
    engines = json.loads(kit("validate", "securityeval", *words).stdout)["engines"]
    row = next(r for r in engines if r["engine"] == "opengrep")
    assert (row["tp"], row["unread"]) == (1, 1)  # of CWE-862 no engine has a rule
