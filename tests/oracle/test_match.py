"""The functional ladder: what counts as the expected answer, and what never does."""

import pytest

from kit.core.records import Evidence, Observed, Outcome, Reason, Status, Task, Test
from kit.oracle import judge
from kit.oracle.compare import compare_values
from kit.oracle.match import response_agrees
from tests.support.evidences import answer, raised, response, value
from tests.support.tables import read_table

FALSY = [0, "", [], {}, False, None, 0.0]


def printed(text):
    return answer("output", text)


def judged(expected, evidence, *, given=None, task=None, language="python"):
    test = Test("fc-0", "functional", given, expected)
    task = task or Task("1", "s", "Give an output, a match or data.", (test,))
    return judge(task, test, evidence, language=language)


def outcome(expected, evidence, **more):
    return judged(expected, evidence, **more).outcome


@pytest.mark.parametrize(
    "thing",
    [
        *FALSY,
        1,
        True,
        -2.5,
        "a",
        "é\n",
        [1, [2]],
        {"a": {"b": None}},
        "ValueError",
        {"error": "ValueError"},
    ],  # the text of an exception's class can be a value
)
def test_everything_equals_itself_exactly(thing):
    assert judged(thing, value(thing)).reason is Reason.EXACT


def test_no_falsy_value_stands_for_another():
    for i, a in enumerate(FALSY):
        for j, b in enumerate(FALSY):
            alike = i == j or (type(a), type(b)) in {(int, float), (float, int)}
            assert (outcome(a, value(b)) is Outcome.PASS) is alike, (a, b)


@pytest.mark.parametrize(("expected", "seen"), read_table("match", "different"))
def test_returned_values_that_are_not_the_same(expected, seen):
    assert outcome(expected, value(seen)) is Outcome.FAIL


@pytest.mark.parametrize(
    ("expected", "seen", "reason"),
    [
        (5000, 5000.0, Reason.NUMERIC),
        (0.3, 0.1 + 0.2, Reason.NUMERIC),
        ([1, 2.0], [1.0, 2], Reason.NUMERIC),
        ("a\n\n\n", "a\n", Reason.STRUCTURAL),
        ("a\r\nb", "a\nb", Reason.STRUCTURAL),
        ("abc", {"__bytes__": "616263"}, Reason.STRUCTURAL),
        ([1, 2], {"__set__": [2, 1]}, Reason.STRUCTURAL),
        ("^a/b$", {"__type__": "RegExp", "__repr__": "/^a\\/b$/g"}, Reason.STRUCTURAL),
        ("{'a': True}", {"a": True}, Reason.STRUCTURAL),
        (
            [1, {"raises": "ValueError"}],
            [1, {"raises": "UnicodeDecodeError"}],
            Reason.EXCEPTION_CLASS,
        ),
    ],
)
def test_returned_values_that_say_the_same_in_another_form(expected, seen, reason):
    found = judged(expected, value(seen))
    assert (found.outcome, found.reason) == (Outcome.PASS, reason)


@pytest.mark.parametrize("expected", FALSY)
def test_a_clean_exit_is_no_value(expected):
    empty = expected == "" and isinstance(expected, str)
    assert (outcome(expected, printed("")) is Outcome.PASS) is empty


@pytest.mark.parametrize(("expected", "text"), read_table("match", "printed"))
def test_printed_text_is_read_as_what_it_says(expected, text):
    assert outcome(expected, printed(text)) is Outcome.PASS


@pytest.mark.parametrize(("expected", "text"), read_table("match", "not_stretched"))
def test_printed_text_is_not_stretched(expected, text):
    assert outcome(expected, printed(text)) is Outcome.FAIL


@pytest.mark.parametrize(
    "expected",
    [
        "ValueError",
        {"raises": "ValueError"},
        {"exception": "ValueError"},
        {"error": "ValueError"},
        {"raises": ["KeyError", "ValueError"]},
        {"raises": "Exception"},
        {"raises": "ValueError", "message": "bad"},
        {"raises": "ValueError", "description": "x"},
    ],
)
def test_an_exception_matches_its_class_and_its_ancestors(expected):
    assert judged(expected, raised("UnicodeError", "a bad one")).reason is Reason.EXCEPTION_CLASS


