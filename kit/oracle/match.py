"""functional(case): the ladder exact, numeric, structural, exception class, files.

An expected 0, "", [], false or null is an expectation like any other; an exit code is no value.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kit.core.languages import LANGUAGES
from kit.core.records import Evidence, Outcome, Raised, Reason
from kit.harness.services import followed_path
from kit.harness.wording import has_events, shorten_value, summarize_answer
from kit.oracle import facts
from kit.oracle.compare import (
    compare_container_text,
    compare_printed_text,
    compare_values,
    has_opaque_object,
    is_carried,
    is_cut,
    parse_json_or_literal,
    text_output,
    weakest_rung,
    with_truths,
    without_unset,
)
from kit.oracle.exceptions import is_host_unreachable, is_raised_as
from kit.oracle.expectation import (
    expected_classes,
    find_unsaid_word,
    has_expected_properties,
    is_error_text,
    is_prose,
    missing_file,
    missing_server,
    names_properties,
)
from kit.oracle.facts import Case, Conclusion
from kit.sandbox.base import make_relative

BESIDE = frozenset({"files", "value", "description", "stdout", "stderr", "exit_code"})
PLACES = {"value": "value", "exception": "exception", "response": "response", "output": "stdout"}
STREAMS = frozenset({"stdout", "stderr", "exit_code"})
_ANY_ERROR = re.compile(r"(an? )?(error|exception)s?( or (an? )?(error|exception))\b", re.I)
_NETWORK = re.compile(
    r"URLError|ConnectionError|Timeout|gaierror|ConnectionRefused|ENOTFOUND|fetch"
)
BODY = ("content", "body", "text", "response_body", "response")
WHOLE = (*BODY, "output", "data", "json")
IGNORED = ("description", "note", "comment")

Answer = tuple[Reason | None, str]  # the rung, or None with what spoke against it
NO: Answer = (None, "")


def judge_functional_test(case: Case) -> Conclusion:
    """Whether the program answered as expected; unknown where no honest comparison exists."""
    expected = case.test.expected
    evidence = case.evidence
    conclusion = facts.judge_without_run(evidence)
    if conclusion is not None:
        return conclusion
    if evidence.status.is_early_end:
        sentence = (
            f"Expected {shorten_value(expected)}, but the run ended early ({evidence.status})."
        )
        return Conclusion(Outcome.FAIL, Reason.RUN_ENDED_EARLY, sentence, ("status",))
    finding = compare_expectation(expected, case)
    if finding.outcome is Outcome.FAIL:
        finding = _in_a_file(case) or _excuse_mismatch(case, finding)
    return finding


def compare_expectation(expected: Any, case: Case) -> Conclusion:
    """One expectation, in any of its forms, against what was observed."""
    evidence = case.evidence
    wanted = expected
    has_answer = True
    rungs: list[Reason | None] = []
    rests_on: list[str] = []
    answer = summarize_answer(evidence)
    files = expected.get("files") if isinstance(expected, Mapping) else None
    if isinstance(files, Mapping) and not expected.keys() - BESIDE:
        rungs.append(_compare_files(files, case))
        rests_on.append("files")
        wanted = {k: v for k, v in expected.items() if k not in ("files", "description")}
        has_answer = bool(wanted)
        if wanted.keys() == {"value"}:
            wanted = wanted["value"]
    if has_answer:
        rung, doubt = compare_answer(wanted, case)
        place = PLACES.get(evidence.observed.kind, "status")
        if rung is None and doubt and None not in rungs:
            sentence = f"Expected {shorten_value(expected)}; seen {answer}: {doubt}."
            return Conclusion(Outcome.UNKNOWN, Reason.NOT_COMPARABLE, sentence, (place,))
        rungs.append(rung)
        rests_on.append(place)
    if "files" in rests_on:
        answer += f", files {', '.join(sorted(evidence.files)) or 'none'}"
    sentence = f"Expected {shorten_value(expected)}; seen {answer}."
    weakest = weakest_rung(rungs)
    if weakest is None:
        return Conclusion(Outcome.FAIL, Reason.MISMATCH, sentence, tuple(rests_on))
    return Conclusion(Outcome.PASS, weakest, sentence, tuple(rests_on))


def _compare_files(wanted: Mapping[str, Any], case: Case) -> Reason | None:
    """Written files by content; null: not there; a fixture that was not touched is as it was."""
    rungs: list[Reason | None] = []
    for name, content in wanted.items():
        path = followed_path(case.task, name)
        raw = facts.content_after(case.task, case.evidence, path)
        if content is None:
            if raw is not None or facts.why_not_collected(case.evidence, path):
                return None
            rungs.append(Reason.EXACT)
        elif raw is None:
            return None
        else:
            rungs.append(_compare_content(content, raw))
    return weakest_rung(rungs)


def _compare_content(wanted: Any, raw: bytes) -> Reason | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    rung = compare_printed_text(wanted, text)
    if rung is None and names_properties(wanted) and has_expected_properties(wanted, text):
        return Reason.STRUCTURAL
    return rung


def _in_a_file(case: Case) -> Conclusion | None:
    """A pass where the function wrote the expected value to the one file that its input names.

    The input may give the path or only its end. An empty expectation does not count.
    """
    expected = case.test.expected
    evidence = case.evidence
    if evidence.observed.kind != "value" or not isinstance(expected, (str, list, Mapping)):
        return None
    texts = filter(None, facts.collect_strings(case.test.input))
    endings = tuple(f"/{make_relative(text)}" for text in texts)
    paths = [path for path in evidence.files if f"/{path}".endswith(endings)]
    if len(paths) != 1 or not expected:
        return None
    rung = _compare_content(expected, evidence.files[paths[0]])
    if rung is None:
        return None
    sentence = (
        f"Expected {shorten_value(expected)}; it is what {shorten_value(paths[0])} holds now."
    )
    return Conclusion(Outcome.PASS, rung, sentence, ("files",))


def _excuse_mismatch(case: Case, finding: Conclusion) -> Conclusion:
    """The mismatch, or unknown where the fault is the specification's and not the program's."""
    task = case.task
    test = case.test
    evidence = case.evidence
    may_have_asked = not has_events(evidence) or "connect" in {e.kind for e in evidence.events}
    if may_have_asked and evidence.raised and is_host_unreachable(evidence.raised):
        missing = missing_server(task, test)
    else:
        missing = missing_file(task, test)
    if missing and _is_error(evidence):
        sentence = f"{finding.why} The test needs {missing}, which the task does not provide."
        return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, sentence, finding.rests_on)
    unsaid = find_unsaid_word(test.expected, task.prompt)
    if unsaid and _is_same_kind_of_answer(test.expected, evidence):
        sentence = f"{finding.why} The specification nowhere says {shorten_value(unsaid)!r}."
        return Conclusion(Outcome.UNKNOWN, Reason.NOT_COMPARABLE, sentence, finding.rests_on)
    return finding


def _is_error(evidence: Evidence) -> bool:
    """Whether the answer says that something went wrong."""
    observed = evidence.observed
    if observed.kind == "response":
        return int((observed.response or {}).get("status") or 0) >= 400
    if evidence.raised:
        return True
    answer = evidence.out if observed.kind == "output" else observed.value
    return any(map(is_error_text, facts.collect_strings(answer)))


def _is_same_kind_of_answer(expected: Any, evidence: Evidence) -> bool:
    """Whether the answer is of the expected kind and differs in its words alone."""
    observed = evidence.observed
    if observed.kind == "response":
        status = expected.get("status_code") if isinstance(expected, Mapping) else None
        return compare_values(status, (observed.response or {}).get("status")) is not None
    return isinstance(expected, str) and _is_error(evidence)


def compare_answer(expected: Any, case: Case) -> Answer:
    """The rung on which the program's answer, of whatever kind, is the expected one."""
    evidence = case.evidence
    kind = case.evidence.observed.kind
    if kind == "value":
        return _compare_value(expected, case)
    if kind == "response":
        return _compare_response(expected, evidence, case.task.prompt)
    classes = expected_classes(expected)
    raised = evidence.raised
    if classes and raised:
        wanted = expected.get("message") if isinstance(expected, Mapping) else None
        # Without the message: an expected exception may be worded as an accident is.
        by_class = replace(raised, message="")
        is_named = any(is_raised_as(c, by_class, language=case.language) for c in classes)
        is_worded = not isinstance(wanted, str) or wanted in raised.message
        return (Reason.EXCEPTION_CLASS, "") if is_named and is_worded else NO
    if kind == "output":
        return _compare_output(expected, evidence, case.task.prompt)
    return _compare_exception(expected, evidence) if kind == "exception" else NO


