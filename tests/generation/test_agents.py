"""Real scripted agents edit files in real boxes; what they did is read from their streams."""

import json
import re
from functools import partial
from pathlib import Path

import pytest

from kit.bridges import agent_folders
from kit.bridges.agents import PYTHON, Bounds, open_agent
from kit.core.errors import KitError
from kit.core.paths import REFERENCES, SUITES
from kit.core.records import Sample, Status
from kit.explore import Explorer
from kit.generation import agent_events
from kit.generation.cost import Price
from kit.harness.wheels import make_whole_folder
from kit.sandbox import Limits, bwrap, open_sandbox
from tests.support.agent_server import USAGE, AgentServer, Edit, Shell
from tests.support.commands import invoked
from tests.support.wire import Reply, Server

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
    def go(source, *, name="a.py", base_url=None, key_env=None, price=None, **bounds):
        path = tmp_path / name
        path.write_text(source)
        agent = open_agent(f"agent:script:{path}", base_url=base_url, key_env=key_env)
        return agent.work(box, SLOT, "Double a number.", bounds=Bounds(**bounds), price=price)

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


# An agent of few lines: asks its address until it is told to stop, and says what it was told.
ASKER = """
import json, os, sys, urllib.error, urllib.request
address = os.environ["KIT_ADDRESS"]
def ask(path="/chat/completions", headers={}):
    body = {"messages": [], "tools": [{"name": "terminal"}], "stream": STREAM}
    headers = {"content-type": "application/json", **headers}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
open("main.py", "w").write("x = 1")
"""


@pytest.mark.parametrize("stream", [True, False])
def test_an_agent_reaches_its_server_and_nothing_else_and_the_key_stays_outside(
    work, monkeypatch, stream
):
    monkeypatch.setenv("SOME_KEY", "sk-secret")
    look = """
import socket
answers = [ask(headers={"authorization": "Bearer forged"}), ask("/../admin"), ask("x")]
try:
    socket.create_connection(("127.0.0.1", PORT), 2)
    answers.append("reached")
except OSError:
    answers.append("shut")
seen = repr(dict(os.environ)) + open("/proc/self/cmdline").read()
print(json.dumps({"type": "message", "content": json.dumps([answers, "sk-" + "secret" in seen])}))
"""
    with AgentServer(["hello"]) as server:
        look = look.replace("PORT", server.openai.split(":")[2].partition("/")[0])
        source = ASKER.replace("STREAM", str(stream)) + look
        made = work(source, base_url=server.openai, key_env="SOME_KEY", price=Price(1, 10))
    (first, up, beside, port), is_secret_seen = json.loads(made.response)
    assert first[0] == 200
    assert "hello" in first[1]
    assert (up[0], beside[0], port, is_secret_seen) == (404, 404, "shut", False)
    (headers,) = server.headers
    assert headers["authorization"] == "Bearer sk-secret"
    assert (made.input_tokens, made.output_tokens) == tuple(USAGE.values())
    assert "sk-secret" not in repr(made)
    meter = list(agent_events.parse_stream(made.stream.splitlines(keepends=True)))[-1]
    assert (meter["calls"], meter["estimated"]) == (1, 0)
    assert meter["cost_usd"] == pytest.approx((1000 + 10 * 50) / 1e6)


