"""Recordings: written whole, read back equal, and answering in a model's place."""

import dataclasses
import json

import pytest

from kit.core.errors import KitError
from kit.core.records import Sample, Status, Task, content_key
from kit.core.store import Store
from kit.generation import replay
from kit.generation.models import open_model
from kit.harness.extract import sample_of
from kit.run.job import Job
from kit.run.suites import open_suite

TASKS = [Task("1", "s", "one", ()), Task("2", "s", "two", ())]
ANSWER = "```python\nx = 1\n```"


def ask(task):
    return [{"role": "user", "content": task.prompt}]


def sample(task="1", index=0, **options):
    options = {"model": "openai:m", "response": ANSWER, "code": "x = 1\n"} | options
    return Sample(task, index=index, **options)


def recalled(model, task, messages, *, language="python", index=0, arm=None):
    """The recorded sample for this place."""
    slot = Sample(task.id, model.name, index, language, arm or {}, Status.NOT_RUN)
    return model.recall(slot, messages=messages, read=sample_of)


def test_what_is_written_is_read_back_equal(tmp_path):
    samples = [
        sample(index=i, arm={"temperature": 0.5, "prompt": "plain"}, seed=i, created="2026-01-01")
        for i in range(2)
    ] + [sample("2", status=Status.REFUSED, response="no\u2028\x85\r\n", code="", note="é")]
    settings = {"n": 2, "arm": {"temperature": None}}
    replay.write_recording(tmp_path / "r", samples, settings=settings, suite_hash="abc")
    back, meta = replay.read_recording(tmp_path / "r")
    assert back == samples
    assert (meta["models"], meta["samples"], meta["suite_hash"]) == (["openai:m"], 3, "abc")
    assert (meta["date"], meta["settings"]) == ("2026-01-01", settings)


def test_order_changes_no_byte(tmp_path):
    samples = [sample(t, index=i) for t in "21" for i in (1, 0)]
    for name, some in (("a", samples), ("b", samples[::-1])):
        replay.write_recording(tmp_path / name, some, settings={})
    a, b = ((tmp_path / name / replay.SAMPLES).read_bytes() for name in "ab")
    assert a == b
    assert a.count(b"\n") == 4


def test_a_recording_answers_under_the_recorded_name(tmp_path):
    replay.write_recording(tmp_path, [sample(arm={"prompt": "plain"})], settings={})
    model = open_model(f"replay:{tmp_path}")
    got = recalled(model, TASKS[0], ask(TASKS[0]), arm={"prompt": "plain"})
    assert model.name == got.model == "openai:m"
    assert (got.status, got.code) == (Status.COMPLETED, "x = 1\n")


@pytest.mark.parametrize(
    "missing",
    [{"index": 1}, {"language": "javascript"}, {"arm": {"prompt": "secure"}}, {"task": TASKS[1]}],
)
def test_what_is_not_recorded_is_an_infrastructure_failure(tmp_path, missing):
    replay.write_recording(tmp_path, [sample()], settings={})
    options = {"task": TASKS[0]} | missing
    task = options.pop("task")
    got = recalled(open_model(f"replay:{tmp_path}"), task, ask(task), **options)
    assert (got.status, got.code, got.model) == (Status.INFRA_ERROR, "", "openai:m")
    assert "has no answer for task" in got.note


def test_extraction_is_done_anew_and_what_came_without_it_is_kept(tmp_path):
    stale = sample(code="old\n", status=Status.EXTRACTION_ERROR)
    kept = [sample("2", 0, response="", code="y = 2\n", label="secure")] + [
        sample("2", n, status=status, code="", note="as it was")
        for n, status in enumerate((Status.REFUSED, Status.INFRA_ERROR), 1)
    ]
    replay.write_recording(tmp_path, [stale, *kept], settings={})
    model = open_model(f"replay:{tmp_path}")
    anew = recalled(model, TASKS[0], ask(TASKS[0]))
    assert (anew.code, anew.status) == ("x = 1\n", Status.COMPLETED)
    assert [recalled(model, TASKS[1], ask(TASKS[1]), index=n) for n in range(3)] == kept


