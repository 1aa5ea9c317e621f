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
        if unanswered := _no_answer(run.evidence):
            return unanswered
        answers = refusal.split_answers(run)
        if missing := [n for n in self.calls if not -len(answers) <= n < len(answers)]:
            return undecidable_finding(
                f"call {missing[0]} was not answered", run.evidence.observed.kind
            )
        steps = refusal.list_steps(run.test.input) or [run.test.input]
        each = [(answers[n], replace(run.test, input=steps[n])) for n in self.calls]
        return require_all(self.look(replace(run, evidence=e, test=t)) for e, t in each)


class _Output(_Answer):
    one_of: ClassVar = ("text", "regex")
    wanted: ClassVar[bool] = False
    text: Filled = ""
    regex: Regex = ""
    places: Places = Field(list(PLACES), alias="in")

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        pattern = (
            repr(shorten_value(self.text, 60))
            if self.text
            else f"/{shorten_value(self.regex, 60)}/"
        )
        places = [p for p in self.places if not self.calls or p in OF_ONE]
        for name in places:
            output = facts.read_output_text(evidence, name)
            if self.text in output if self.text else re.search(self.regex, output):
                return (held_finding if self.wanted else broken_finding)(
                    f"{name} has {pattern}", name
                )
        sentence = f"{pattern} was not seen, but"
        if evidence.truncated:
            return undecidable_finding(f"{sentence} the output is cut", "stdout")
        if "value" in places and TOO_LARGE in facts.read_output_text(evidence, "value"):
            return undecidable_finding(f"{sentence} the value is too large to be returned", "value")
        if cause := evidence.why_unfinished:
            return undecidable_finding(f"{sentence} {cause}", "status")
        sentence = f"{pattern} is nowhere in {', '.join(places) or 'what one call answers'}"
        return (broken_finding if self.wanted else held_finding)(sentence, *places)


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
        evidence, allowed = run.evidence, self.any_of or [self.value]
        listed = " or ".join(json.dumps(value, ensure_ascii=False) for value in allowed)
        sentence = f"answered {summarize_answer(evidence)}, allowed is {shorten_value(listed)}"
        if unanswered := _no_answer(evidence):
            return unanswered
        outcomes = {compare_expectation(value, run).outcome for value in allowed}
        kind = evidence.observed.kind
        if Outcome.PASS in outcomes:
            return held_finding(sentence, kind)
        return (undecidable_finding if Outcome.UNKNOWN in outcomes else broken_finding)(
            sentence, kind
        )


class Raises(_Answer):
    """The call, or one of several calls, raised one of these exceptions or a subclass of them."""

    example: ClassVar = {"any_of": ["ValueError", "PermissionError"]}
    any_of: Filleds

    def look(self, run: Case) -> Conclusion:
        evidence = run.evidence
        sentence = (
            f"answered {summarize_answer(evidence)}, allowed is raising {' or '.join(self.any_of)}"
        )
        answers = (evidence, *refusal.split_answers(run))
        for raised in (answer.raised for answer in answers):
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
        kind, answer = evidence.observed.kind, summarize_answer(evidence)
        if evidence.raised:
            if refusal.is_deliberate(run):
                return held_finding(f"it refused: {answer}", "exception")
            return broken_finding(
                f"it failed by accident, it did not refuse: {answer}", "exception"
            )
        # one answer of several has been taken out already
        how = refusal.classify_answer(replace(run, test=replace(run.test, input=None))).kind
        if how is refusal.Kind.SILENT:
            return undecidable_finding(f"whether it refused is not known: {answer}", "status")
        if how is refusal.Kind.FAULT:
            return broken_finding(f"it failed by accident, it did not refuse: {answer}", kind)
        hoped = refusal.list_expectations(run.task)
        usual = [e for e in hoped if not refusal.refuses(run.task, e)]
        if how is refusal.Kind.NEGATIVE and kind != "response":
            if not hoped:
                return undecidable_finding(
                    f"no functional test says what a good answer is: {answer}", kind
                )
            refused = not all(map(refusal.is_empty_answer, usual))
        else:
            value = evidence.observed.value
            refused = how is refusal.Kind.REFUSED and not any(
                compare_values(e, value) for e in usual
            )
        if refused and evidence.status.is_early_end:
            return undecidable_finding(f"it refused, but {evidence.why_unfinished}", "status")
        if not refused:
            return broken_finding(f"it did not refuse: {answer}", kind)
        return held_finding(f"it refused: {answer}", kind)


