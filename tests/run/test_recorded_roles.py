"""Judge and planner over whole runs, replayed from recordings, or answered from outside."""

import json
import re
import shutil

import pytest

from kit.core.errors import KitError
from kit.core.records import Reason
from kit.core.store import Store
from kit.generation import outside, replay
from kit.run.job import Job
from kit.run.judging import read_draw
from kit.run.pipeline import UNANSWERED
from kit.run.suites import open_suite
from tests.run.test_judging import (  # noqa: F401 (a fixture)
    AMBIGUOUS,
    DRIVER,
    ITEM,
    evaluate,
    executed,
    says,
    written,
)
from tests.support.commands import kit, told
from tests.support.wire import Server, answering, question

VERDICTS = ["PASS", "FAIL", "PASS"]
DRIVER_OF_NOTHING = DRIVER.replace("one(", "three(")


def copy_run(executed, folder):  # noqa: F811
    shutil.copytree(executed[0], folder / "run")
    return written(folder)


def judge(home, *words):
    """What the command printed: the stored evidence is judged, and nothing is executed."""
    return told("runs", "judge", home / "run", "--data", home / "suite", "--resolver=none", *words)


def judged(home):
    """Each opinion of a judge, with all that it says; and each verdict that counts."""
    with Store(home / "run", write=False) as store:
        rows = store.db.execute("SELECT slot, test, oracle, verdict FROM opinions")
        opinions = {tuple(row[:3]): store.verdict(row[3]) for row in rows.fetchall()}
        columns = ["slot", "test", "status", "outcome", "oracle", "reason"]
        return opinions, store.frame()[columns].to_dict("records")


def answer_in_turn():
    """Of a question that is asked several times, each answer is another one."""
    counts = {}

    def reply(request):
        asked = question(request)
        counts[asked] = counts.get(asked, -1) + 1
        return answering(
            request, reasoning="As told.", rests_on=["code"], verdict=VERDICTS[counts[asked] % 3]
        )

    return reply


@pytest.mark.slow
def test_a_judge_is_replayed_from_its_run_or_its_recording_without_the_server(executed, tmp_path):  # noqa: F811
    live, of_run, of_recording = (
        copy_run(executed, tmp_path / name) for name in ("live", "run", "recording")
    )
    words = ("--judge-samples", 3, "--judge-all")
    with Server(answer_in_turn()) as server:
        judge(live, "--judge", f"openai:m@{server.openai}", *words)
        assert len(server.requests) == 3 * 8
    exported = told("export", live / "run", "--answers", tmp_path / "answers")
    samples, meta = replay.read_recording(tmp_path / "answers")
    assert exported["answers"] == len(samples) == 2 + 3 * 8  # two programs, and the opinions
    assert meta["served"] == ["served-model-2026"]
    for home, place in ((of_run, live / "run"), (of_recording, tmp_path / "answers")):
        tally = judge(home, "--judge", f"replay:{place}", "--judge-budget", 1, *words)["judge"]
        assert (tally["fresh"], tally["infra"]) == (8, 0)
        assert judged(home) == judged(live)
    sentences = {opinion.sentence for opinion in judged(live)[0].values()}
    assert sentences == {"PASS, FAIL, PASS: As told."}


@pytest.mark.slow
def test_a_question_without_a_recorded_answer_is_no_verdict(executed, tmp_path):  # noqa: F811
    live, home = (copy_run(executed, tmp_path / name) for name in ("live", "replayed"))
    with Server(says("PASS")) as server:
        judge(live, "--judge", f"openai:m@{server.openai}")
    tally = judge(home, "--judge", f"replay:{live / 'run'}", "--judge-all")["judge"]
    assert (tally["fresh"], tally["infra"]) == (4, 4)
    assert re.search(r"no recorded answer to question [0-9a-f]{16} in", tally["note"])
    assert judged(home)[1] == judged(live)[1]
    reasons = [opinion.reason for opinion in judged(home)[0].values()]
    assert reasons.count(Reason.JUDGE_FAILED) == 4


