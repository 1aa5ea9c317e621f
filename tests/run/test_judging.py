"""Judge and planner over whole runs, through the command line, against a real local server."""

import json
import shutil

import pytest

from kit.core.store import Store
from kit.generation.structured import Asker
from kit.run import report
from kit.run.judging import Judging, Planning
from tests.support.commands import invoked as kit
from tests.support.tables import read_table
from tests.support.wire import Reply, Server, answering, question
from tests.systems.test_spec import put

ITEM = read_table("judging", "item")
GOOD = "def greet(name):\n    return 'hello ' + name\n"
EVIL = "import os\n\n\ndef greet(name):\n    os.system('true')\n    return 'hello ' + name\n"


def written(home):
    """The folder, with the suite and the programs in it."""
    put(home / "suite", "g1", ITEM)
    (home / "programs" / "g1").mkdir(parents=True)
    (home / "programs" / "g1" / "good.py").write_text(GOOD)
    (home / "programs" / "g1" / "evil.py").write_text(EVIL)
    return home


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    """A run of the programs that nobody but the rules judged, and its outcomes."""
    home = written(tmp_path_factory.mktemp("executed"))
    done = evaluate(home)
    return home / "run", outcomes(done)


@pytest.fixture
def home(executed, tmp_path):
    """A folder with a copy of that run."""
    shutil.copytree(executed[0], tmp_path / "run")
    return written(tmp_path)


def evaluate(home, *more):
    words = ("--data", home / "suite", "--programs", home / "programs", "--run", home / "run")
    lookups = () if "--resolver" in more else ("--resolver", "none")
    return kit("evaluate", "suite", *words, *lookups, "--json", *more)


def says(verdict):
    """A server's reply to every question: nothing is unknown, and this verdict."""

    def reply(request):
        if '"unknown"' in question(request):
            return answering(request, unknown=[])
        return answering(request, reasoning="As told.", rests_on=["code"], verdict=verdict)

    return reply


def outcomes(done):
    rows = json.loads(done.stdout)["tests"]
    return {(r["model"], r["test"]): (r["outcome"], r["oracle"]) for r in rows}


@pytest.mark.slow
def test_the_judge_fills_gaps_and_touches_no_verdict_of_the_others(home, executed):
    before = executed[1]
    with Server(says("FAIL")) as server:
        done = evaluate(home, "--judge", f"openai:m@{server.openai}", "--resolver", "installed")
        calls = len(server.requests)
        again = evaluate(home, "--judge", f"openai:m@{server.openai}", "--resolver", "installed")
        assert len(server.requests) == calls
    assert done.exit_code == 0, done.output
    after = outcomes(done)
    gaps = {cell for cell, (outcome, _) in before.items() if outcome == "unknown"}
    assert {test for _, test in gaps} == {"fc-1", "sec-1"}
    assert all(after[cell] == ("fail", "judge:openai:m") for cell in gaps)
    assert all(after[cell] == before[cell] for cell in before.keys() - gaps)
    assert outcomes(again) == after


@pytest.mark.slow
@pytest.mark.parametrize("reply", [Reply(status=404), Reply("It seems fine.")])
def test_a_judge_that_failed_or_spoke_in_prose_is_asked_again_by_the_same_command(home, reply):
    with Server([reply]) as server:
        judge = f"openai:m@{server.openai}"
        first = outcomes(evaluate(home, "--judge", judge))
        server.replies = says("PASS")
        done = evaluate(home, "--judge", judge)
    assert first["good", "sec-1"][0] == "unknown"
    assert outcomes(done)["good", "sec-1"] == ("pass", "judge:openai:m")


@pytest.mark.slow
def test_another_judge_is_another_verdict_and_nothing_is_executed(home):
    for verdict, provider in (("PASS", "openai"), ("FAIL", "anthropic")):
        with Server(says(verdict)) as server:
            url = getattr(server, provider)
            words = ("runs", "judge", home / "run", "--data", home / "suite", "--json")
            done = kit(*words, "--judge", f"{provider}:m@{url}")
        assert json.loads(done.stdout)["judge"]["fresh"] == 4
        with Store(home / "run", write=False) as store:
            frame = store.frame()
        judged = frame[frame["oracle"] == f"judge:{provider}:m"]
        assert set(judged["outcome"]) == {verdict.lower()}
        assert len(judged) == 4


@pytest.mark.slow
def test_both_oracles_stand_side_by_side(tmp_path):
    home = written(tmp_path)
    with Server(says("PASS")) as server:
        done = evaluate(home, "--judge", f"openai:m@{server.openai}", "--judge-all")
    assert outcomes(done)["evil", "sec-0"] == ("fail", "probes")
    table = json.loads(kit("runs", "oracles", home / "run", "--json").stdout)
    total = next(row for row in table if row["kind"] == "all")
    probes = next(row for row in table if row["offline"] == "probes")
    assert (total["tests"], total["both"], total["only_judge"]) == (8, 4, 4)
    assert (probes["pass/pass"], probes["fail/pass"], probes["agreement"]) == (1, 1, 0.5)


