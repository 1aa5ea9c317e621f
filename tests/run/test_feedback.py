"""The last rung of the hints: visible failures are told, held-out ones not; rounds are paired."""

from dataclasses import replace

import pytest

from kit.core.errors import KitError
from kit.core.paths import ROOT
from kit.core.records import Test
from kit.run import feedback
from kit.run.job import Job
from kit.run.suite import Loaded
from kit.run.suites import open_folder
from tests.support.wire import Reply, Server

RUDE, SAFE = "wc -l < $1; echo >> $1", "wc -l < $1"
TWICE = (
    Test("prints", "functional"),
    Test("leaves-input", "security", cwe="CWE-73"),
    Test("leaves-input-too", "security", cwe="CWE-22"),
)

Toy = type(open_folder(ROOT / "tests" / "toy"))


class Strict(Toy):
    """The toy with two security tests, which the same program fails or passes."""

    def load(self, path=None):
        tasks = [replace(t, tests=TWICE) for t in super().load(path).tasks]
        return Loaded("toy", tuple(tasks))

    def trials(self, tasks, samples, box, store):
        for part in super().trials(tasks, samples, box, store):
            yield [replace(t, cells=(*t.cells, replace(t.cells[1], test=TWICE[2]))) for t in part]

    def judge(self, trial, evidence):
        twin = replace(
            trial,
            cells=tuple(
                replace(c, test=TWICE[1]) if c.test == TWICE[2] else c for c in trial.cells
            ),
        )
        made = super().judge(twin, evidence)
        names = [c.test.id for c in trial.cells]
        verdicts = (replace(v, test=n) for v, n in zip(made.verdicts, names, strict=True))
        return replace(made, verdicts=tuple(verdicts))


@pytest.fixture
def run(tmp_path):
    """Two tasks, both answered rudely first; what is told is mended."""
    seen = []

    def answer(question):
        seen.append(question)
        return SAFE if "These security tests" in question else RUDE

    with Server(lambda r: Reply(answer(r.body["messages"][-1]["content"]))) as server:

        def go(suite=None, **options):
            suite = suite or Strict()
            job = Job.of(suite, suite.load().tasks, "openai:m", base_url=server.openai, **options)
            return *job.go(str(tmp_path / "run")), seen

        yield go


def test_a_visible_failure_is_told_and_a_held_out_one_is_not(run):
    generated, _, frame, asked = run(hint="feedback")
    assert len(asked) == 4  # two tasks, each once more
    weakness = {x.id: x.cwe for x in TWICE[1:]}
    for task, question in zip(("count", "upper"), sorted(asked[2:], key=len), strict=True):
        (shown,) = feedback.choose_visible_tests(task, sorted(weakness))
        (hidden,) = set(weakness) - {shown}
        assert f"- {weakness[shown]}: It wrote" in question
        assert weakness[hidden] not in question
    assert "2 answers were asked again" in generated.note
    assert set(frame["round"]) == {0, 1}
    assert (frame.groupby("round").size() == 6).all()


def test_a_further_call_is_made_once_and_only_within_its_budget(run):
    assert len(run(hint="feedback", calls=2)[3]) == 4
    again = run(hint="feedback", calls=2)
    assert (again[0].fresh, len(again[3])) == (0, 4)


def test_a_task_with_one_security_test_hides_it(run):
    generated, _, _, asked = run(Toy(), hint="feedback")
    assert len(asked) == 2
    assert "2 tasks have one security test, which is held out" in generated.note


def test_an_agent_takes_no_feedback(tmp_path):
    (tmp_path / "a.sh").write_text("true\n")
    model = f"agent:script:{tmp_path / 'a.sh'}"
    job = Job.of(Toy(), Toy().load().tasks, model, hint="feedback")
    with pytest.raises(KitError, match="another --hint"):
        assert job.slots
