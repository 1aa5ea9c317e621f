"""Models behind HTTP, asked over a real connection in both wire formats."""

import dataclasses
import gzip
import itertools
import logging
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from email.utils import formatdate

import pytest

from kit.core.errors import KitError
from kit.core.records import Status, Task, to_json
from kit.generation import base, models
from kit.generation.models import open_model
from tests.support.wire import ANTHROPIC, OPENAI, Reply, Server, ask_once

ASK = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
TASK = Task("1", "s", "say", ())
KEY = "sk-never-to-be-seen-0123456789"
BOTH = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@pytest.fixture(autouse=True)
def _no_keys_of_this_machine(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def opened(server, provider, **options):
    options = {"tries": 3, "backoff_s": 0.01, "timeout_s": 5.0} | options
    return open_model(f"{provider}:some-model", base_url=getattr(server, provider), **options)


@BOTH
def test_an_answer_comes_with_all_that_the_service_says_of_it(provider):
    with Server([Reply("x = 1", usage=(5, 3))]) as server:
        got = opened(server, provider).generate(ASK)
    assert (got.text, got.served_model) == ("x = 1", "served-model-2026")
    assert (got.input_tokens, got.output_tokens, got.attempts) == (5, 3, 1)
    assert (got.truncated, got.refused) == (False, False)
    assert got.finish_reason == {"openai": "stop", "anthropic": "end_turn"}[provider]
    assert got.latency_s > 0
    assert got.created.startswith("20")


@BOTH
def test_sampling_parameters_are_sent_only_when_set(provider):
    with Server() as server:
        model = opened(server, provider)
        model.generate(ASK)
        used = model.generate(ASK, temperature=0.0, max_tokens=9, seed=5, index=2).seed
    bare, full = (r.body for r in server.requests)
    assert not {"temperature", "seed", "top_p"} & bare.keys()
    assert full["temperature"] == 0.0
    assert full["max_tokens"] == 9
    assert full.get("seed") == used == {"openai": 7, "anthropic": None}[provider]  # it has none


def test_how_to_think_is_sent_in_each_format_and_is_part_of_the_identity():
    with Server([Reply()]) as server:
        for provider, how in (("openai", "low"), ("anthropic", "2000"), ("anthropic", "off")):
            plain = opened(server, provider)
            model = models.apply_thinking(plain, how)
            model.generate([{"role": "user", "content": "hi"}], max_tokens=4000)
            assert model.identity != plain.identity == models.apply_thinking(plain, "").identity
        sent = [r.body for r in server.requests]
    assert sent[0]["reasoning_effort"] == "low"
    assert sent[1]["thinking"] == {"type": "enabled", "budget_tokens": 2000}
    assert sent[2]["thinking"] == {"type": "disabled"}
    for spec, how in (("local", "low"), ("anthropic:x", "low")):
        with pytest.raises(KitError, match="does not support thinking 'low'"):
            models.apply_thinking(open_model(spec), how)


def test_the_messages_arrive_in_each_format():
    with Server() as server:
        for provider in ("openai", "anthropic"):
            opened(server, provider).generate(ASK)
    openai, anthropic = server.requests
    assert (openai.path, anthropic.path) == (OPENAI, ANTHROPIC)
    assert openai.body["messages"] == ASK
    assert anthropic.body["system"] == "be brief"
    assert anthropic.body["messages"] == ASK[1:]
    assert openai.body["model"] == anthropic.body["model"] == "some-model"


AGO = formatdate(time.time() - 60, usegmt=True)


@pytest.mark.parametrize(
    ("provider", "headers", "least"),
    [
        ("openai", {"Retry-After": "0.4"}, 0.4),
        ("anthropic", {"Retry-After": "0.4"}, 0.4),
        ("openai", {"retry-after-ms": "300"}, 0.25),
        ("openai", {"Retry-After": AGO}, 0),
        ("openai", {}, 0),
    ],
)
def test_too_many_requests_waits_as_long_as_it_is_told(provider, headers, least):
    with Server([Reply(status=429, headers=headers), Reply("late")]) as server:
        got = opened(server, provider).generate(ASK)
    assert (got.text, got.attempts) == ("late", 2)
    assert server.requests[1].at - server.requests[0].at >= least  # as the server saw it
    assert least < 0.4 or got.latency_s < least  # it is that of the attempt that succeeded


def test_a_service_that_takes_few_at_once_is_asked_by_few_and_answers_all():
    busy, refused = threading.Semaphore(3), []

    def take(_request):
        if not busy.acquire(blocking=False):
            refused.append(1)
            return Reply(status=429, headers={"retry-after-ms": "20"})
        threading.Timer(0.03, busy.release).start()
        return Reply("served", wait_s=0.02)

    with Server(take) as server, ThreadPoolExecutor(16) as threads:
        model = opened(server, "openai")
        got = list(threads.map(lambda _: model.generate(ASK), range(60)))
        assert {g.text for g in got} == {"served"}
        assert not refused or 1 <= model.access.window.size < 16  # as many as there are threads
        assert len(refused) < 60


WRONG = b'{"choices": [{"message": {"content": 7}}], "type": "message", "content": [7]}'
LATE = (
    b'{"choices": [{"message": {"content": "x"}, "error": {"code": 502, "message": "up"}}], '
    b'"type": "message", "content": [], "stop_reason": "error"}'
)
FAILURES = {
    "broken": (Reply(status=500), base.ServerFailed, 3),
    "for an hour": (Reply(status=429, headers={"Retry-After": "3600"}), base.RateLimited, 1),
    "used up": (Reply(status=429, error={"code": "insufficient_quota"}), base.RateLimited, 1),
    "overloaded": (Reply(status=529), base.ServerFailed, 3),
    "cut": (Reply("x" * 4000, cut=True), base.ConnectionCut, 3),
    "slow": (Reply(wait_s=30), base.TimedOut, 3),
    "refused key": (Reply(status=401), base.AuthenticationFailed, 1),
    "no right": (Reply(status=403), base.AuthenticationFailed, 1),
    "no such model": (Reply(status=404), base.ModelNotFound, 1),
    "bad parameter": (Reply(status=400), base.BadRequest, 1),
    "too long": (Reply(status=413), base.BadRequest, 1),
    "not json": (Reply(raw=b"<html>Welcome to the proxy</html>"), base.MalformedAnswer, 1),
    "half json": (Reply(raw=b'{"choices": [{"mess'), base.MalformedAnswer, 1),
    "not text": (Reply(raw=b"\xff\xfe\x00"), base.MalformedAnswer, 1),
    "no body": (Reply(raw=b""), base.MalformedAnswer, 1),
    "a list": (Reply(raw=b"[]"), base.MalformedAnswer, 1),
    "no choices": (Reply(raw=b'{"choices": [], "type": "message"}'), base.MalformedAnswer, 1),
    "wrong types": (Reply(raw=b'{"choices": [{"message": 7}]}'), base.MalformedAnswer, 1),
    "wrong content": (Reply(raw=WRONG), base.MalformedAnswer, 1),
    "error with 200": (Reply(raw=b'{"error": {"message": "oops"}}'), base.BrokenOff, 3),
    "error text": (Reply(raw=b'{"error": "oops"}'), base.BrokenOff, 3),
    "error of a code": (Reply(raw=b'{"error": {"code": 502}}'), base.ServerFailed, 3),
    "permanent error": (Reply(raw=b'{"error": {"code": "400"}}'), base.BadRequest, 1),
    "failed within": (Reply("x = ", reason="error"), base.BrokenOff, 3),
    "no resources": (Reply("x", reason="insufficient_system_resource"), base.BrokenOff, 3),
    "choice failed": (Reply(raw=LATE), base.BrokenOff, 3),
    "new word, no text": (Reply("", reason="heat_death"), base.BrokenOff, 3),
    "deep json": (Reply(raw=b"[" * 100_000), base.MalformedAnswer, 1),
}


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("case", FAILURES)
def test_every_failure_has_its_error_and_its_number_of_attempts_and_is_no_answer(provider, case):
    reply, kind, attempts = FAILURES[case]
    seconds = 0.3 if kind is base.TimedOut else 20.0
    with Server([reply]) as server:
        with pytest.raises(base.ModelError) as caught:
            opened(server, provider, timeout_s=seconds).generate(ASK)
        assert type(caught.value) is kind
        assert len(server.requests) == caught.value.attempts == attempts
        cache = {}
        model = opened(server, provider, tries=1, timeout_s=seconds)
        sample = ask_once(model, TASK, ASK, cache=cache)
    assert (sample.status, sample.code, sample.response) == (Status.INFRA_ERROR, "", "")
    assert sample.note.startswith(f"{kind.__name__}: ")
    assert cache == {}


ZEROS = gzip.compress(bytes(40 * 2**20))


def drops(first):
    """Bytes one by one, for a minute."""
    for byte in first + b" " * 600:
        yield bytes([byte])
        time.sleep(0.1)


ENDLESS = {
    "slow body": (lambda: Reply(pieces=drops(b"{")), base.TimedOut),
    "slow head": (lambda: Reply(head=drops(b"HTTP/1.1 200 OK\r\nX: ")), base.TimedOut),
    "slow error": (lambda: Reply(status=500, pieces=drops(b"{")), base.TimedOut),
    "huge": (lambda: Reply(pieces=itertools.repeat(b" " * 2**20)), base.MalformedAnswer),
    "huge error": (
        lambda: Reply(status=500, pieces=itertools.repeat(b" " * 2**20)),
        base.MalformedAnswer,
    ),
    "packed": (
        lambda: Reply(raw=ZEROS, headers={"Content-Encoding": "gzip"}),
        base.MalformedAnswer,
    ),
}


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("case", ENDLESS)
def test_an_answer_without_end_ends_in_time_and_within_its_size(provider, case):
    reply, kind = ENDLESS[case]
    seconds = 0.6 if kind is base.TimedOut else 20.0
    begun = time.monotonic()
    with Server(lambda _: reply()) as server:
        with pytest.raises(kind, match=r"no whole answer in 0\.6 s|more than 32 MB"):
            opened(server, provider, tries=1, timeout_s=seconds).generate(ASK)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (
            ("max_tokens", "max_completion_tokens"),
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        ),
        (("max_completion_tokens", "max_tokens"), "Unknown parameter: 'max_completion_tokens'"),
    ],
)
def test_the_limit_gets_the_name_that_the_server_wants_once_for_all(names, sentence):
    wrong, right = names

    def take(request):
        return Reply(status=400, error={"message": sentence}) if wrong in request.body else Reply()

    with Server(take) as server:
        model = opened(server, "openai")
        model.access.learned["limit"] = wrong
        for _ in range(2):
            assert model.generate(ASK, max_tokens=9).text == "ok"
    assert [r.body.get(right) for r in server.requests] == [None, 9, 9]


