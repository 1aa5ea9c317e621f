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


def judge_functional_test(case: Case) -> Conclusion:
    """Whether the program answered as expected; unknown where no honest comparison exists."""
    expected, evidence = case.test.expected, case.evidence
    if (finding := facts.judge_without_run(evidence)) is not None:
        return finding
    if evidence.status.is_early_end:
        why = f"Expected {shorten_value(expected)}, but the run ended early ({evidence.status})."
        return Conclusion(Outcome.FAIL, Reason.RUN_ENDED_EARLY, why, ("status",))
    finding = compare_expectation(expected, case)
    if finding.outcome is Outcome.FAIL:
        finding = _in_a_file(case) or _excuse_mismatch(case, finding)
    return finding


def compare_expectation(expected: Any, case: Case) -> Conclusion:
    """One expectation, in any of its forms, against what was observed."""
    evidence, rest, rungs, rests_on = case.evidence, expected, [], []
    if _names_files(expected):
        rungs.append(_compare_files(expected["files"], case))
        rests_on.append("files")
        rest = {k: v for k, v in expected.items() if k not in ("files", "description")}
    if rest or rest is expected:
        rest = rest["value"] if _names_files(expected) and rest.keys() == {"value"} else rest
        rung, unsure = compare_answer(rest, case)
        place = PLACES.get(evidence.observed.kind, "status")
        if rung is None and unsure and None not in rungs:
            why = (
                f"Expected {shorten_value(expected)}; seen {summarize_answer(evidence)}: {unsure}."
            )
            return Conclusion(Outcome.UNKNOWN, Reason.NOT_COMPARABLE, why, (place,))
        rungs.append(rung)
        rests_on.append(place)
    answer, needed = summarize_answer(evidence), weakest_rung(rungs)
    if "files" in rests_on:
        answer += f", files {', '.join(sorted(evidence.files)) or 'none'}"
    why = f"Expected {shorten_value(expected)}; seen {answer}."
    outcome = Outcome.FAIL if needed is None else Outcome.PASS
    return Conclusion(outcome, needed or Reason.MISMATCH, why, tuple(rests_on))


def _names_files(expected: Any) -> bool:
    if not isinstance(expected, Mapping) or not isinstance(expected.get("files"), Mapping):
        return False
    return not expected.keys() - BESIDE


def _compare_files(wanted: Mapping[str, Any], case: Case) -> Reason | None:
    """Written files by content; null: not there; a fixture that was not touched is as it was."""
    rungs = []
    for name, content in wanted.items():
        path = followed_path(case.task, name)
        raw = facts.content_after(case.task, case.evidence, path)
        if content is None:
            absent = raw is None and not facts.why_not_collected(case.evidence, path)
            rungs.append(Reason.EXACT if absent else None)
        else:
            rungs.append(None if raw is None else _compare_content(content, raw))
    return weakest_rung(rungs)


def _compare_content(wanted: Any, raw: bytes) -> Reason | None:
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    if rung := compare_printed_text(wanted, text):
        return rung
    return (
        Reason.STRUCTURAL
        if names_properties(wanted) and has_expected_properties(wanted, text)
        else None
    )


def _in_a_file(case: Case) -> Conclusion | None:
    """A pass where the function wrote the expected value to the one file that its input names.

    The input may give the path or only its end. An empty expectation does not count.
    """
    expected, evidence = case.test.expected, case.evidence
    if evidence.observed.kind != "value" or not isinstance(expected, (str, list, Mapping)):
        return None
    texts = facts.collect_strings(case.test.input)
    names = {make_relative(text) for text in texts if text}
    paths = [p for p in evidence.files if any(f"/{p}".endswith(f"/{n}") for n in names)]
    if len(paths) != 1 or not expected:
        return None
    rung = _compare_content(expected, evidence.files[paths[0]])
    why = f"Expected {shorten_value(expected)}; it is what {shorten_value(paths[0])} holds now."
    return Conclusion(Outcome.PASS, rung, why, ("files",)) if rung else None