def _compare_exception(expected: Any, evidence: Evidence) -> Answer:
    if isinstance(expected, str) and _ANY_ERROR.match(expected.strip()):
        raised = evidence.raised or Raised("")
        if any(_NETWORK.search(name) for name in (raised.name, *raised.bases)):
            return None, "the network itself may have failed"
        return Reason.EXCEPTION_CLASS, ""
    if expected in ("Error", "Exception"):
        return None, "an exception may or may not be the error that is meant"
    return NO


def _compare_value(expected: Any, case: Case) -> Answer:
    value = case.evidence.observed.value
    row = LANGUAGES[case.language]
    if row.truths_are_numbers:
        value = with_truths(expected, value)
    rung = compare_values(expected, value)
    if rung is None and row.fixed_fields:
        if has_opaque_object(value):
            return None, "the value holds an object that cannot be read"
        rung = compare_values(expected, without_unset(expected, value))
        rung = weakest_rung([rung, Reason.STRUCTURAL])
    if rung is None and isinstance(expected, str):
        rung = compare_container_text(expected, value)
    if rung is None and isinstance(expected, Mapping):
        rung = _like_a_response(expected, value) or _further_keys(expected, value, case.test.input)
    if rung is not None:
        return rung, ""
    if is_cut(value) and (names_properties(expected) or not is_carried(expected)):
        return None, "the value has more parts than the kit can carry"
    fitting = has_expected_properties(expected, value, case.task.prompt)
    if fitting:
        return Reason.STRUCTURAL, ""
    if fitting is None:
        return None, "the expectation is prose"
    if isinstance(value, str) and isinstance(expected, (Mapping, list)):
        if any(compare_values(expected, v) for v in parse_json_or_literal(value)):
            return None, "the value is a text that says the same"
    return NO


