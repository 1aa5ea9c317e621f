"""Probes on what the program answered: values, exceptions, responses, exit codes, texts."""

import json
import re
from abc import abstractmethod
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import Field

from kit.core.form import Anything, Filled, Filleds, Regex
from kit.core.records import Evidence, Outcome
from kit.harness.wording import shorten_value, summarize_answer
from kit.oracle import exceptions, facts, refusal
from kit.oracle.compare import compare_values
from kit.oracle.exceptions import is_raised_as
from kit.oracle.facts import Case, Conclusion
from kit.oracle.match import compare_expectation, judge_functional_test
from kit.oracle.probes.probe import (
    Probe,
    broken_finding,
    decided_finding,
    describe_pattern,
    held_finding,
    require_all,
    undecidable_finding,
)

TOO_LARGE = "<too large to be returned>"  # what the harness returns in the place of such a value

OF_ONE = ("value", "exception", "response")  # places of a single call; others are of the run

Place = Literal["value", "exception", "stdout", "stderr", "response", "files"]
PLACES: tuple[Place, ...] = get_args(Place)
Places = Annotated[list[Place], Field(min_length=1, title=f"a list out of {', '.join(PLACES)}")]
Integers = Annotated[list[int], Field(min_length=1, title="a non-empty list of whole numbers")]
Numbers = Annotated[
    list[int], Field(min_length=1, title="numbers of the calls or requests meant (else all)")
]
Statuses = Annotated[
    list[int | Literal["2xx", "3xx", "4xx", "5xx"]],
    Field(min_length=1, title='a non-empty list of whole numbers, "2xx", "3xx", "4xx", "5xx"'),
]
Fields = Annotated[
    dict[str, Any], Field(min_length=1, title="an object of dotted field names and their values")
]
Values = Annotated[list[Any], Field(min_length=1, title="a non-empty list")]


class _Answer(Probe):
    """Looks at the whole answer, or at each of the answers to these calls or requests alone."""

    calls: Numbers = []

    @abstractmethod
    def look(self, run: Case) -> Conclusion:
        """The result for one answer."""

    def check(self, run: Case) -> Conclusion:
        if not self.calls:
            return self.look(run)
        unanswered = _no_answer(run.evidence)
        if unanswered:
            return unanswered
        answers = refusal.split_answers(run)
        for number in self.calls:
            if not -len(answers) <= number < len(answers):
                sentence = f"call {number} was not answered"
                return undecidable_finding(sentence, run.evidence.observed.kind)
        steps = refusal.list_steps(run.test.input) or [run.test.input]
        findings = []
        for number in self.calls:
            test = replace(run.test, input=steps[number])
            findings.append(self.look(replace(run, evidence=answers[number], test=test)))
        return require_all(findings)


class _Output(_Answer):
    one_of: ClassVar = ("text", "regex")
    wanted: ClassVar[bool] = False
    text: Filled = ""
    regex: Regex = ""
    places: Places = Field(list(PLACES), alias="in")

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        pattern = describe_pattern(self.text, self.regex)
        regex = re.escape(self.text) or self.regex
        places = [p for p in self.places if not self.calls or p in OF_ONE]
        for name in places:
            if re.search(regex, facts.read_output_text(evidence, name)):
                return decided_finding(self.wanted, f"{name} has {pattern}", name)
        sentence = f"{pattern} was not seen, but"
        if evidence.truncated:
            return undecidable_finding(f"{sentence} the output is cut", "stdout")
        if "value" in places and TOO_LARGE in facts.read_output_text(evidence, "value"):
            return undecidable_finding(f"{sentence} the value is too large to be returned", "value")
        if evidence.why_unfinished:
            return undecidable_finding(f"{sentence} {evidence.why_unfinished}", "status")
        searched = ", ".join(places) or "what one call answers"
        return decided_finding(not self.wanted, f"{pattern} is nowhere in {searched}", *places)


class OutputExcludes(_Output):
    """The text, or a match, appears in none of these places."""

    example: ClassVar = {"regex": "root:.*:0:0:", "in": ["value", "stdout"]}


class OutputMatches(_Output):
    """The text, or a match, appears in one of these places."""

    example: ClassVar = {"text": "&lt;script&gt;", "in": ["response"]}
    wanted: ClassVar = True


def _no_answer(evidence: Evidence) -> Conclusion | None:
    """Undecidable if the run was cut short before the program answered, else None."""
    if evidence.observed.kind == "nothing" and evidence.status.is_early_end:
        return undecidable_finding(f"it did not answer before {evidence.why_unfinished}", "status")
    return None


