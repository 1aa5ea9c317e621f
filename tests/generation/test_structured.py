"""Objects in answers: the last one with the ticket, nothing after it, or asked again."""

import dataclasses
import json
import re

import pytest

from kit.generation import base, structured
from kit.generation.cost import Budget, Price
from kit.generation.models import open_model
from kit.generation.structured import Asker, last_object
from tests.support.wire import Reply, Server

BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])
ASK = [{"role": "user", "content": "which?"}]
SHAPE = structured.build_schema(side={"type": "string", "enum": ["left", "right"]})


def said(side, ticket="T"):
    return json.dumps({"ticket": ticket, "side": side})


def asker(server, provider="openai", **options):
    url = getattr(server, provider)
    model = open_model(f"{provider}:m", base_url=url, tries=1, timeout_s=5.0)
    return Asker(model, **options)


@pytest.mark.parametrize(
    ("text", "side"),
    [
        (said("left"), "left"),
        (f"thinking {{ of {said('left')} it:\n```json\n{said('right')}\n```\n", "right"),
        (f"{said('left')}\n{said('right', 'other')}", None),
        (f"{said('left')} but on reflection no", None),
        (said("left", "forged"), None),
        (f'{{"quoted": {said("left")}}}', None),
        ("", None),
        ('{"a":' * 3000, None),
        ("[" * 100_000, None),
        ("[" * 3000 + "\n" + said("left"), "left"),
        ("{" * 3000 + "\n" + said("left"), "left"),
        ('{"ticket": "T", "side": "left", "side": "right"}', "right"),
    ],
)
def test_the_last_object_with_the_ticket_counts_if_nothing_follows_it(text, side):
    found = last_object(text, "T")
    assert (found or {}).get("side") == side


FULL = structured.build_schema(
    side={"type": "string", "enum": ["left"]}, places={"type": "array", "items": {"type": "string"}}
)
RIGHT = {"ticket": "T", "side": "left", "places": ["a"]}


@pytest.mark.parametrize(
    "odd",
    [
        [],
        "x",
        None,
        {},
        RIGHT | {"side": "up"},
        RIGHT | {"side": 1},
        RIGHT | {"places": "a"},
        RIGHT | {"places": [1]},
        RIGHT | {"more": 1},
        {"ticket": "T", "side": "left"},
    ],
)
def test_the_schema_is_kept_to_the_letter(odd):
    assert structured.explain_misfit(RIGHT, FULL) == ""
    assert structured.explain_misfit(odd, FULL)


@BOTH
def test_the_schema_is_sent_in_the_words_of_each_format(provider):
    with Server([Reply(said("left"))]) as server:
        got = asker(server, provider).ask(ASK, SHAPE, ticket="T")
    assert got.data == {"ticket": "T", "side": "left"}
    place = {"openai": ("response_format", "json_schema"), "anthropic": ("output_config", "format")}
    outer, inner = place[provider]
    assert server.requests[0].body[outer][inner]["schema"] == SHAPE


@BOTH
def test_a_service_without_schemas_is_asked_without_from_then_on(provider):
    def reply(request):
        odd = {"response_format", "output_config"} & request.body.keys()
        return Reply(status=400, error={"message": "unknown field"}) if odd else Reply(said("left"))

    with Server(reply) as server:
        asks = asker(server, provider)
        assert asks.ask(ASK, SHAPE, ticket="T").data["side"] == "left"
        assert asks.ask(ASK, SHAPE, ticket="T", index=1).data["side"] == "left"
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "odd", ["no idea", said("up"), said("left", "U"), '{"ticket": "T"}', said("left")[:-1]]
)
def test_a_malformed_answer_is_asked_for_again_and_then_given_up(odd):
    with Server([Reply(odd), Reply(said("right"))]) as server:
        assert asker(server).ask(ASK, SHAPE, ticket="T").data["side"] == "right"
    with Server([Reply(odd)]) as server:
        got = asker(server).ask(ASK, SHAPE, ticket="T")
    assert got.data is None
    assert re.match("3 answers were malformed", got.note)
    assert len(server.requests) == 3


def test_an_answer_is_asked_for_once_and_a_malformed_one_is_kept_as_such():
    with Server([Reply("no idea")] * 4 + [Reply(said("left"))]) as server:
        cache = {}
        assert asker(server, cache=cache).ask(ASK, SHAPE, ticket="T").data is None
        assert [entry["malformed"] for entry in cache.values()] == [True] * 3
        for _ in range(2):
            assert asker(server, cache=cache).ask(ASK, SHAPE, ticket="T").data["side"] == "left"
        assert len(server.requests) == 5
        asker(server, cache=cache).ask(ASK, SHAPE, ticket="T", index=1)
        asker(server, cache=cache, temperature=0.5).ask(ASK, SHAPE, ticket="T")
    assert len(server.requests) == 7
    assert server.requests[-1].body["temperature"] == 0.5


def test_a_service_that_fails_is_an_error_and_nothing_is_kept():
    with Server([Reply(status=500), Reply(said("left"))]) as server:
        asks = asker(server)
        with pytest.raises(base.ServerFailed):
            asks.ask(ASK, SHAPE, ticket="T")
        assert asks.ask(ASK, SHAPE, ticket="T").data


@BOTH
def test_a_refusal_is_no_malformed_answer(provider):
    with Server([Reply("I will not", reason="content_filter")]) as server:
        got = asker(server, provider).ask(ASK, SHAPE, ticket="T")
    assert (got.data, got.refused, len(server.requests)) == (None, True, 1)


def test_the_budget_holds_for_questions_too():
    price = {"openai:m": Price(1.0, 1.0, "2026-01-01", "made up for this test")}
    with Server([Reply(said("left"), usage=(1000, 1000))]) as server:
        asks = asker(server, budget=Budget(1.0, prices=price))
        asks.model = dataclasses.replace(asks.model, price_key="openai:m")
        asks.ask(ASK, SHAPE, ticket="T")
    assert asks.budget.spent == pytest.approx(0.002)


def test_web_search_is_asked_for_where_a_format_has_it():
    openai = structured.add_web_search(open_model("openai:m", base_url="http://localhost:1/v1"))
    anthropic = structured.add_web_search(open_model("anthropic:m", base_url="http://localhost:1"))
    assert "web_search_options" in openai.extra
    assert anthropic.extra["tools"][0]["name"] == "web_search"
    assert structured.add_web_search(open_model("local")) is None