def test_a_limit_that_is_only_too_large_is_not_renamed():
    error = {"message": "max_tokens must be at most 4096"}
    with Server([Reply(status=400, error=error)]) as server:
        with pytest.raises(base.BadRequest, match="at most 4096"):
            opened(server, "openai").generate(ASK, max_tokens=9)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("STOP", "stop"),
        ("eos_token", "stop"),
        ("MAX_TOKENS", "length"),
        ("model_length", "length"),
        ("SAFETY", "filter"),
        ("content_filter", "filter"),
        ("tool_calls", "tool"),
        ("", "unknown"),
        ("abort", "failure"),
        ("insufficient-system-resource", "failure"),
        ("zeal", "unknown"),
        ("content_filter: RECITATION", "filter"),
        ("FinishReason.MAX_TOKENS", "length"),
    ],
)
def test_the_words_of_services_for_an_end_have_one_meaning(word, kind):
    assert base.classify_ending(word) == kind
    words = list(itertools.chain(*base.ENDINGS.values()))
    assert len(words) == len(set(words))


@BOTH
def test_an_unknown_word_of_an_answer_with_text_is_kept_and_the_reasoning_too(provider):
    with Server([Reply("x = 1", reason="zeal", thought="x is one")]) as server:
        got = ask_once(opened(server, provider), TASK, ASK)
    assert (got.code, got.finish_reason, got.reasoning) == ("x = 1\n", "zeal", "x is one")