@pytest.mark.parametrize("expected", ["ValueError", {"raises": "ValueError"}, "x", 0, None, ""])
def test_another_exception_or_a_value_is_no_match(expected):
    assert outcome(expected, raised("KeyError")) is Outcome.FAIL
    assert outcome(expected, value("something")) is Outcome.FAIL


def test_ancestors_that_only_the_program_knows_are_told_by_the_harness():
    evidence = raised("lxml.etree.XMLSyntaxError", bases=("ParseError", "SyntaxError"))
    assert outcome({"exception": "XMLSyntaxError"}, evidence) is Outcome.PASS
    assert outcome({"exception": "ParseError"}, evidence) is Outcome.PASS
    assert outcome({"exception": "XMLSchemaParseError"}, evidence) is Outcome.FAIL


def test_another_language_raises_what_it_has():
    thrown = raised("Error", "index out of range")
    assert outcome("ValueError", thrown, language="javascript") is Outcome.PASS
    assert outcome("TypeError", thrown, language="javascript") is Outcome.FAIL
    accident = raised("ReferenceError", "x is not defined")
    assert outcome("ValueError", accident, language="javascript") is Outcome.FAIL
    assert outcome("ValueError", thrown) is Outcome.FAIL


def test_a_message_that_is_asked_for_must_be_there():
    expected = {"raises": "ValueError", "message": "no"}
    assert outcome(expected, raised("ValueError", "")) is Outcome.FAIL


@pytest.mark.parametrize(
    ("statuses", "outcome", "reason"),
    [
        ("timeout oom crashed output_limit", Outcome.FAIL, Reason.RUN_ENDED_EARLY),
        ("compile_error extraction_error refused", Outcome.FAIL, Reason.NO_PROGRAM),
        ("harness_error infra_error not_run", Outcome.UNKNOWN, Reason.NO_EVIDENCE),
    ],
)
def test_how_a_run_ended_counts_whatever_it_answered(statuses, outcome, reason):
    for status in map(Status, statuses.split()):
        for observed in (Observed(), Observed("value", 5), Observed("value", 6)):
            found = judged(5, Evidence(status, observed=observed))
            assert (found.outcome, found.reason) == (outcome, reason)


def test_no_answer_is_a_failure_and_not_null():
    assert outcome(None, Evidence(Status.COMPLETED)) is Outcome.FAIL


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ({"status_code": 200, "output": "hi\n"}, response(200, '{"output": "hi"}')),
        ({"status_code": 200, "content": "a\nb\n"}, response(200, "a\nb")),
        ({"status_code": 400, "content": "Error: x"}, response(400, '{"error": "Error: x"}')),
        (
            {"status_code": 200, "data": {"t": 8.3}},
            response(200, '{"status_code": 200, "data": {"t": 8.3}}'),
        ),
        ({"status_code": 200, "data": {"t": 8}}, response(200, '{"t": 8, "more": 1}')),
        (
            {"status_code": 400, "error": "Error"},
            response(200, '{"status_code":400,"error":"Error"}'),
        ),
        (
            {"status_code": 200, "response_body": "Found", "content_type": "text/html"},
            response(200, "Found", headers={"content-type": "text/html; charset=utf-8"}),
        ),
        (
            {"status_code": 200, "headers": {"Content-Disposition": "attachment; filename=a.txt"}},
            response(200, "", headers={"content-disposition": 'attachment; filename="a.txt"'}),
        ),
        ({"status": 404}, response(404, "gone")),
        ("Error", response(500, '{"error": "Error"}')),
        ({"status_code": 401, "error": "no"}, response(401, "no\n")),
        ([1, 2], response(200, "[1,2]")),
        ({"status_code": 200, "file_sent": True}, response(200, "data")),
    ],
)
def test_a_response_agrees_in_its_status_and_its_named_parts(expected, seen):
    assert outcome(expected, seen) is Outcome.PASS


@pytest.mark.parametrize(
    ("expected", "seen"),
    [
        ({"status_code": 200, "output": "hi"}, response(201, '{"output": "hi"}')),
        ({"status_code": 200, "output": "hi"}, response(200, '{"output": "ho"}')),
        ({"status_code": 200, "output": "hi"}, response(200, '{"result": "hi"}')),
        ({"status_code": 200, "match": False}, response(200, '{"match": 0}')),
        ({"status_code": 200, "match": False}, response(200, "{}")),
        ({"status_code": 200, "data": {}}, response(200, '{"data": {"a": 1}}')),
        (
            {"status_code": 200, "content_type": "text/html"},
            response(200, "", headers={"content-type": "application/json"}),
        ),
        ({"status_code": True}, response(1)),
        ("Error", response(200, '{"a": "Error", "b": "x"}')),
    ],
)
def test_a_response_that_differs_in_one_named_part_fails(expected, seen):
    assert outcome(expected, seen) is Outcome.FAIL