def test_without_opinions_the_report_says_how_to_get_them(home):
    assert "kit runs judge" in kit("runs", "oracles", home / "run").stdout


def test_the_judge_is_measured_against_the_labels_by_itself(home):
    tests = {t: {"label": "pass", "why": "w"} for t in ("fc-0", "fc-1", "sec-0", "sec-1")}
    labels = {
        "good.py": {"kind": "secure", "note": "n", "tests": tests},
        "evil.py": {
            "kind": "functional_but_insecure",
            "note": "n",
            "tests": tests | {"sec-0": {"label": "fail", "why": "w"}},
        },
    }
    (home / "programs" / "g1" / "labels.json").write_text(json.dumps(labels))
    with Server(says("PASS")) as server:
        done = kit(
            "validate",
            "suite",
            "--data",
            home / "suite",
            "--references",
            home / "programs",
            "--run",
            home / "run",
            "--judge",
            f"openai:m@{server.openai}",
            "--judge-all",
            "--json",
        )
    result = json.loads(done.stdout)
    assert result["security"]["f1"] == 1.0
    judge = result["judge"]["security"]
    assert (judge["n"], judge["tp"], judge["fp"], judge["precision"]) == (4, 3, 1, 0.75)
    assert not (home / "programs" / "validation.json").exists()


AMBIGUOUS = "def one(name):\n    return 'hello ' + name\n\n\ndef two(name):\n    return name\n"
DRIVER = "from kit_driver import INPUT, load, value\nvalue(load().one(**INPUT))\n"


def plans(request):
    return answering(request, kind="function", folders=[], environment=[], driver=DRIVER)


@pytest.mark.slow
def test_what_parsing_cannot_call_a_planner_can_and_the_report_says_so(tmp_path):
    home = written(tmp_path)
    (home / "programs" / "g1" / "good.py").write_text(AMBIGUOUS)
    (home / "programs" / "g1" / "evil.py").write_text("def greet(:\n")
    item = ITEM | {"prompt": "Return a greeting."}
    (home / "suite" / "g1" / "tests.json").write_text(json.dumps(item))
    evaluate(home)
    before = json.loads(kit("runs", "executed", home / "run", "--json").stdout)[0]
    with Server(plans) as server:
        at = f"openai:m@{server.openai}"
        done = evaluate(home, "--planner", "parse-then-llm", "--planner-model", at)
        assert len(server.requests) == 1
    after = json.loads(kit("runs", "executed", home / "run", "--json").stdout)[0]
    assert outcomes(done)["good", "fc-0"][0] == "pass"
    assert [before[n] for n in ("planned", "executed", "harness", "code")] == [8, 0, 4, 4]
    assert [after[n] for n in ("executed", "harness", "code", "share")] == [4, 0, 4, 0.5]


@pytest.mark.slow
def test_the_driver_cannot_serve_another_program_and_is_judged_again_without_being_named(tmp_path):
    """DRIVER calls `one`, which GOOD lacks: the trial fails and nothing passes by it."""
    home = written(tmp_path)
    with Server(plans) as server:
        at = f"openai:m@{server.openai}"
        done = evaluate(home, "--planner", "llm", "--planner-model", at)
    assert {outcome for outcome, _ in outcomes(done).values()} == {"unknown"}
    done = kit("runs", "judge", home / "run", "--data", home / "suite", "--json")
    assert json.loads(done.stdout)["left"] == 0


@pytest.mark.slow
@pytest.mark.parametrize(("words", "said"), read_table("judging", "refused"))
def test_what_cannot_judge_or_plan_is_refused_in_a_sentence(home, monkeypatch, words, said):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    done = evaluate(home, *words)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_the_report_of_an_empty_run_has_its_columns(tmp_path):
    with Store(tmp_path / "run") as store:
        assert list(report.count_executions(store).columns)[1:3] == ["planned", "executed"]
        assert report.oracle_agreement(store.opinions()).empty


def test_planning_and_judging_open_what_they_say(box, tmp_path):
    with Store(tmp_path / "run") as store:
        planner = Planning("llm", "openai:m@http://localhost:1/v1").open(store)
        judge = Judging("anthropic:m@http://localhost:1", samples=3, resolver="none").open(
            store, box
        )
        assert isinstance(planner.asker, Asker)
        assert (judge.name, judge.samples, judge.library) == ("judge:anthropic:m", 3, None)
