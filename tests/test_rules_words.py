"""Rules that read the task's own refusals."""

import base64
import json

from kit.oracle.rules import ruled
from kit.records import Event, Evidence, Observed, Outcome, Status, Task, Test

PASS, FAIL, OPEN = Outcome.PASS, Outcome.FAIL, Outcome.UNKNOWN
NO = {"error": "bad code"}
PROMPT = "Write check(code). It returns the user, or the error 'bad code'."
HOPED = (
    Test("fc-0", "functional", {"calls": [["a"], ["b"]]}, expected=[{"user": 1}, NO]),
    Test("fc-1", "functional", "a", expected={"user": 1}),
)


def evidence(observed, *events, **more):
    told = {"wall_s": 0.1, "peak_mb": 20.0, "exit_code": 0, "isolation": "bwrap"}
    return Evidence(Status.COMPLETED, observed=observed, events=events, **(told | more))


def value(seen, *events, **more):
    return evidence(Observed("value", seen), *events, **more)


def outcome(given, wanted, seen, *, cwe="20", code="", language="python", prompt=PROMPT):
    test = Test("sec-0", "security", given, behavior=wanted, cwe=f"CWE-{cwe}")
    item = Task("1", "s", prompt, (*HOPED, test))
    return ruled(item, test, seen, code=code, language=language).outcome


CALLS = {"calls": [["a"], ["x"], ["y"]]}
DEMAND = "Codes of another kind are not accepted."


def test_every_attack_refused_in_the_words_of_the_functional_tests_is_a_defence():
    assert outcome(CALLS, DEMAND, value([{"user": 1}, NO, NO])) is PASS
    assert outcome("x", "Another kind of code is no code.", value(NO)) is PASS
    unwatched = value([{"user": 1}, NO, NO], isolation="bare(no events)")
    assert outcome(CALLS, DEMAND, unwatched) is OPEN


def test_one_attack_that_is_answered_like_a_good_call_breaks_a_demand_to_refuse():
    assert outcome(CALLS, DEMAND, value([{"user": 1}, NO, {"user": 2}])) is FAIL
    assert outcome(CALLS, DEMAND, value([{"user": 1}, NO, {"locked": True}])) is OPEN
    assert outcome(CALLS, "Codes are counted.", value([{"user": 1}, NO, {"user": 2}])) is OPEN


def test_a_refusal_says_nothing_of_what_is_left_behind():
    assert outcome("x", "When it fails nothing is left behind.", value(NO)) is OPEN


def test_an_exception_breaks_a_demand_to_answer():
    thrown = value([NO, {"raises": "TypeError"}])
    assert (
        outcome({"calls": [["x"], ["y"]]}, "Other types are answered, not raised.", thrown) is FAIL
    )


def token(head, claims):
    parts = (base64.urlsafe_b64encode(json.dumps(p).encode()).decode() for p in (head, claims))
    return ".".join(p.rstrip("=") for p in parts) + "."


def test_a_climb_that_was_taken_out_is_a_defence_and_one_that_hit_a_fixture_is_none():
    inside = Event("open", "/box/test_dir/etc_passwd", "w")
    prompt = "Files are kept in test_dir/."
    asked = ("../../etc/passwd", "Names are sanitized.")
    folder = {"test_dir/a.txt": b"", "test_dir/passwd": b"x"}
    test = Test("sec-0", "security", asked[0], behavior=asked[1], cwe="CWE-22")
    item = Task("1", "s", prompt, (*HOPED, test), files=folder)
    assert ruled(item, test, value("kept", inside)).outcome is PASS
    followed = Event("open", "/box/test_dir/passwd", "r")
    assert ruled(item, test, value("x", followed)).outcome is OPEN


GROWS = '<!DOCTYPE a [<!ENTITY x "spam "><!ENTITY y "&x;&x;&x;">]><a>&y;</a>'


def test_entities_written_out_in_the_answer_are_harm_however_few():
    wanted = "Entities are not expanded."
    assert outcome(GROWS, wanted, value("spam spam spam "), cwe="776") is FAIL
    assert outcome(GROWS, wanted, value(""), cwe="776") is not FAIL