def test_nobody_listening_is_a_cut_connection():
    with Server() as server:
        model = opened(server, "openai")
    with pytest.raises(base.ConnectionCut, match="refused") as caught:
        model.generate(ASK)
    assert caught.value.attempts == 3


@BOTH
def test_a_failure_then_an_answer_is_an_answer(provider):
    with Server([Reply(status=500), Reply("x" * 999, cut=True), Reply("done")]) as server:
        got = opened(server, provider).generate(ASK)
    assert (got.text, got.attempts) == ("done", 3)


NO = "The model or its service refused"
DO, STOPPED = "I cannot stress this enough:\n```python\nx = 1\n```", "```python\nx = 1"
FILTERED = {"message": "filtered", "code": "content_filter"}
REFUSED, DONE = Status.REFUSED, Status.COMPLETED
ANSWERS = [  # who, what it says, and what the sample then is and notes
    ("openai", Reply(None, refusal="I will not."), REFUSED, "", NO),
    ("openai", Reply(None, reason="content_filter"), REFUSED, "", NO),
    ("openai", Reply(status=400, error=FILTERED), REFUSED, "", NO),
    ("anthropic", Reply("I will not.", reason="content_filter"), REFUSED, "", NO),
    ("anthropic", Reply(None, reason="refusal"), REFUSED, "", NO),
    ("openai", Reply(DO), DONE, "x = 1\n", ""),
    ("openai", Reply(STOPPED, reason="length"), DONE, "x = 1\n", "length limit"),
    ("anthropic", Reply(STOPPED, reason="length"), DONE, "x = 1\n", "length limit"),
    ("openai", Reply(None), Status.EXTRACTION_ERROR, "", "The answer is empty."),
    ("anthropic", Reply(None), Status.EXTRACTION_ERROR, "", "The answer is empty."),
]