def test_several_requests_are_compared_one_by_one():
    seen = [{"status": 201, "headers": {}, "body": ""}, {"status": 200, "headers": {}, "body": "a"}]
    evidence = Evidence(Status.COMPLETED, observed=Observed("response", seen, response=seen[-1]))
    good = [{"status_code": 201}, {"status_code": 200, "body": "a"}]
    assert outcome(good, evidence) is Outcome.PASS
    assert outcome([good[0], {"status_code": 404}], evidence) is Outcome.FAIL
    assert outcome(good[1], evidence) is Outcome.PASS


def test_a_function_may_answer_like_a_route():
    expected = {"status_code": 400, "error": "Error"}
    assert outcome(expected, value([{"error": "Error"}, 400])) is Outcome.PASS
    assert outcome(expected, value({"status_code": 400, "error": "Error"})) is Outcome.PASS
    assert outcome(expected, value([{"error": "Error"}, 200])) is Outcome.FAIL


@pytest.mark.parametrize(("expected", "seen", "good"), read_table("match", "properties"))
def test_properties_are_checked_one_by_one(expected, seen, good):
    assert outcome(expected, value(seen)) is (Outcome.PASS if good else Outcome.FAIL)


def test_prose_is_not_compared_and_json_text_of_the_expected_object_stays_open():
    for expected in ("Error or exception for 404 Not Found", {"_id": "non-empty channel name"}):
        found = judged(expected, value({"_id": "x"}))
        assert (found.outcome, found.reason) == (Outcome.UNKNOWN, Reason.NOT_COMPARABLE)
    assert outcome({"a": 1}, value('{"a": 1}')) is Outcome.UNKNOWN


def test_headers_are_a_part_of_a_response_and_need_no_word_in_the_prompt():
    task = Task("1", "s", "Answer with the type text/plain.", ())
    expected = {"status_code": 200, "headers": {"content-type": "text/plain"}}
    seen = response(200, headers={"content-type": "text/html"})
    assert outcome(expected, seen, task=task) is Outcome.FAIL


def test_prose_that_asks_for_any_exception_is_met_by_one_unless_the_network_failed():
    expected = "Error or exception for invalid URL format"
    assert outcome(expected, raised("ValueError")) is Outcome.PASS
    assert outcome(expected, raised("URLError", bases=("OSError",))) is Outcome.UNKNOWN


def test_a_text_in_the_prompt_is_no_prose():
    task = Task("1", "s", 'Return "Should not be empty" for no input.', ())
    assert outcome("Should not be empty", value("x"), task=task) is Outcome.FAIL


def test_further_keys_are_free_only_where_they_could_not_be_named():
    expected, given = {"type": "ssl_context", "protocol": "TLSv1_2"}, {"protocol": "TLSv1_2"}
    seen = expected | {"context": {"__type__": "SSLContext", "__repr__": "<...>"}}
    assert outcome(expected, value(seen)) is Outcome.PASS
    assert outcome(expected, value(expected | {"verify": None}), given=given) is Outcome.PASS
    assert outcome(expected, value(expected | {"verify": None})) is Outcome.FAIL


def test_files_are_compared_by_content_alone_or_with_the_value():
    task = Task("1", "s", "", (), files={"test_dir/a.txt": b"old"})
    seen = value(3, files={"out.txt": b"hi\n"})
    assert outcome({"files": {"out.txt": "hi"}}, seen) is Outcome.PASS
    assert outcome({"files": {"/box/out.txt": "hi"}, "value": 3}, seen) is Outcome.PASS
    assert outcome({"files": {"out.txt": "hi"}, "value": 4}, seen) is Outcome.FAIL
    assert outcome({"files": {"out.txt": "ho"}}, seen) is Outcome.FAIL
    assert outcome({"files": {"out.txt": None}}, seen) is Outcome.FAIL
    assert outcome({"files": {"test_dir/a.txt": "old", "b": None}}, seen, task=task) is Outcome.PASS