@pytest.mark.slow
def test_a_judge_who_is_asked_through_a_file_decides_when_it_has_answered(executed, tmp_path):  # noqa: F811
    home = copy_run(executed, tmp_path)
    spec = f"outside:{tmp_path / 'desk'}#expert"
    tally = judge(home, "--judge", spec, "--judge-all")["judge"]
    assert (tally["fresh"], tally["infra"]) == (0, 8)
    assert "import answers" in tally["note"]
    lines = []
    for line in (tmp_path / "desk" / outside.QUESTIONS).read_text().splitlines():
        asked = json.loads(line)
        (ticket,) = set(re.findall(r'"ticket": "(\w+)"', asked["messages"][-1]["content"]))
        verdict = {"reasoning": "Read.", "rests_on": ["code"], "verdict": "FAIL"}
        lines.append({"key": asked["key"], "answer": {"ticket": ticket, **verdict}})
    file = tmp_path / "answered.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert told("import", "answers", file, tmp_path / "desk") == {"answers": 8, "open": 0}
    assert judge(home, "--judge", spec, "--judge-all")["judge"]["fresh"] == 8
    opinions = judged(home)[0].values()
    assert {(opinion.oracle, opinion.outcome) for opinion in opinions} == {("judge:expert", "fail")}


def plan(driver):
    return {"kind": "function", "folders": [], "environment": [], "driver": driver}


@pytest.mark.slow
def test_a_planner_that_mended_its_driver_and_a_judge_are_replayed_where_all_runs_anew(tmp_path):
    """Their questions show how a program ran, which two executions must say alike."""
    home = written(tmp_path)
    (home / "programs" / "g1" / "good.py").write_text(AMBIGUOUS)
    (home / "programs" / "g1" / "evil.py").unlink()
    (home / "suite" / "g1" / "tests.json").write_text(
        json.dumps(ITEM | {"prompt": "Return a greeting."})
    )

    def reply(request):
        if '"verdict"' in question(request):
            return says("PASS")(request)
        is_repair = "has no attribute 'three'" in question(request)
        return answering(request, **plan(DRIVER if is_repair else DRIVER_OF_NOTHING))

    with Server(reply) as server:
        words = ("--planner", "llm", "--planner-model")
        spec = f"openai:m@{server.openai}"
        evaluate(home, *words, spec, "--judge", spec)
        assert len(server.requests) == 2 + 2  # two drivers, two tests that nothing else decides
    with Store(home / "run", write=False) as store:
        columns = ["test", "status", "outcome", "reason"]
        live = store.frame()[columns]
    assert list(live["outcome"]) == ["pass"] * 4
    kit("export", home / "run", "--answers", tmp_path / "answers")
    (home / "run").rename(tmp_path / "before")
    spec = f"replay:{tmp_path / 'answers'}"
    done = evaluate(home, *words, spec, "--judge", spec)
    assert done.exit_code == 0, done.output
    with Store(home / "run", write=False) as store:
        assert store.frame()[columns].equals(live)


def test_tasks_are_asked_through_a_file_too_and_no_open_question_stops_the_run(tmp_path):
    suite = open_suite("dualgauge")
    tasks = suite.load().tasks[: UNANSWERED + 3]
    job = Job.of(suite, tasks, f"outside:{tmp_path / 'desk'}#someone")
    with Store(tmp_path / "run") as store:
        assert job.generate(store).infra == len(tasks)
        keys = [place[1] for place in outside.read_questions(tmp_path / "desk")]
        file = tmp_path / "answered.jsonl"
        file.write_text(
            "".join(
                json.dumps({"key": key, "answer": "```python\nx = 1\n```"}) + "\n" for key in keys
            )
        )
        outside.import_answers(file, str(tmp_path / "desk"))
        again = Job.of(suite, tasks, job.model).generate(store)
        assert (again.fresh, again.infra) == (len(tasks), 0)
        assert {sample.code for sample in store.samples()} == {"x = 1\n"}
    replayed = Job.of(suite, tasks, f"replay:{tmp_path / 'run'}").slots
    assert {sample.model for sample in replayed} == {"someone"}


@pytest.mark.slow
def test_a_judge_is_asked_about_a_draw_of_a_run(executed, tmp_path):  # noqa: F811
    home = copy_run(executed, tmp_path)
    with Server(says("PASS")) as server:
        words = ("--judge", f"openai:m@{server.openai}", "--judge-draw", "security=2,functional=1")
        assert judge(home, *words)["judge"]["fresh"] == len(server.requests) == 3
        again = judge(home, *words)["judge"]
        assert (again["fresh"], again["cached"], len(server.requests)) == (0, 3, 3)
    with Store(home / "run", write=False) as store:
        assert store.opinions()["kind"].value_counts().to_dict() == {"security": 2, "functional": 1}
    with pytest.raises(KitError, match="security=80,functional=20"):
        read_draw("security")
