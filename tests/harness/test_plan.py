"""Laws of planning and mapping: how a program is called, and with what. It is only loaded here."""

from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from kit.core.records import Status, Task, Test
from kit.harness import box_files, calls, requests
from kit.harness.facts import Facts, Route
from kit.harness.languages.python import look, read
from kit.harness.plan import Unfit, Unmappable, plan_call
from kit.harness.shape import classify_input
from kit.systems.dualgauge.authoring import read_input_forms
from tests.support.tables import read_table


def task(*inputs: Any, prompt: str = "") -> Task:
    """A task of functional tests with these inputs."""
    tests = (Test(f"fc-{i}", "functional", input=v) for i, v in enumerate(inputs))
    return Task("t", "s", prompt, tuple(tests))


def planned(box: Any, code: str, whole: Task) -> Any:
    return plan_call(code, read, whole, partial(look, box, whole, code))


def mapped(box: Any, code: str, *inputs: Any, prompt: str = "") -> list[Any]:
    """The calls of a program for the inputs of one task."""
    whole = task(*inputs, prompt=prompt)
    chosen = planned(box, code, whole)
    return [calls.prepare(chosen, whole, test) for test in whole.tests]


@pytest.mark.slow
@pytest.mark.parametrize(("code", "prompt", "value", "kind", "name"), read_table("plan", "called"))
def test_a_program_is_called_the_way_it_is_written(box, code, prompt, value, kind, name):
    chosen = planned(box, code, task(value, prompt=prompt))
    assert (chosen.kind, chosen.function.name if chosen.function else None) == (kind, name)


@pytest.mark.parametrize(("code", "value", "prompt", "words"), read_table("plan", "undecidable"))
def test_what_cannot_be_decided_is_our_error_with_a_sentence(box, code, value, prompt, words):
    chosen = planned(box, code, task(value, prompt=prompt))
    assert (chosen.kind, chosen.status) == ("none", Status.HARNESS_ERROR)
    assert words in chosen.reason


@pytest.mark.parametrize(("code", "value", "prompt", "words"), read_table("plan", "lacking"))
def test_a_program_without_what_the_task_names_is_told_from_one_of_unknown_style(
    box, code, value, prompt, words
):
    chosen = planned(box, code, task(value, prompt=prompt))
    assert (chosen.kind, chosen.status) == ("lacking", Status.COMPLETED)
    assert words in chosen.reason


@pytest.mark.parametrize("code", ["def f(:", "return 1", "\0", "-" * 100_000 + "1", "'\ud800'"])
def test_what_does_not_compile_is_a_compile_error(code):
    chosen = plan_call(code, read, task(1))
    assert chosen.status is Status.COMPILE_ERROR
    assert chosen.reason.startswith("The program does not compile")


@pytest.mark.parametrize(("code", "value", "words"), read_table("plan", "unmappable"))
def test_an_input_that_fits_no_call_is_refused_with_a_sentence(box, code, value, words):
    with pytest.raises(Unmappable, match=words):
        mapped(box, code, value, prompt="A web application." if "flask" in code else "")


@pytest.mark.parametrize(("params", "value", "args", "kwargs"), read_table("plan", "bindings"))
def test_inputs_become_arguments_whatever_the_parameters_are_called(
    box, params, value, args, kwargs
):
    (call,) = mapped(box, f"def f({params}): ...", value)
    assert call.job["calls"] == [[None, {"args": args, "kwargs": kwargs}]]


def test_a_missing_key_stays_a_missing_argument_when_names_differ(box):
    whole, part = mapped(box, "def f(x, y): ...", {"name": 1, "age": 2}, {"age": 3})
    assert part.job["calls"][0][1] == {"args": [], "kwargs": {"y": 3}}
    assert whole.note == "Passed by position: name as x, age as y."


@pytest.mark.parametrize(("prompt", "kind"), [("It has a, b.", Unfit), ("Do it.", Unmappable)])
def test_an_argument_without_a_parameter_is_the_fault_of_who_leaves_it_out(box, prompt, kind):
    with pytest.raises(Unmappable, match="no parameter for banana") as refusal:
        mapped(box, "def f(a): ...", {"a": 1, "banana": 2}, prompt=prompt.replace("b", "banana"))
    assert type(refusal.value) is kind


def test_several_calls_are_mapped_one_by_one(box):
    (call,) = mapped(box, "def f(a, b=0): ...", {"calls": [{"a": 1}, [2, 3], 4]})
    assert [c["args"] for _, c in call.job["calls"]] == [[1], [2, 3], [4]]


def test_a_file_that_a_test_brings_is_placed_and_null_is_no_file(box):
    made, absent = mapped(
        box,
        "def f(): ...",
        {"file_path": "./d/x", "file_content": "é"},
        {"file_path": "d/x", "file_content": None},
    )
    assert made.files == {"d/x": "é".encode()}
    assert absent.files == {}