def test_a_file_that_was_deleted_is_not_there():
    task = Task("1", "s", "", (), files={"test_dir/a.txt": b"old"})
    seen = value(None, ("delete", "/box/test_dir/a.txt"))
    assert outcome({"files": {"test_dir/a.txt": None}}, seen, task=task) is Outcome.PASS
    assert outcome({"files": {"test_dir/a.txt": "old"}}, seen, task=task) is Outcome.FAIL


def test_a_fixture_that_is_not_there_is_not_the_programs_fault():
    task = Task("1", "s", "Files are in ./test_dir.", (), files={"test_dir/other.txt": b""})
    seen = raised("FileNotFoundError")
    assert judged("text", seen, given="a.txt", task=task).reason is Reason.NO_EVIDENCE
    assert outcome("Error: no file", seen, given="a.txt", task=task) is not Outcome.PASS
    assert outcome("text", value("wrong"), given="a.txt", task=task) is Outcome.FAIL
    assert outcome("text", seen, given="other.txt", task=task) is Outcome.FAIL


def test_words_that_the_specification_never_says_are_not_held_against_a_program():
    task = Task("1", "s", 'On error answer 400 with {"error": "<message>"}.', ())
    expected = {"status_code": 400, "error": "Error: Command not found"}
    assert outcome(expected, response(400, '{"error": "no such"}'), task=task) is Outcome.UNKNOWN
    assert outcome(expected, response(200, '{"error": "no such"}'), task=task) is Outcome.FAIL


def test_a_verdict_says_what_was_expected_and_seen_in_short():
    found = judged("x" * 500, value("y" * 500))
    assert len(found.sentence) < 300
    assert found.sentence.startswith("Expected xxx")
    assert "seen value" in found.sentence
    assert (found.oracle, found.rests_on) == ("match", ("value",))


@pytest.mark.parametrize("odd", ["\ud800", "\x1b[2J", "\x00", "\u2028", "a\nb", "\u202e"])
def test_a_sentence_is_safe_in_any_table_and_terminal(odd):
    for seen in (value(odd), raised("E", odd), printed("x"), response(200, odd)):
        sentence = judged(f"expected {odd}", seen).sentence
        assert sentence.isprintable()
        assert sentence.encode()


def test_deep_nesting_is_no_match_and_no_crash():
    deep = []
    for _ in range(5000):
        deep = [deep]
    assert compare_values(deep, deep) is None
    told = {"status": 200, "body": "[" * 99999}
    assert response_agrees({"status_code": 200, "a": 1}, told)[0] is None


def test_a_function_is_compared_by_the_one_file_that_its_input_names_and_it_wrote():
    given = {"text": "a", "out": "test_dir/out.txt"}
    for held, wanted in ((b"A\n", "pass"), (b"B\n", "fail")):
        for returned in (None, True, "test_dir/out.txt", {"saved": True}):
            seen = value(returned, files={"test_dir/out.txt": held})
            assert outcome("A", seen, given=given) == wanted
            assert outcome("A", seen, given={"out": "out.txt"}) == wanted
    assert outcome({"a": [1]}, value(3, files={"o.js": b'{"a": [1]}'}), given=["o.js"]) == "pass"
    elsewhere = value(None, files={"test_dir/other.txt": b"A\n"})
    assert outcome("A", elsewhere, given=given) == "fail"
    assert outcome("A", elsewhere, given={"out": "er.txt"}) == "fail"
    both = {"test_dir/out.txt": b"A", "b/out.txt": b"A"}
    assert outcome("A", value(None, files=both), given="out.txt") == "fail"
    assert outcome("", value(0, files={"out.txt": b""}), given="out.txt") == "fail"
    assert outcome("A", raised("OSError", "x"), given=given) == "fail"


def test_a_status_that_is_demanded_is_compared_wherever_the_answer_holds_it():
    task = Task("1", "s", 'Answer 400 with {"error": "Error"}.', (), files={"test_dir/a.txt": b""})
    for status, wanted in ((400, "pass"), (404, "fail"), (200, "fail")):
        body = '{"error": "Error"}'
        expected = {"status_code": 400, "error": "Error"}
        more = {"task": task, "given": "/read?name=test_dir/none.txt"}
        assert outcome(expected, response(status, body), **more) == wanted
        assert outcome(expected, value({"status_code": status, "error": "Error"}), **more) == wanted
        assert outcome(expected, value([{"error": "Error"}, status]), **more) == wanted
