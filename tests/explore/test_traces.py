"""What agents did is read from their streams, and paired with direct answers on the same tasks."""

import json

import pytest

from kit.core.records import Sample
from kit.explore import Explorer
from kit.explore.traces import classify_action
from kit.generation.agent_events import Action
from kit.review import FailureAudit
from kit.run.suites import open_suite
from tests.support import judged

SUITE = open_suite("dualgauge")
TASKS = SUITE.load().select_tasks(["k01", "k13", "k16", "k20"])
COMMANDS = {
    "look": [
        "ls -la",
        "/bin/sh -lc 'rg --files -g AGENTS.md'",
        "cd w && cat a | head -3",
        "git log",
    ],
    "edit": [
        "cat > main.py <<'X'\nprint(1)\nX\npython3 main.py",
        "sed -i s/a/b/ main.py",
        "tee a.py <<X\n1\nX",
    ],
    "self-test": [
        "python3 -c 'print(1 > 0)'",
        "PORT=1 timeout 5 node main.js & sleep 1; curl -s localhost:1",
        "g++ -o t main.cpp && ./t < in.txt > out.txt",
    ],
    "environment": ["pip install x", "python3 --version", "which node", "python3 -m pip list"],
    "other": ["true", ": "],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_of_one_class_whatever_stands_around_it(name):
    assert {classify_action(Action("shell", line)).name for line in COMMANDS[name]} == {name}


def stream(*steps):
    lines = [{"type": "action", "action": kind, "path": what} for kind, what in steps]
    meter = {"type": "kit.meter", "calls": len(steps), "cost_usd": 0.5}
    return "".join(json.dumps(line) + "\n" for line in [*lines, meter])


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """An agent that revises k01 and k13, which the direct answers have right and it has wrong."""
    folder = tmp_path_factory.mktemp("traces")
    once = [("write", "main.py"), ("write", "test_main.py")]
    made, direct = [], []
    for number, task in enumerate(TASKS):
        revised = number < 2
        trace = stream(*once, *[("write", "main.py")] * revised, *[("read", "a.py")] * revised)
        agent = Sample(task.id, "agent:script:a.py", code="x = 1", stream=trace, input_tokens=10)
        made.append((task, agent, "fp" if revised else "pp"))
        direct.append((task, Sample(task.id, "openai:m", code="x = 2"), "pp"))
    agents = judged.write(folder / "agents", SUITE, made)
    return Explorer.of(str(agents)), Explorer.of(str(judged.write(folder / "m", SUITE, direct)))


def test_revisions_are_later_edits_of_a_program_and_cost_is_what_was_counted(runs):
    traces = runs[0].traces
    table = traces.samples.set_index("task")
    assert table["revisions"].tolist() == [1, 1, 0, 0]
    assert table["test files"].tolist() == [1, 1, 1, 1]
    assert table["calls"].tolist() == [4, 4, 2, 2]
    (line,) = traces.summary.to_dict("records")
    assert (line["revised"], line["dollars"], line["actions"]) == (0.5, 0.5, 3)
    assert line["overhead"] == pytest.approx(2 / 12)


def test_the_gap_to_direct_answers_is_that_of_the_same_tasks(runs):
    agents, direct = runs
    rows = agents.traces.against(direct.rows, n_boot=200)
    gaps = rows[rows["metric"] == "pass@1"].set_index("part")["difference"]
    assert gaps.to_dict() == {"all": -50, "revised": -100, "as written": 0}
    assert rows[rows["metric"] == "secure@1"]["difference"].eq(0).all()
    itself = agents.traces.against(agents.rows, n_boot=200)
    assert itself.loc[itself["part"] == "all", "difference"].eq(0).all()


def test_a_failure_of_an_agent_is_shown_with_its_actions_and_asks_why(runs, tmp_path):
    agents, direct = runs
    audit = FailureAudit(str(agents.run), n=4, seed="x", codes=str(tmp_path / "codes"))
    assert "What the agent did" in audit.form.page.value
    audit.form.rater.value = "ann"
    audit.form.answers["code"].value = "other"
    audit.form.save.click()
    assert "Got agent None. Give" in audit.form.status.value
    audit.form.answers["agent"].value = "untested"
    audit.form.save.click()
    row = audit.agent_summary.set_index("code").loc["untested"]
    assert (row["failures"], row["of"]) == (1, 1)
    assert direct.traces.summary.empty
