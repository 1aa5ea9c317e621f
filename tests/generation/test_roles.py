"""Answers of every role: recorded as they were asked for, replayed by question, or from outside."""

import json

import pytest

from kit.core.errors import KitError
from kit.core.records import content_key
from kit.generation import base, outside, replay, structured
from kit.generation.cost import Budget
from kit.generation.models import open_role
from kit.generation.structured import Asker
from tests.support.commands import told
from tests.support.wire import Reply, Server

ASK = [{"role": "user", "content": "which?"}]
OTHER = [{"role": "user", "content": "which other?"}]
SHAPE = structured.build_schema(side={"type": "string"})


def said(side):
    return json.dumps({"ticket": "T", "side": side})


def ask_all(asker, times=3):
    """The first answers to ASK, and one in words to OTHER."""
    answers = [asker.ask(ASK, SHAPE, ticket="T", index=number) for number in range(times)]
    return answers, asker.ask_in_words(OTHER)


@pytest.fixture
def recording(tmp_path):
    """A folder with the answers of a model, and what it said: a malformed answer is among them."""
    replies = [said("a"), "no object", said("b"), said("c"), "in words"]
    with Server([Reply(text) for text in replies]) as server:
        with replay.recorded_in(tmp_path / "answers") as cache:
            answers = ask_all(Asker(open_role(f"openai:m@{server.openai}"), cache))
    return tmp_path / "answers", answers


def test_a_recording_gives_the_same_answers_in_the_same_order_and_costs_nothing(recording):
    folder, answers = recording
    assert [answer.data["side"] for answer in answers[0]] == ["a", "b", "c"]
    model = open_role(f"replay:{folder}")
    budget = Budget(0.0)
    assert ask_all(Asker(model, budget=budget)) == answers
    assert (model.name, budget.spent) == ("openai:m", 0.0)
    samples, meta = replay.read_recording(folder)
    assert {sample.task for sample in samples} == {content_key(ASK), content_key(OTHER)}
    assert (meta["served"], meta["samples"]) == (["served-model-2026"], 5)
    first = min((s for s in samples if s.task == content_key(ASK)), key=lambda s: s.index)
    facts = (first.finish_reason, first.input_tokens, first.output_tokens, first.arm)
    assert facts == ("stop", 11, 7, {"max_tokens": structured.ANSWER_TOKENS})
    assert first.created


def test_a_replay_is_a_recording_again(recording, tmp_path):
    folder, answers = recording
    with replay.recorded_in(tmp_path / "copy") as cache:
        ask_all(Asker(open_role(f"replay:{folder}"), cache))
    assert ask_all(Asker(open_role(f"replay:{tmp_path / 'copy'}"))) == answers
    copied, original = ((f / replay.SAMPLES).read_bytes() for f in (tmp_path / "copy", folder))
    assert copied == original


def test_what_is_not_recorded_fails_in_a_sentence_that_names_the_question(recording):
    asker = Asker(open_role(f"replay:{recording[0]}"))
    for messages, index in ((ASK, 3), ([{"role": "user", "content": "new"}], 0)):
        with pytest.raises(base.NotRecorded, match=content_key(messages)[:16]):
            asker.ask(messages, SHAPE, ticket="T", index=index)


def test_settings_tell_answers_to_one_question_apart(tmp_path):
    with Server([Reply(said("cold")), Reply(said("hot"))]) as server:
        with replay.recorded_in(tmp_path / "r") as cache:
            for temperature in (0.0, 1.0):
                asker = Asker(open_role(f"openai:m@{server.openai}"), cache, None, temperature)
                asker.ask(ASK, SHAPE, ticket="T")
    model = open_role(f"replay:{tmp_path / 'r'}")
    for temperature, side in ((0.0, "cold"), (1.0, "hot")):
        answer = Asker(model, temperature=temperature).ask(ASK, SHAPE, ticket="T")
        assert answer.data["side"] == side
    with pytest.raises(base.NotRecorded, match="the only one with the settings"):
        Asker(model).ask(ASK, SHAPE, ticket="T")


def test_a_refusal_and_malformed_answers_are_replayed_as_such(tmp_path):
    replies = [Reply("I will not", reason="content_filter"), Reply("no object")]
    with Server(replies) as server, replay.recorded_in(tmp_path / "r") as cache:
        asker = Asker(open_role(f"openai:m@{server.openai}"), cache)
        live = [asker.ask(messages, SHAPE, ticket="T") for messages in (ASK, OTHER)]
    asker = Asker(open_role(f"replay:{tmp_path / 'r'}"))
    assert [asker.ask(messages, SHAPE, ticket="T") for messages in (ASK, OTHER)] == live
    assert live[0].refused
    assert "malformed" in live[1].note