def test_a_box_with_a_terminal_is_isolated_like_any_other(box, tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("of the host")
    bwrap.self_test(partial(box.run, terminal=True), canary)
    opens = (
        "import os, pty; os.write(pty.openpty()[1], b'x'); print(sorted(os.listdir('/dev/pts')))"
    )
    assert box.run([PYTHON, "-c", opens], terminal=True).out == "['0', 'ptmx']\n"
    assert "OSError" in box.run([PYTHON, "-c", opens]).err


def test_a_server_that_never_ends_is_left_at_the_limit_of_cost(work):
    source = ASKER.replace("STREAM", "True") + "while True: ask()"
    with AgentServer(["more"]) as server:
        made = work(source, base_url=server.openai, price=Price(1, 10), dollars=0.01)
    assert (made.code, made.finish_reason) == ("x = 1", "ended at the limit of cost")
    assert len(server.requests) == 7  # the first number of calls of $0.0015 that reach a cent


def test_an_agent_is_ended_at_its_limit_of_time(work):
    made = work("import time\ntime.sleep(60)", seconds=1)
    assert made.finish_reason == "ended at the limit of time"
    assert made.status == Status.INFRA_ERROR  # it had done nothing yet


def test_a_server_that_fails_is_never_the_models_fault(work):
    with Server([Reply(status=500)]) as server:
        made = work(ASKER.replace("STREAM", "False") + "ask()", base_url=server.openai)
    assert made.status == Status.INFRA_ERROR
    assert "500" in made.note


def test_an_agent_without_its_key_or_the_price_of_its_limit_says_what_to_type(
    monkeypatch, tmp_path
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("KIT_CACHE", str(tmp_path))
    make_whole_folder(agent_folders.find_folder("codex"), lambda _: None)
    with pytest.raises(KitError, match="export OPENAI_API_KEY"):
        open_agent("agent:codex:gpt-5.4").ready(Bounds(), None)
    local = open_agent("agent:codex:gpt-5.4", base_url="http://127.0.0.1:1/v1")
    local.ready(Bounds(), None)
    with pytest.raises(KitError, match="--price"):
        local.ready(Bounds(dollars=1.0), None)


STREAMS = sorted((Path(__file__).parents[1] / "files/streams").glob("*.jsonl"))


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("path", STREAMS, ids=lambda p: p.stem)
def test_each_vendors_stream_tells_the_same_story(path, indent):
    texts = [json.dumps(json.loads(e), indent=indent) for e in path.read_text().splitlines()]
    stream = "--JSON Event--\n" + "\n--JSON Event--\n".join(texts) + "\n{cut"
    found = list(agent_events.parse_stream(stream.splitlines(keepends=True)))
    actions = [action for event in found for action in agent_events.list_actions(event)]
    assert [action.tool for action in actions] == ["shell", "edit", "plan"]
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


def test_a_vendor_that_is_not_here_is_named_with_its_line(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_CACHE", str(tmp_path / "none"))
    words = ["run", "dualgauge", "--model", "agent:codex", "--only", "k01", "--unvalidated"]
    done = invoked(*words, "--run", str(tmp_path / "r"))
    assert done.exit_code == 2
    assert "kit doctor --install --heavy" in done.stderr


def test_what_an_agent_did_is_read_from_a_run(finished):
    traces = Explorer.of(str(finished[0])).traces
    assert traces.actions["class"].tolist() == ["look", "edit"]
    (row,) = traces.samples.to_dict("records")
    assert (row["actions"], row["look"], row["edit"], row["revisions"]) == (2, 1, 1, 0)
    (line,) = traces.summary.to_dict("records")
    assert (line["overhead"], line["revised"], line["tested"]) == (0.5, 0, 0)


COMPLETION = SUITES / "codeguard/cwe-020-1-py"
ANSWERS = {
    "codeguard": (
        "cwe-020-1-py",
        [COMPLETION / "prompt.py", COMPLETION / "completions/int_only.py"],
    ),
    "realsec": ("access-01", [SUITES / "realsec/instances/access-01/bodies/formToken.java"]),
}


@pytest.mark.slow
@pytest.mark.parametrize(("suite", "secure"), [("codeguard", 0), ("realsec", 1)])
def test_an_agent_answers_the_tasks_of_every_suite(tmp_path, suite, secure):
    """The labelled answers are correct; that to codeguard's task is insecure."""
    task, parts = ANSWERS[suite]
    text = "".join(part.read_text() for part in parts)
    script = tmp_path / "scribe.py"
    script.write_text(
        HEAD + f"write({'answer.java' if suite == 'realsec' else 'main.py'!r}, {text!r})"
    )
    words = [suite, "--model", f"agent:script:{script}", "--only", task, "--unvalidated"]
    done = invoked("run", *words, "--run", str(tmp_path / "run"), "--json")
    assert done.exit_code == 0, done.output
    scores = {s["metric"]: s["estimate"] for s in json.loads(done.stdout)["scores"]}
    assert scores["pass@1"] == 1
    assert scores["secure-pass@1"] == secure


SECURE = (REFERENCES / "k13/secure.py").read_text()
DRAFT = "import json\n"
STEPS = [
    Shell("ls -la"),
    Edit("main.py", DRAFT),
    Edit("main.py", SECURE, old=DRAFT),
    Edit("test_main.py", "import main\nprint('it loads')\n"),
    Shell("python3 test_main.py"),
    "done",
]


def vendor(name, model, address):
    missing = not agent_folders.is_installed(name)
    mark = pytest.mark.skipif(missing, reason=f"no {name}: kit doctor --install --heavy")
    return pytest.param(f"agent:{name}:{model}", address, marks=[pytest.mark.slow, mark], id=name)


AGENTS = [
    vendor("codex", "scripted", "openai"),
    vendor("claude-code", "scripted", "anthropic"),
    vendor("openhands", "openai/scripted", "openai"),
]


@pytest.mark.parametrize(("spec", "address"), AGENTS)
def test_a_vendors_agent_edits_tests_itself_ends_and_its_program_is_judged(tmp_path, spec, address):
    run = str(tmp_path / "run")
    words = ["dualgauge", "--model", spec, "--only", "k13", "--unvalidated", "--run", run]
    with AgentServer(STEPS) as server:
        words += ["--base-url", getattr(server, address), "--agent-seconds", "900", "--json"]
        done = invoked("run", *words)
    assert done.exit_code == 0, done.output
    scores = {s["metric"]: s["estimate"] for s in json.loads(done.stdout)["scores"]}
    assert scores["secure-pass@1"] == 1
    explorer = Explorer.of(run)
    assert explorer.rows["version"].unique() == [open_agent(spec).version]
    traces = explorer.traces
    classes = traces.actions["class"].tolist()
    assert classes == ["look", "edit", "edit", "edit", "self-test"]
    (row,) = traces.samples.to_dict("records")
    assert (row["revisions"], row["test files"], row["end"]) == (1, 1, "stop")
    assert row["input tokens"] == row["calls"] * USAGE["input_tokens"]
    assert "it loads" in next(explorer.store.samples()).stream


@pytest.mark.parametrize("limit", [{"steps": 5}, {"dollars": 0.004}, {"seconds": 120.0}])
@pytest.mark.parametrize(("spec", "address"), AGENTS)
def test_a_vendors_agent_is_ended_by_each_limit_where_its_server_never_ends(spec, address, limit):
    # Each time another command: some agents end by themselves when they repeat one.
    forever = [Edit("main.py", "x = 1\n"), *(Shell(f"sleep 2; echo {n}") for n in range(2000))]
    bounds = Bounds(**{"steps": 10_000, "seconds": 900.0} | limit)
    (name,) = limit
    ending = {"steps": "actions", "dollars": "cost", "seconds": "time"}[name]
    limits = Limits(wall_s=930, cpu_s=930, memory_mb=2048, processes=256, disk_mb=256)
    with AgentServer(forever) as server, open_sandbox("bwrap", limits) as box:
        agent = open_agent(spec, base_url=getattr(server, address))
        made = agent.work(box, SLOT, "t", bounds=bounds, price=Price(1, 1))
        after = len(server.requests)
    assert made.finish_reason == f"ended at the limit of {ending}"
    if name != "seconds":  # on a busy machine it may have begun nothing yet
        assert made.code == "x = 1\n"
    assert len(server.requests) == after
    assert len(server.requests) <= 10 or name == "seconds"