def _like_a_response(expected: Mapping[str, Any], value: Any) -> Reason | None:
    """The rung for a function that answers as a web route: status_code, or (body, status)."""
    if "status_code" not in expected:
        return None
    if isinstance(value, Mapping) and "status_code" in value:
        response = {"status": value["status_code"], "body": json.dumps(value)}
    elif isinstance(value, list) and len(value) == 2 and isinstance(value[1], int):
        body = value[0] if isinstance(value[0], str) else json.dumps(value[0])
        response = {"status": value[1], "body": body}
    else:
        return None
    return weakest_rung([response_agrees(expected, response)[0], Reason.STRUCTURAL])


def _further_keys(expected: Mapping[str, Any], value: Any, argument: Any) -> Reason | None:
    """The rung if all expected keys agree and no test could have named the further ones.

    These hold objects that JSON cannot; or only a "type" and keys of the input are expected.
    """
    if not isinstance(value, Mapping) or not expected or not expected.keys() < value.keys():
        return None
    inputs = argument if isinstance(argument, Mapping) else {}
    is_echo = isinstance(expected.get("type"), str) and expected.keys() <= {"type", *inputs}
    for key in value.keys() - expected.keys():
        is_opaque = isinstance(value[key], Mapping) and "__type__" in value[key]
        if not is_opaque and not is_echo:
            return None
    rungs = [compare_values(wanted, value[key]) for key, wanted in expected.items()]
    return weakest_rung([*rungs, Reason.STRUCTURAL])


def _compare_response(expected: Any, evidence: Evidence, prompt: str) -> Answer:
    observed = evidence.observed
    answers = observed.value if isinstance(observed.value, list) else []
    if isinstance(expected, list) and len(answers) == len(expected) > 0:
        name_status = all(isinstance(e, Mapping) and "status_code" in e for e in expected)
        if name_status and all(isinstance(answer, Mapping) for answer in answers):
            pairs = zip(expected, answers, strict=True)
            return weakest_rung([response_agrees(e, a, prompt=prompt)[0] for e, a in pairs]), ""
    if observed.response is None:
        return NO
    rung, part = response_agrees(expected, observed.response, prompt=prompt)
    if rung is None and part != "status":
        if any(is_prose(text, prompt) for text in facts.collect_strings(expected)):
            return None, "the expectation is prose"
    return rung, ""


def _compare_output(expected: Any, evidence: Evidence, prompt: str) -> Answer:
    if not isinstance(expected, Mapping) or not expected or expected.keys() - STREAMS:
        return _compare_text(expected, evidence.out, prompt)
    streams = {"stdout": evidence.out, "stderr": evidence.err}
    rungs, doubts = [], []
    for name, wanted in expected.items():
        if name == "exit_code":
            rung, doubt = compare_values(wanted, evidence.exit_code), ""
        else:
            rung, doubt = _compare_text(wanted, streams[name], prompt)
        if rung is None and not doubt:
            return NO
        rungs.append(rung)
        doubts.append(doubt)
    return weakest_rung(rungs), next(filter(None, doubts), "")