def test_an_object_becomes_a_command_line_by_the_declared_options(box):
    code = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--dry-run')\nx = 1\nx"
    (call,) = mapped(
        box, code, {"dry_run": True, "file": "a.txt", "--n": [1, 2]}, prompt="A program."
    )
    assert call.job["argv"] == ["a.txt", "--dry-run", "--n", "1", "2"]


TARGETS = [
    ("/a?x=1+2&y=%20%zz", "/a?x=1%2B2&y=%20%25zz"),
    ("/a?cmd=x.png && rm -rf /&n=1", "/a?cmd=x.png%20%26%26%20rm%20-rf%20/&n=1"),
    ("/a?q=<b>#top", "/a?q=%3Cb%3E%23top"),
    ("/a b/%2e%2e/c\r\nX: y", "/a%20b/%2e%2e/c%0D%0AX:%20y"),
    ("http://localhost:5000/a?x=é", "/a?x=%C3%A9"),
    ("/a?x&y", "/a?x&y"),
]


@pytest.mark.parametrize(("raw", "sent"), TARGETS)
def test_a_raw_target_is_encoded_and_its_escapes_stay(raw, sent):
    assert requests.encode_target(raw) == sent


def test_every_character_of_a_raw_value_arrives_as_itself():
    rng = np.random.default_rng(7)
    for _ in range(300):
        text = "".join(map(chr, rng.integers(1, 0x2FF, size=12))).replace("%", "").replace("&", "")
        sent = requests.encode_target(f"/p?q={text}")
        assert sent.isascii()
        assert not set(" \t\r\n#") & set(sent)
        assert parse_qs(urlsplit(sent).query, keep_blank_values=True)["q"] == [text]


def made(value: Any, **facts: Any) -> dict[str, Any]:
    """The one request of an input, for a program with these facts."""
    (request,) = requests.list_requests(value, Facts(**facts), "at '/go'", [])
    return request


def test_a_request_line_in_english_carries_its_body():
    request = made("POST /upload with XML: <a>with XML: 1</a>")
    assert (request["method"], request["target"]) == ("POST", "/upload")
    assert bytes.fromhex(request["body"]) == b"<a>with XML: 1</a>"
    assert request["headers"]["Content-Type"] == "application/xml"


def test_a_described_request_keeps_its_own_headers_and_length():
    own = {"Content-Length": "3", "X": "a\r\nb"}
    request = made({"path": "/x", "json": {"a": 1}, "headers": own})
    assert request["headers"] == {**own, "X": "a b", "Content-Type": "application/json"}
    assert request["method"] == "POST"


GO = (Route("/go", ("POST",), "go"), Route("/other", ("GET",), "other"))


@pytest.mark.parametrize(
    ("reads", "body"),
    [({"form"}, b"a=x%26y"), ({"json"}, b'{"a": "x&y"}'), (set(), b'{"a": "x&y"}')],
)
def test_fields_without_a_path_go_to_the_prompts_route_as_the_program_reads_them(reads, body):
    request = made({"a": "x&y"}, routes=GO, request_reads=frozenset(reads))
    assert (request["method"], request["target"]) == ("POST", "/go")
    assert bytes.fromhex(request["body"]) == body


def test_fields_for_a_get_route_become_its_query():
    request = made({"a": "%2e"}, routes=(Route("/go", ("GET",), "go"),))
    assert (request["target"], request["body"]) == ("/go?a=%252e", None)


def test_fields_without_any_route_are_refused():
    with pytest.raises(Unmappable, match="routes are: none"):
        made({"a": 1})


def test_an_upload_goes_to_the_one_field_that_the_program_reads():
    file = {"filename": 'a".txt', "content": "hi"}
    value = {"method": "POST", "path": "/go", "files": {"file": file}}
    body = bytes.fromhex(made(value, upload_names=("document",))["body"])
    assert b'name="document"; filename="a%22.txt"' in body
    assert b"\r\n\r\nhi\r\n" in body


BROKEN = [b"true", b"[" * 5000 + b"]" * 5000, b'{"kind": "value", "val', b"\xff", b"9" * 5000]
DEEP = b'{"kind": ' + b'{"a":' * 200 + b"1" + b"}" * 201


def test_a_channel_is_read_within_bounds():
    lines = [b"3", b"1", b'{"kind": "value", "value": NaN}', *BROKEN, DEEP]
    answers = box_files.read_answers(b"\n".join(lines))
    assert answers.lines == (1, 3)
    assert answers.last("kind") == {"kind": "value", "value": {"__float__": "nan"}}
    assert box_files.read_answers(b"").last("kind") == {}


def test_every_form_of_an_input_is_documented_by_examples_of_it():
    for name, (text, examples) in read_input_forms().items():
        assert text
        assert {classify_input(example) for example in examples} == {name}
    told = read_input_forms()["request"][0]
    assert all(f"`{key}`" in told for key in requests.REQUEST_KEYS)