@pytest.mark.parametrize(("provider", "reply", "status", "code", "note"), ANSWERS)
def test_a_refusal_a_cut_and_an_empty_answer_stay_in_n_as_what_they_are(
    provider, reply, status, code, note
):
    with Server([reply]) as server:
        sample = ask_once(opened(server, provider), TASK, ASK)
    assert (sample.status, sample.code) == (status, code)
    assert note in sample.note
    assert sample.truncated == (reply.reason == "length")


@BOTH
def test_text_is_mended_thinking_is_no_part_of_it_and_what_nobody_counted_is_unknown(provider):
    with Server([Reply("\ud83d x", thought="x = 0", usage=None)]) as server:
        got = opened(server, provider).generate(ASK)
    assert (got.text, got.input_tokens, got.output_tokens) == ("? x", None, None)


@pytest.mark.slow
@BOTH
def test_the_key_is_sent_and_never_seen(provider, monkeypatch, caplog):
    """A hostile server echoes the key in every error; nothing that is kept or shown holds it."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SOME_KEY", KEY)
    echo = {"message": f"Incorrect key {KEY}"}
    replies = [Reply(status=s, error=echo) for s in (400, 401, 404, 429, 500)]
    replies += [Reply(raw=KEY.encode()), Reply(raw=b'{"error": {"message": "%s"}}' % KEY.encode())]
    replies += [Reply(wait_s=30), Reply("fine")]
    with Server(replies) as server:
        model = opened(server, provider, key_env="SOME_KEY", tries=1, timeout_s=3)
        shown = [repr(model), model.identity]
        shown += [str(to_json(ask_once(model, TASK, ASK))) for _ in replies]
        server.requests.clear()
        for _ in replies[:-1]:
            with pytest.raises(base.ModelError) as caught:
                model.generate(ASK)
            error = caught.value
            shown.append("".join(traceback.format_exception(error)) + repr(vars(error)))
            assert (error.__context__, error.__cause__) == (None, None)
        model.generate(ASK)
    assert len(server.requests) == len(replies)
    assert all(KEY in r.headers["authorization"] for r in server.requests)
    assert KEY not in "".join(shown)
    assert KEY not in caplog.text


def test_a_missing_key_is_the_users_mistake_and_nothing_is_sent():
    for spec, variable in (("openai:x", "OPENAI_API_KEY"), ("anthropic:x", "ANTHROPIC_API_KEY")):
        with pytest.raises(KitError, match=f"export {variable}="):
            open_model(spec).generate(ASK)


def test_a_key_is_read_when_a_call_is_made_and_checked_then(monkeypatch):
    with Server() as server:
        model = opened(server, "openai", key_env="SOME_KEY")
        monkeypatch.setenv("SOME_KEY", "first\n")
        model.generate(ASK)
        monkeypatch.setenv("SOME_KEY", "second")
        model.generate(ASK)
    sent = [r.headers["authorization"] for r in server.requests]
    assert sent == ["Bearer first", "Bearer second"]
    monkeypatch.setenv("SOME_KEY", "first line\nsecond line")
    with pytest.raises(KitError, match="SOME_KEY") as caught:  # what cannot be one is not repeated
        model.generate(ASK)
    assert "second" not in str(caught.value)


@BOTH
def test_a_stranger_gets_no_key_unless_it_is_named(provider, monkeypatch):
    monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY)
    with Server() as server:
        opened(server, provider).generate(ASK)
    assert KEY not in str(server.requests[0].headers)


def test_the_environment_can_name_a_keyless_server(monkeypatch):
    with Server() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.openai + "/")
        assert open_model("openai:x").generate(ASK).text == "ok"
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        open_model("openai:x").generate(ASK)
    assert [KEY in str(r.headers) for r in server.requests] == [False, True]


def test_equal_servers_have_equal_identity_and_others_do_not():
    one = open_model("openai:x", base_url="http://a:1/v1")
    assert one.identity == open_model("openai:x", base_url="http://a:1/v1/").identity
    others = [open_model(name) for name in ("openai:x", "anthropic:x")]
    others.append(open_model("openai:y", base_url="http://a:1/v1"))
    others.append(open_model("openai:x", base_url="http://b:1/v1"))
    assert len({m.identity for m in [one, *others]}) == 5
    assert open_model("openai:meta/llama-3:8b", base_url="http://a:1").model == "meta/llama-3:8b"


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("gpt-4o", {}),
        ("openai:", {}),
        ("replay:", {}),
        ("", {}),
        ("local:gpt-2", {}),
        ("local", {"base_url": "http://a"}),
        ("replay:x", {"key_env": "K"}),
        ("openai:x", {"base_url": "localhost:8000"}),
        ("openai:x", {"base_url": f"http://user:{KEY}@host/v1"}),
        ("openai:x", {"base_url": f"http://host/v1?key={KEY}"}),
    ],
)
def test_a_wrong_specification_says_what_is_allowed(spec, options):
    with pytest.raises(KitError) as caught:
        open_model(spec, **options)
    assert str(caught.value).endswith(".")
    assert KEY not in str(caught.value)


def test_an_answer_is_asked_for_once_and_extracted_each_time():
    cache = {}
    with Server([Reply("```python\nx = 1\n```")]) as server:
        model = opened(server, "openai")
        first = ask_once(model, TASK, ASK, cache=cache, arm={"prompt": "plain"})
        again = ask_once(model, TASK, ASK, cache=cache, arm={"prompt": "plain"})
        other = ask_once(model, TASK, ASK, cache=cache, index=1)
        warm = ask_once(model, TASK, ASK, cache=cache, arm={"temperature": 0.5})
    assert first == again
    assert len(server.requests) == len(cache) == 3
    assert (other.index, warm.arm) == (1, {"temperature": 0.5})
    (key,) = [k for k, v in cache.items() if v["created"] == first.created][:1]
    cache[key] = {**cache[key], "text": "```python\nx = 2\n```"}
    assert ask_once(model, TASK, ASK, cache=cache).code == "x = 2\n"


def test_a_response_survives_the_cache_as_json():
    cache = {}
    with Server() as server:
        got = opened(server, "openai").generate(ASK, seed=3)
        cache["k"] = to_json(dataclasses.asdict(got))
    assert base.Response(**cache["k"]) == got