def _excuse_mismatch(case: Case, finding: Conclusion) -> Conclusion:
    """The mismatch, or unknown where the fault is the specification's and not the program's."""
    task, test, evidence = case.task, case.test, case.evidence
    asked = any(e.kind == "connect" for e in evidence.events) or not has_events(evidence)
    is_alone = asked and evidence.raised and is_host_unreachable(evidence.raised)
    missing = missing_server(task, test) if is_alone else missing_file(task, test)
    if missing and _is_error(evidence):
        why = f"{finding.why} The test needs {missing}, which the task does not provide."
        return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, why, finding.rests_on)
    words = find_unsaid_word(test.expected, task.prompt)
    if words and _is_same_kind_of_answer(test.expected, evidence):
        why = f"{finding.why} The specification nowhere says {shorten_value(words)!r}."
        return Conclusion(Outcome.UNKNOWN, Reason.NOT_COMPARABLE, why, finding.rests_on)
    return finding


def _is_error(evidence: Evidence) -> bool:
    """Whether the answer says that something went wrong."""
    observed = evidence.observed
    if observed.kind == "response":
        return int((observed.response or {}).get("status") or 0) >= 400
    text = evidence.out if observed.kind == "output" else observed.value
    if evidence.raised:
        return True
    return any(is_error_text(words) for words in facts.collect_strings(text))


def _is_same_kind_of_answer(expected: Any, evidence: Evidence) -> bool:
    """Whether the answer is of the expected kind and differs in its words alone."""
    observed = evidence.observed
    if observed.kind == "response":
        status = expected.get("status_code") if isinstance(expected, Mapping) else None
        return compare_values(status, (observed.response or {}).get("status")) is not None
    return isinstance(expected, str) and _is_error(evidence)


STREAMS = frozenset({"stdout", "stderr", "exit_code"})
Answer = tuple[Reason | None, str]
NO: Answer = (None, "")

_ANY_ERROR = re.compile(r"(an? )?(error|exception)s?( or (an? )?(error|exception))\b", re.I)
_NETWORK = re.compile(
    r"URLError|ConnectionError|Timeout|gaierror|ConnectionRefused|ENOTFOUND|fetch"
)


def compare_answer(expected: Any, case: Case) -> Answer:
    """The rung on which the program's answer, of whatever kind, is the expected one."""
    evidence, kind = case.evidence, case.evidence.observed.kind
    if kind == "value":
        return _compare_value(expected, case)
    if kind == "response":
        return _compare_response(expected, evidence, case.task.prompt)
    if classes := expected_classes(expected):
        if raised := evidence.raised:
            wanted = expected.get("message") if isinstance(expected, Mapping) else None
            by_class = replace(raised, message="")
            named = any(is_raised_as(c, by_class, language=case.language) for c in classes)
            worded = not isinstance(wanted, str) or wanted in raised.message
            return (Reason.EXCEPTION_CLASS, "") if named and worded else NO
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
        rung = rung and weakest_rung([rung, Reason.STRUCTURAL])
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
    rung = response_agrees(expected, response)[0]
    return rung and weakest_rung([rung, Reason.STRUCTURAL])


def _further_keys(expected: Mapping[str, Any], value: Any, given: Any) -> Reason | None:
    """The rung if all expected keys agree and no test could have named the further ones.

    These hold objects that JSON cannot; or only a "type" and keys of the input are expected.
    """
    if not isinstance(value, Mapping) or not expected or not expected.keys() < value.keys():
        return None
    extra = [v for k, v in value.items() if k not in expected]
    opaque = all(isinstance(v, Mapping) and "__type__" in v for v in extra)
    inputs = given if isinstance(given, Mapping) else {}
    tagged = isinstance(expected.get("type"), str)
    echo = tagged and all(k == "type" or k in inputs for k in expected)
    if not opaque and not echo:
        return None
    agreed = weakest_rung([compare_values(v, value[k]) for k, v in expected.items()])
    return agreed and weakest_rung([agreed, Reason.STRUCTURAL])