def test_a_recording_of_several_models_wants_a_name(tmp_path):
    replay.write_recording(tmp_path, [sample(), sample(model="local", code="b\n")], settings={})
    with pytest.raises(KitError, match="local, openai:m"):
        _ = open_model(f"replay:{tmp_path}").name
    assert open_model(f"replay:{tmp_path}#local").name == "local"
    with pytest.raises(KitError, match="#MODEL"):
        _ = open_model(f"replay:{tmp_path}#other").name


WRONG = [
    {"model": []},
    {"arm": None},
    {"arm": [1]},
    {"index": "x"},
    {"code": 5},
    {"response": None},
]
LINES = [
    ({"task": "1", "model": "m"} | wrong, f"is not a sample: {[*wrong][0]} is") for wrong in WRONG
] + [
    ({"task": "1", "model": "openai:m", "code": "other"}, "repeats line 1"),
    ({"task": "1", "model": "m", "colour": 1}, "is not a sample"),
    *((odd, "is not a sample") for odd in ([], 7, {"task": "1"}, "x")),
]


@pytest.mark.parametrize(("line", "said"), [*LINES, ("{", "is not a sample")])
def test_a_line_that_is_no_sample_or_a_second_one_is_named_and_why(tmp_path, line, said):
    replay.write_recording(tmp_path, [sample()], settings={})
    with (tmp_path / replay.SAMPLES).open("a") as file:
        file.write(line if line == "{" else json.dumps(line))
    with pytest.raises(KitError, match=f"line 2 {said}"):
        replay.read_recording(tmp_path)


def test_no_recording_says_which_there_are():
    with pytest.raises(KitError, match="Known recordings: "):
        replay.read_recording("no-such-recording")


def test_a_changed_prompt_makes_a_recording_stale(tmp_path):
    asked = {replay.slot_key(sample()): content_key(ask(TASKS[0]))}
    replay.write_recording(tmp_path, [sample()], settings={}, questions=asked)
    played = open_model(f"replay:{tmp_path}")
    assert recalled(played, TASKS[0], ask(TASKS[0])).code == "x = 1\n"
    stale = recalled(played, TASKS[0], [{"role": "user", "content": "another prompt"}])
    assert stale.status == Status.INFRA_ERROR
    assert "another prompt" in stale.note


def test_no_half_written_recording_is_ever_seen(tmp_path):
    replay.write_recording(tmp_path, [sample()], settings={})
    before = (tmp_path / replay.SAMPLES).read_bytes()
    broken = dataclasses.replace(sample(), note=object())
    with pytest.raises(TypeError):
        replay.write_recording(tmp_path, [broken], settings={})
    assert (tmp_path / replay.SAMPLES).read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [replay.META, replay.SAMPLES]


def test_a_recording_in_another_encoding_is_named(tmp_path):
    (tmp_path / replay.SAMPLES).write_bytes(b'{"task": "t1", "model": "\xff"}\n')
    with pytest.raises(KitError, match="Save it as UTF-8"):
        replay.read_recording(tmp_path)


@pytest.mark.parametrize("text", ["{nope", "[1]", '{"questions": [1]}'])
def test_broken_notes_beside_a_recording_are_named(tmp_path, text):
    replay.write_recording(tmp_path, [sample()], settings={})
    (tmp_path / replay.META).write_text(text)
    with pytest.raises(KitError, match="Fix it or move it away"):
        replay.read_recording(tmp_path)


def test_a_run_without_a_recording_is_replayed_too(tmp_path):
    run = str(tmp_path / "run")
    with Store(run) as store:
        store.plan(TASKS, [sample(), sample("2", model="openai:n")])
        for each in (sample(), sample("2", model="openai:n")):
            store.put_sample(each)
    suite = open_suite("dualgauge")
    (slot,) = Job.of(suite, TASKS, f"replay:{run}#openai:n").slots
    assert (slot.task, slot.response) == ("2", ANSWER)
    with pytest.raises(KitError, match="samples of: openai:m, openai:n. Use replay:"):
        Job.of(suite, TASKS, f"replay:{run}").slots  # noqa: B018