def test_of_several_models_one_is_named_and_a_recording_without_questions_is_refused(tmp_path):
    for name in "ab":
        with Server([Reply(said(name))]) as server, replay.recorded_in(tmp_path / "r") as cache:
            model = open_role(f"openai:{name}@{server.openai}")
            Asker(model, cache).ask(ASK, SHAPE, ticket="T")
    with pytest.raises(KitError, match="openai:a, openai:b"):
        open_role(f"replay:{tmp_path / 'r'}")
    model = open_role(f"replay:{tmp_path / 'r'}#openai:b")
    assert Asker(model).ask(ASK, SHAPE, ticket="T").data["side"] == "b"
    with pytest.raises(KitError, match="no model"):
        open_role("replay:claude-plain")  # answers to tasks alone
    with pytest.raises(KitError, match="No recording or run"):
        open_role("replay:no-such-recording")


def test_answers_of_two_servers_under_one_name_are_both_kept_and_neither_is_chosen(tmp_path):
    with replay.recorded_in(tmp_path / "r") as cache:
        for side in "ab":
            with Server([Reply(said(side))]) as server:
                Asker(open_role(f"openai:m@{server.openai}"), cache).ask(ASK, SHAPE, ticket="T")
    samples, _ = replay.read_recording(tmp_path / "r")
    assert {sample.response for sample in samples} == {said("a"), said("b")}
    with pytest.raises(base.NotRecorded, match="the only one"):
        Asker(open_role(f"replay:{tmp_path / 'r'}")).ask(ASK, SHAPE, ticket="T")


def answer_lines(path, *lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_questions_go_out_and_answers_come_back_by_their_keys(tmp_path):
    folder = tmp_path / "outside"
    spec = f"outside:{folder}#someone"
    for _ in range(2):  # an open question is put down once
        with pytest.raises(base.NotRecorded, match="import answers"):
            Asker(open_role(spec)).ask(ASK, SHAPE, ticket="T")
    (line,) = (folder / outside.QUESTIONS).read_text().splitlines()
    question = json.loads(line)
    assert question["messages"] == ASK
    key = question["key"]
    answers = answer_lines(
        tmp_path / "a.jsonl",
        {"key": key, "answer": {"ticket": "T", "side": "left"}, "output_tokens": 5},
        {"key": key, "answer": said("right"), "created": "2026-01-01", "served_model": "x"},
    )
    done = told("import", "answers", answers, folder, "--served-by", "a person")
    assert done == {"answers": 2, "open": 0}
    for model in (open_role(spec), open_role(f"replay:{folder}")):
        asker = Asker(model)
        sides = [asker.ask(ASK, SHAPE, ticket="T", index=n).data["side"] for n in range(2)]
        assert (model.name, sides) == ("someone", ["left", "right"])
    first, second = replay.read_recording(folder)[0]
    assert (first.served_model, first.output_tokens, first.created[:2]) == ("a person", 5, "20")
    assert (second.served_model, second.created) == ("x", "2026-01-01")
    assert first.arm == second.arm == {"max_tokens": structured.ANSWER_TOKENS}


def test_a_malformed_answer_from_outside_is_asked_for_again(tmp_path):
    spec = f"outside:{tmp_path / 'f'}"
    with pytest.raises(base.NotRecorded):
        Asker(open_role(spec)).ask(ASK, SHAPE, ticket="T")
    for text in ("no object", said("left")):
        file = answer_lines(tmp_path / "a", {"key": content_key(ASK), "answer": text})
        outside.import_answers(file, str(tmp_path / "f"))
        if text == "no object":
            with pytest.raises(base.NotRecorded):
                Asker(open_role(spec)).ask(ASK, SHAPE, ticket="T")
    assert Asker(open_role(spec)).ask(ASK, SHAPE, ticket="T").data["side"] == "left"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"key": "x", "answer": "y"}, "no question has the key 'x'"),
        ({"answer": "y"}, "field 'key' is missing"),
        ({"key": content_key(ASK), "answer": "y"}, "openai:a, openai:b were asked this"),
        ({"key": content_key(ASK), "answer": "y", "model": "c"}, "no question has the key"),
    ],
)
def test_an_answer_to_nothing_is_refused_in_a_sentence(tmp_path, line, sentence):
    for name in ("openai:a", "openai:b"):
        with pytest.raises(base.NotRecorded):
            Asker(open_role(f"outside:{tmp_path / 'f'}#{name}")).ask(ASK, SHAPE, ticket="T")
    file = answer_lines(tmp_path / "answers", line)
    with pytest.raises(KitError, match=f"line 1.*{sentence}"):
        outside.import_answers(file, str(tmp_path / "f"))
    assert not (tmp_path / "f" / replay.SAMPLES).exists()


def test_an_answer_is_not_replaced_and_a_run_is_no_place_for_questions(tmp_path):
    with pytest.raises(base.NotRecorded):
        Asker(open_role(f"outside:{tmp_path / 'f'}")).ask(ASK, SHAPE, ticket="T")
    file = answer_lines(tmp_path / "a", {"key": content_key(ASK), "answer": "y", "index": 0})
    outside.import_answers(file, str(tmp_path / "f"))
    with pytest.raises(KitError, match="on record already"):
        outside.import_answers(file, str(tmp_path / "f"))
    with pytest.raises(KitError, match="folder of a run"):
        open_role("outside:claude-plain")