def _compare_response(expected: Any, evidence: Evidence, prompt: str) -> Answer:
    observed = evidence.observed
    answers = observed.value if isinstance(observed.value, list) else []
    if isinstance(expected, list) and len(answers) == len(expected) > 0:
        named = all(isinstance(e, Mapping) and "status_code" in e for e in expected)
        if named and all(isinstance(a, Mapping) for a in answers):
            pairs = zip(expected, answers, strict=True)
            return weakest_rung([response_agrees(e, a, prompt=prompt)[0] for e, a in pairs]), ""
    if observed.response is None:
        return NO
    rung, part = response_agrees(expected, observed.response, prompt=prompt)
    texts = facts.collect_strings(expected)
    if rung is None and part != "status" and any(is_prose(t, prompt) for t in texts):
        return None, "the expectation is prose"
    return rung, ""


def _compare_output(expected: Any, evidence: Evidence, prompt: str) -> Answer:
    if isinstance(expected, Mapping) and expected and not expected.keys() - STREAMS:
        streams = {"stdout": evidence.out, "stderr": evidence.err}
        parts = [_compare_text(v, streams[k], prompt) for k, v in expected.items() if k in streams]
        if "exit_code" in expected:
            parts.append((compare_values(expected["exit_code"], evidence.exit_code), ""))
        failed = any(rung is None and not unsure for rung, unsure in parts)
        unsure = next((unsure for _, unsure in parts if unsure), "")
        if failed or unsure:
            return None, "" if failed else unsure
        return weakest_rung([rung for rung, _ in parts]), ""
    return _compare_text(expected, evidence.out, prompt)


def _compare_text(expected: Any, text: str, prompt: str) -> Answer:
    if rung := compare_printed_text(expected, text):
        return rung, ""
    if is_prose(expected, prompt):
        return None, "the expectation is prose"
    shaped = names_properties(expected) and has_expected_properties(
        expected, text.rstrip("\n"), prompt
    )
    return (Reason.STRUCTURAL, "") if shaped else NO


BODY = ("content", "body", "text", "response_body", "response")
WHOLE = (*BODY, "output", "data", "json")
IGNORED = ("description", "note", "comment")


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
        if (
            compare_values(status, response.get("status")) is None
            and compare_values(status, in_body) is None
        ):
            return None, "status"
        rungs.append(Reason.EXACT)
    for key, value in parts.items():
        rung = _compare_part(key, value, response, prompt)
        if rung is None:
            return None, key
        rungs.append(rung)
    return weakest_rung([*rungs, Reason.STRUCTURAL] if len(expected) > 1 else rungs), ""


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
        texts = isinstance(wanted, str) and isinstance(data[key], str)
        if rung := compare_values(wanted, data[key]) or (
            text_output(wanted, data[key]) if texts else None
        ):
            return rung
        if not texts and has_expected_properties(wanted, data[key], prompt):
            return Reason.STRUCTURAL
    if key == "headers" and isinstance(wanted, Mapping):
        return _compare_headers(wanted, response)
    if key == "content_type":
        return _compare_headers({"content-type": wanted}, response)
    if key == "file_sent":
        return Reason.STRUCTURAL if bool(body) == bool(wanted) else None
    if key in WHOLE:
        return _compare_body(wanted, body, data) or (
            _only_text(wanted, data) if key in BODY else None
        )
    if isinstance(wanted, str) and not isinstance(data, (Mapping, list)):
        return text_output(wanted, body)  # an error sent as plain text
    return None


def _compare_body(wanted: Any, body: str, data: Any) -> Reason | None:
    if isinstance(wanted, str):
        as_text = text_output(wanted, data) if isinstance(data, str) else None
        return compare_printed_text(wanted, body) or as_text or compare_container_text(wanted, data)
    rung = compare_values(wanted, data)
    if rung or not wanted or not isinstance(wanted, Mapping) or not isinstance(data, Mapping):
        return rung
    agree = all(
        k in data and compare_values(v, data[k]) for k, v in wanted.items()
    )  # data may have more
    return Reason.STRUCTURAL if agree else None


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
        got, value = headers.get(name.lower(), "").replace('"', ""), str(value).replace('"', "")
        if got != value and got.partition(";")[0].strip() != value:
            return None
    return Reason.STRUCTURAL