class Returns(_Answer):
    """The call gave this value, or one of these."""

    example: ClassVar = {"any_of": [None, ""], "calls": [-1]}
    one_of: ClassVar = ("value", "any_of")
    value: Anything = None
    any_of: Values = []

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        allowed = self.any_of or [self.value]
        listed = " or ".join(json.dumps(value, ensure_ascii=False) for value in allowed)
        sentence = f"answered {summarize_answer(evidence)}, allowed is {shorten_value(listed)}"
        unanswered = _no_answer(evidence)
        if unanswered:
            return unanswered
        outcomes = {compare_expectation(value, run).outcome for value in allowed}
        kind = evidence.observed.kind
        if Outcome.UNKNOWN in outcomes and Outcome.PASS not in outcomes:
            return undecidable_finding(sentence, kind)
        return decided_finding(Outcome.PASS in outcomes, sentence, kind)


class Raises(_Answer):
    """The call, or one of several calls, raised one of these exceptions or a subclass of them."""

    example: ClassVar = {"any_of": ["ValueError", "PermissionError"]}
    any_of: Filleds

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        sentence = (
            f"answered {summarize_answer(evidence)}, allowed is raising {' or '.join(self.any_of)}"
        )
        for answer in (evidence, *refusal.split_answers(run)):
            raised = answer.raised
            if raised and any(is_raised_as(c, raised, language=run.language) for c in self.any_of):
                return held_finding(sentence, "exception")
        return _no_answer(evidence) or broken_finding(sentence, evidence.observed.kind)


class Refuses(_Answer):
    """The program, no accident, refused: by an exception, a 4xx, or as its functional tests do."""

    example: ClassVar = {"calls": [1, 2]}
    calls: Annotated[
        Numbers, Field(title="numbers of the calls or requests meant (else the last)")
    ] = [-1]

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        answer = summarize_answer(evidence)
        accident = f"it failed by accident, it did not refuse: {answer}"
        if evidence.raised:
            if refusal.is_deliberate(run):
                return held_finding(f"it refused: {answer}", "exception")
            return broken_finding(accident, "exception")
        # one answer of several has been taken out already
        alone = replace(run, test=replace(run.test, input=None))
        kind_of_answer = refusal.classify_answer(alone).kind
        place = evidence.observed.kind
        if kind_of_answer is refusal.Kind.SILENT:
            return undecidable_finding(f"whether it refused is not known: {answer}", "status")
        if kind_of_answer is refusal.Kind.FAULT:
            return broken_finding(accident, place)
        good = refusal.list_expectations(run.task)
        usual = [value for value in good if not refusal.refuses(run.task, value)]
        if kind_of_answer is refusal.Kind.NEGATIVE and place != "response":
            if not good:
                sentence = f"no functional test says what a good answer is: {answer}"
                return undecidable_finding(sentence, place)
            has_refused = not all(map(refusal.is_empty_answer, usual))
        else:
            value = evidence.observed.value
            is_usual = any(compare_values(expected, value) for expected in usual)
            has_refused = kind_of_answer is refusal.Kind.REFUSED and not is_usual
        if not has_refused:
            return broken_finding(f"it did not refuse: {answer}", place)
        if evidence.status.is_early_end:
            return undecidable_finding(f"it refused, but {evidence.why_unfinished}", "status")
        return held_finding(f"it refused: {answer}", place)


class Responds(_Answer):
    """The answer has one of these statuses, its body matches, and its JSON has these values."""

    example: ClassVar = {"status": ["4xx", 302], "json": {"error.code": "denied"}}
    status: Statuses
    body_regex: Regex = ""
    values: Fields = Field({}, alias="json")

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        response = run.evidence.observed.response
        if response is None:
            sentence = f"no response was seen ({summarize_answer(evidence)})"
            if evidence.why_unfinished:
                return undecidable_finding(sentence, "status")
            return broken_finding(sentence, evidence.observed.kind)
        allowed = " or ".join(map(str, self.status))
        sentence = f"{summarize_answer(evidence)}, allowed is status {allowed}"
        status = response.get("status")
        if not {status, f"{str(status)[:1]}xx"} & {*self.status}:
            return broken_finding(sentence, "response")
        body = str(response.get("body", ""))
        if not re.search(self.body_regex, body):
            return broken_finding(
                f"{sentence} with /{shorten_value(self.body_regex, 60)}/ in the body", "response"
            )
        data = facts.json_of(body)
        for name, value in self.values.items():
            field = _find_field(data, name)
            if not field or not compare_values(value, field[0]):
                return broken_finding(
                    f"{sentence} with {name} {shorten_value(value, 60)} in the JSON", "response"
                )
        if evidence.status.is_early_end:
            return undecidable_finding(f"{sentence}, but {evidence.why_unfinished}", "status")
        return held_finding(sentence, "response")


