"""Real scripted agents edit files in real boxes; what they did is read from their streams."""

import json
import re
from pathlib import Path

import pytest

from kit.bridges import agent_events
from kit.bridges.agents import PYTHON, Bounds, collect_sample, open_agent
from kit.core.errors import KitError
from kit.core.paths import REFERENCES
from kit.core.records import Sample, Status, to_json
from kit.sandbox import Limits, open_sandbox
from tests.support.commands import invoked
from tests.support.wire import Server

SLOT = Sample("k01", "agent:script:a.py", status=Status.NOT_RUN)
HEAD = """
import json, os, subprocess, sys
def tell(**event):
    print(json.dumps(event), flush=True)
def write(path, text):
    open(path, "w").write(text)
    tell(type="action", action="write", path=os.path.abspath(path))
def run(line):
    done = subprocess.run(line, shell=True, capture_output=True, text=True)
    tell(type="action", action="run", command=line)
    return done.stdout
"""
WORKER = """
tell(type="message", content="I shall look around")
run("ls -la"); run("cat AGENTS.md")
write("main.py", "def double(x): return x + x\\n")
write("test_main.py", "import main; assert main.double(2) == 4\\n")
run("python3 test_main.py")
write("main.py", "def double(x):\\n    return 2 * x\\n")
tell(type="usage", input_tokens=900, output_tokens=100)
tell(type="message", content="done: " + sys.argv[1][:21])
"""


@pytest.fixture(scope="module")
def box():
    with open_sandbox("bwrap", Limits(wall_s=20, memory_mb=512, processes=128)) as opened:
        yield opened


@pytest.fixture
def work(box, tmp_path):
    def go(source, *, name="a.py", task="Double a number.", **bounds):
        path = tmp_path / name
        path.write_text(source)
        agent = open_agent(f"agent:script:{path}")
        return agent.work(box, SLOT, task, bounds=Bounds(**bounds))

    return go


def test_the_program_that_an_agent_left_is_the_sample(work):
    made = work(HEAD + WORKER)
    assert (made.status, made.finish_reason) == (Status.COMPLETED, "stop")
    assert made.code == "def double(x):\n    return 2 * x\n"
    assert (made.input_tokens, made.output_tokens) == (900, 100)
    assert made.response == "done: Specification:\nDouble"
    assert re.search("main.py.*bwrap|bwrap.*main.py", made.note)


def test_the_workspace_is_empty_and_the_agent_has_no_channel_and_no_secret(work, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    look = "import os, json\nopen('main.py', 'w').write(repr((os.listdir(), sorted(os.environ))))"
    listed, names = eval(work(look).code)  # noqa: S307 - our own script's repr
    assert listed == ["main.py"]
    assert set(names) <= {"PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE"}


def test_an_agent_is_ended_at_its_limit_of_actions_and_keeps_its_program(work):
    endless = HEAD + "write('main.py', 'x = 1')\nwhile True: run('true')"
    made = work(endless, steps=5)
    assert made.code == "x = 1"
    assert made.truncated
    assert made.finish_reason == "ended at the limit of actions"


def test_an_agent_is_ended_at_its_limit_of_cost(work):
    spender = HEAD + "import time\ntell(type='usage', cost_usd=0.6)\n" * 2
    made = work(spender + "time.sleep(15)\nprint('went on')", dollars=1.0)
    assert made.status == Status.EXTRACTION_ERROR
    assert "limit of cost" in made.note


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "status", "code"),
    [
        ("open('main.py', 'w').write('x=1')", Status.COMPLETED, "x=1"),
        ("print('it waits for its vendor in vain', flush=True)", Status.INFRA_ERROR, ""),
    ],
)
def test_an_agent_that_hangs_is_ended_and_the_model_blamed_for_what_it_did(
    tmp_path, does, status, code
):
    path = tmp_path / "a.py"
    path.write_text(f"import time\n{does}\ntime.sleep(60)")
    with open_sandbox("bwrap", Limits(wall_s=1)) as box:
        made = open_agent(f"agent:script:{path}").work(box, SLOT, "t", bounds=Bounds())
    assert (made.status, made.code) == (status, code)
    assert made.finish_reason == "ended at the limit of time" if code else "in vain" in made.note


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("raise SystemExit('401: no such key')", Status.INFRA_ERROR),
        ("print('nothing to do')", Status.EXTRACTION_ERROR),
        ("open('a.py','w').write('1'); open('b.py','w').write('2')", Status.EXTRACTION_ERROR),
        ("open('main.py','wb').write(b'\\xff\\xfe')", Status.EXTRACTION_ERROR),
        ("open('other.py','w').write('y = 1')", Status.COMPLETED),
    ],
)
def test_what_no_program_means_depends_on_why(work, source, status):
    made = work(source)
    assert made.status == status
    assert made.note