def _compare_text(expected: Any, text: str, prompt: str) -> Answer:
    rung = compare_printed_text(expected, text)
    if rung:
        return rung, ""
    if is_prose(expected, prompt):
        return None, "the expectation is prose"
    if names_properties(expected):
        if has_expected_properties(expected, text.rstrip("\n"), prompt):
            return Reason.STRUCTURAL, ""
    return NO


def response_agrees(expected: Any, response: Mapping[str, Any], *, prompt: str = "") -> Answer:
    """(rung, "") where all parts agree; (None, the part that does not) where one differs."""
    body = str(response.get("body", ""))
    data = facts.json_of(body)
    if not isinstance(expected, Mapping):
        rung = _compare_body(expected, body, data) or _only_text(expected, data)
        return rung, "" if rung else "body"
    status, parts = _status_of(expected)
    rungs = []
    if status is not None:
        # the specification may put it into the JSON body itself
        in_body = data.get("status_code") if isinstance(data, Mapping) else None
        sent = compare_values(status, response.get("status")) or compare_values(status, in_body)
        if sent is None:
            return None, "status"
        rungs.append(Reason.EXACT)
    for key, value in parts.items():
        rung = _compare_part(key, value, response, prompt)
        if rung is None:
            return None, key
        rungs.append(rung)
    if len(expected) > 1:
        rungs.append(Reason.STRUCTURAL)
    return weakest_rung(rungs), ""


def _status_of(expected: Mapping[str, Any]) -> tuple[int | None, dict[str, Any]]:
    parts = {k: v for k, v in expected.items() if k not in IGNORED}
    if "status_code" in parts:
        return parts.pop("status_code"), parts
    status = parts.get("status")
    if isinstance(status, int) and not isinstance(status, bool) and 100 <= status < 600:
        return parts.pop("status"), parts
    return None, parts


def _compare_part(key: str, wanted: Any, response: Mapping[str, Any], prompt: str) -> Reason | None:
    body = str(response.get("body", ""))
    data = facts.json_of(body)
    if isinstance(data, Mapping) and key in data:
        value = data[key]
        are_texts = isinstance(wanted, str) and isinstance(value, str)
        rung = text_output(wanted, value) if are_texts else compare_values(wanted, value)
        if rung:
            return rung
        if not are_texts and has_expected_properties(wanted, value, prompt):
            return Reason.STRUCTURAL
    if key == "headers" and isinstance(wanted, Mapping):
        return _compare_headers(wanted, response)
    if key == "content_type":
        return _compare_headers({"content-type": wanted}, response)
    if key == "file_sent":
        return Reason.STRUCTURAL if bool(body) == bool(wanted) else None
    if key in WHOLE:
        rung = _compare_body(wanted, body, data)
        return _only_text(wanted, data) if rung is None and key in BODY else rung
    if isinstance(wanted, str) and not isinstance(data, (Mapping, list)):
        return text_output(wanted, body)  # an error sent as plain text
    return None


def _compare_body(wanted: Any, body: str, data: Any) -> Reason | None:
    if isinstance(wanted, str):
        rung = compare_printed_text(wanted, body)
        if rung is None and isinstance(data, str):
            rung = text_output(wanted, data)
        return rung or compare_container_text(wanted, data)
    rung = compare_values(wanted, data)
    if rung or not wanted or not isinstance(wanted, Mapping) or not isinstance(data, Mapping):
        return rung
    for key, value in wanted.items():  # data may have more
        if key not in data or compare_values(value, data[key]) is None:
            return None
    return Reason.STRUCTURAL


def _only_text(wanted: Any, data: Any) -> Reason | None:
    """A bare text as the one text of a JSON object: "Error" and {"error": "Error"}."""
    if not isinstance(wanted, str) or not isinstance(data, Mapping):
        return None
    texts = [v for v in data.values() if isinstance(v, str)]
    return Reason.STRUCTURAL if texts == [wanted] else None


def _compare_headers(wanted: Mapping[str, Any], response: Mapping[str, Any]) -> Reason | None:
    """Compares headers: names in any case, without quotes, parameters after ';' only if wanted."""
    headers = {str(k).lower(): str(v) for k, v in (response.get("headers") or {}).items()}
    for name, value in wanted.items():
        header = headers.get(name.lower(), "").replace('"', "")
        if str(value).replace('"', "") not in (header, header.partition(";")[0].strip()):
            return None
    return Reason.STRUCTURAL