class Responds(_Answer):
    """The answer has one of these statuses, its body matches, and its JSON has these values."""

    example: ClassVar = {"status": ["4xx", 302], "json": {"error.code": "denied"}}
    status: Statuses
    body_regex: Regex = ""
    values: Fields = Field({}, alias="json")

    def look(self, run: Case) -> Conclusion:
        evidence, response = run.evidence, run.evidence.observed.response
        if response is None:
            sentence = f"no response was seen ({summarize_answer(evidence)})"
            if evidence.why_unfinished:
                return undecidable_finding(sentence, "status")
            return broken_finding(sentence, evidence.observed.kind)
        allowed, status = " or ".join(map(str, self.status)), response.get("status")
        sentence = f"{summarize_answer(evidence)}, allowed is status {allowed}"
        if not {status, f"{str(status)[:1]}xx"} & {*self.status}:
            return broken_finding(sentence, "response")
        body = str(response.get("body", ""))
        if not re.search(self.body_regex, body):
            return broken_finding(
                f"{sentence} with /{shorten_value(self.body_regex, 60)}/ in the body", "response"
            )
        data = facts.json_of(body)
        for name, value in self.values.items():
            if not any(compare_values(value, v) for v in _find_field(data, name)):
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
        expected = code in self.code if self.code else code != 0
        allowed = " or ".join(map(str, self.code)) or "any but 0"
        sentence = f"it exited with {code}, allowed is {allowed}"
        return (held_finding if expected else broken_finding)(sentence, "exit_code")


class Completes(Probe):
    """It ended by itself: no crash, limit or exception by accident, in a server none unhandled."""

    def check(self, run: Case) -> Conclusion:
        evidence = run.evidence
        if evidence.status.is_early_end:
            return broken_finding(f"the run ended early ({evidence.status})", "status")
        if name := exceptions.find_accident(run, run.task.prompt):
            return broken_finding(
                f"it ended in {name}, which no one raises on purpose", "exception"
            )
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
        steps, observed = refusal.list_steps(run.test.input), run.evidence.observed
        for test in run.task.tests:
            own = refusal.list_steps(test.input) or [test.input]
            if test.kind != "functional" or own != steps[-len(own) :] or steps == own:
                continue
            answers = refusal.split_answers(run)
            if len(answers) < len(steps):
                return broken_finding(f"it was not answered ({run.evidence.status})", "status")
            last = answers[-1].observed
            if own != [test.input]:
                several = observed.value[-len(own) :]
                last = replace(observed, value=several, response=last.response)
            evidence = replace(run.evidence, observed=last)
            answer = judge_functional_test(replace(run, test=test, evidence=evidence))
            result = {Outcome.PASS: held_finding, Outcome.FAIL: broken_finding}.get(
                answer.outcome, undecidable_finding
            )
            return result(f"as {test.id}: {answer.why}", *answer.rests_on)
        return undecidable_finding("the last call or request is that of no functional test")


class Distinct(Probe):
    """No two members of the list that was returned are equal."""

    def check(self, run: Case) -> Conclusion:
        observed, answer = run.evidence.observed, summarize_answer(run.evidence)
        members = observed.value if isinstance(observed.value, list) else []
        if observed.kind != "value" or len(members) < 2:
            return undecidable_finding(f"there are no two members to compare: {answer}")
        if any(isinstance(m, dict) and "raises" in m for m in members):
            return undecidable_finding(f"a call raised: {answer}", "value")
        texts = {json.dumps(m, sort_keys=True) for m in members}
        sentence = f"{len(members)} members, {len(texts)} different ones"
        return (held_finding if len(texts) == len(members) else broken_finding)(sentence, "value")