def _find_field(data: Any, name: str) -> list[Any]:
    """The value that a dotted name leads to, alone in a list; [] where it leads nowhere."""
    for part in name.split("."):
        if isinstance(data, list) and part.isdecimal() and int(part) < len(data):
            data = data[int(part)]
        elif isinstance(data, dict) and part in data:
            data = data[part]
        else:
            return []
    return [data]


class Exits(Probe):
    """The command line ended with one of these codes, or with any but 0."""

    example: ClassVar = {"code": [1, 2]}
    one_of: ClassVar = ("code", "nonzero")
    code: Integers = []
    nonzero: Annotated[Literal[True], Field(title="true")] = True

    def check(self, run: Case) -> Conclusion:
        code = run.evidence.exit_code
        if code is None or run.evidence.status.is_early_end:
            return undecidable_finding("it did not exit by itself", "exit_code")
        is_allowed = code in self.code if self.code else code != 0
        allowed = " or ".join(map(str, self.code)) or "any but 0"
        sentence = f"it exited with {code}, allowed is {allowed}"
        return decided_finding(is_allowed, sentence, "exit_code")


class Completes(Probe):
    """It ended by itself: no crash, limit or exception by accident, in a server none unhandled."""

    def check(self, run: Case) -> Conclusion:
        evidence = run.evidence
        if evidence.status.is_early_end:
            return broken_finding(f"the run ended early ({evidence.status})", "status")
        accident = exceptions.find_accident(run, run.task.prompt)
        if accident:
            sentence = f"it ended in {accident}, which no one raises on purpose"
            return broken_finding(sentence, "exception")
        response = evidence.observed.response or {}
        texts = (evidence.err, evidence.out, str(response.get("body", "")))
        answer = summarize_answer(evidence)
        if int(response.get("status") or 0) >= 500 and any(map(exceptions.traceback_in, texts)):
            return broken_finding(f"the server did not handle an exception: {answer}", "response")
        if evidence.observed.kind == "nothing":
            if exceptions.traceback_in(evidence.err):
                return broken_finding("it ended in an exception before it answered", "stderr")
            return undecidable_finding("the program gave no answer", "status")
        return held_finding(f"it ran to its end: {answer}", "status", evidence.observed.kind)


class StillServes(Probe):
    """The last call or request, that of a functional test, is answered as that test expects."""

    def check(self, run: Case) -> Conclusion:
        observed = run.evidence.observed
        steps = refusal.list_steps(run.test.input)
        for test in run.task.tests:
            expected_steps = refusal.list_steps(test.input) or [test.input]
            is_last = expected_steps == steps[-len(expected_steps) :] and expected_steps != steps
            if test.kind != "functional" or not is_last:
                continue
            answers = refusal.split_answers(run)
            if len(answers) < len(steps):
                return broken_finding(f"it was not answered ({run.evidence.status})", "status")
            last = answers[-1].observed
            if expected_steps != [test.input]:
                several = observed.value[-len(expected_steps) :]
                last = replace(observed, value=several, response=last.response)
            evidence = replace(run.evidence, observed=last)
            answer = judge_functional_test(replace(run, test=test, evidence=evidence))
            sentence = f"as {test.id}: {answer.why}"
            if answer.outcome is Outcome.UNKNOWN:
                return undecidable_finding(sentence, *answer.rests_on)
            return decided_finding(answer.outcome is Outcome.PASS, sentence, *answer.rests_on)
        return undecidable_finding("the last call or request is that of no functional test")


class Distinct(Probe):
    """No two members of the list that was returned are equal."""

    def check(self, run: Case) -> Conclusion:
        observed = run.evidence.observed
        answer = summarize_answer(run.evidence)
        members = observed.value if isinstance(observed.value, list) else []
        if observed.kind != "value" or len(members) < 2:
            return undecidable_finding(f"there are no two members to compare: {answer}")
        if any(isinstance(m, dict) and "raises" in m for m in members):
            return undecidable_finding(f"a call raised: {answer}", "value")
        texts = {json.dumps(m, sort_keys=True) for m in members}
        sentence = f"{len(members)} members, {len(texts)} different ones"
        return decided_finding(len(texts) == len(members), sentence, "value")