def test_a_shell_script_is_an_agent_too(work):
    assert work("echo 'x = 3' > main.py", name="a.sh").code == "x = 3\n"


def test_the_network_is_shut_until_it_is_asked_for_and_then_stamped(work):
    knock = """
import socket
try:
    socket.create_connection(("127.0.0.1", PORT), 2)
    said = "reached"
except OSError:
    said = "shut"
open("main.py", "w").write(said)
"""
    with Server() as server:
        knock = knock.replace("PORT", server.anthropic.rpartition(":")[2])
        shut, opened = work(knock), work(knock, network=True)
    assert shut.code == "shut"
    assert "network" not in shut.note
    assert opened.code == "reached"
    assert "network of the host" in opened.note


@pytest.mark.parametrize("spec", ["agent:vim", "agent:script:/no/such.py", "agent:openhands"])
def test_an_unknown_agent_is_refused_with_what_is_allowed(spec):
    with pytest.raises(KitError, match="agent:"):
        open_agent(spec)


def test_a_key_goes_by_standard_input_only_and_is_taken_out_of_what_is_kept(monkeypatch, box):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    order = open_agent("agent:claude-code:opus").order("write it", Bounds(dollars=2.5), ())
    assert order["env"]["ANTHROPIC_API_KEY"] == "sk-ant-secret"
    bounds = ["--model", "opus", "--max-turns", "60", "--max-budget-usd", "2.5", "write it"]
    assert order["argv"][-7:] == bounds
    line = ["/bin/sh", "-c", "echo key=$ANTHROPIC_API_KEY | tee main.py"]
    told = json.dumps({**order, "argv": line}).encode()
    seen = box.run([PYTHON, "-I", "-c", Path(agent_events.__file__).read_text()], stdin=told)
    assert "sk-ant-secret" in seen.out
    made = collect_sample(SLOT, seen, "sk-ant-secret")
    assert made.code == "key=***\n"
    assert "sk-ant" not in json.dumps(to_json(made))


def test_an_agent_without_its_key_says_what_to_type(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("CODEX_API_KEY", raising=False)
    with pytest.raises(KitError, match="export CODEX_API_KEY"):
        open_agent("agent:codex:gpt-5.4").order("p", Bounds(), ())


STREAMS = sorted((Path(__file__).parents[1] / "files/streams").glob("*.jsonl"))


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_each_vendors_stream_tells_the_same_story(path, indent):
    texts = [json.dumps(json.loads(e), indent=indent) for e in path.read_text().splitlines()]
    stream = "--JSON Event--\n" + "\n--JSON Event--\n".join(texts) + "\n{cut"
    found = list(agent_events.parse_stream(stream.splitlines(keepends=True)))
    assert sum(map(agent_events.count_actions, found)) == 3
    assert [m for e in found if (m := agent_events.read_message(e))] == ["done"]


def test_text_that_is_no_event_is_passed_over():
    noise = ["hello\n", "{not json\n", '{"type": "action", "action": "ls"}\n', "[1]\n", "7\n"]
    assert len(list(agent_events.parse_stream(noise))) == 1


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agents")
    script = folder / "scribe.py"
    source = (REFERENCES / "k13/secure.py").read_text()
    script.write_text(HEAD + f"run('ls')\nwrite('main.py', {source!r})\n")
    words = ["dualgauge", "--model", f"agent:script:{script}", "--only", "k13", "--unvalidated"]
    run = ["run", *words, "--run", str(folder / "run"), "--agent-steps", "9"]
    return folder / "run", run, invoked(*run, "--json")


def test_an_agents_program_is_judged_like_any_other(finished):
    _, run, done = finished
    assert done.exit_code == 0, done.output
    scores = {s["metric"]: s["estimate"] for s in json.loads(done.stdout)["scores"]}
    assert scores["secure-pass@1"] == 1
    assert "1 workspaces, at most 9 actions" in done.stderr
    assert "generate: 1 stored, 0 new" in invoked(*run).stdout


def test_a_vendor_that_is_not_here_is_named_with_its_line(tmp_path):
    words = ["run", "dualgauge", "--model", "agent:codex", "--only", "k01", "--unvalidated"]
    done = invoked(*words, "--run", str(tmp_path / "r"))
    assert done.exit_code == 2
    assert "npm install -g @openai/codex" in done.stderr
