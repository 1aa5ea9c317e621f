"""What a probe is: keys, a promise, an example, and a check that says held, broken or neither.

A new probe is one class in `answers`, `effects`, `web` or `sinks`. The parser of tests.json, the
sentences about mistakes, the JSON schema and the documentation are made from it: the name "no_open"
from the class NoOpen, the keys from its fields, the promise from its docstring.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, TypeAdapter, WithJsonSchema
from pydantic.fields import FieldInfo

from kit.core.form import Form, describe_value, validation_error
from kit.core.records import Outcome, Reason
from kit.harness.wording import shorten_value
from kit.oracle.facts import Case, Conclusion

VOCABULARY: dict[str, type["Probe"]] = {}


class Probe(Form):
    """One thing to look for. A class whose name begins with "_" only shares code with others.

    example: its keys as a test has them. keeps: whether its `path` is to stay as it was, so that a
    fixture or a service of the task must have it.
    """

    noun: ClassVar[str] = "key"
    example: ClassVar[Mapping[str, Any]] = {}
    keeps: ClassVar[bool] = False
    probe: str

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        if not cls.__name__.startswith("_"):
            VOCABULARY[cls.name()] = cls

    @classmethod
    def name(cls) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def keys(cls) -> dict[str, FieldInfo]:
        return {key: field for key, field in super().keys().items() if key != "probe"}

    @abstractmethod
    def check(self, run: Case) -> Conclusion:
        """What it finds in a run; not called if no program ran or nothing was observed."""

    def inner(self) -> Sequence["Probe"]:
        """The probes that this one combines."""
        return ()


def parse_probe(written: Any) -> Probe:
    """The probe of a JSON object; raises pydantic's error for a mistake in it."""
    name = written.get("probe") if isinstance(written, dict) else None
    if not isinstance(name, str) or not name:
        raise validation_error(
            f' must be an object with a text "probe", got {describe_value(written)}.'
        )
    if name not in VOCABULARY:
        raise validation_error(f": unknown probe {name!r}; use one of: {', '.join(VOCABULARY)}.")
    return VOCABULARY[name].model_validate(written)


# Pydantic allows no "$ref" of ours: authoring.schema puts it in this place.
PLACEHOLDER = {"$dynamicRef": "#probe"}
AnyProbe = Annotated[
    Probe, PlainValidator(parse_probe), WithJsonSchema(PLACEHOLDER), Field(title="a probe")
]
ANY_PROBE: TypeAdapter[Probe] = TypeAdapter(AnyProbe)


def list_leaf_probes(probes: Iterable[Probe]) -> Iterator[Probe]:
    """The probes that look at a run, without any, all and not, which combine them at any depth."""
    for probe in probes:
        combined = probe.inner()
        if combined:
            yield from list_leaf_probes(combined)
        else:
            yield probe


def join_findings(findings: Iterable[Conclusion], *order: Outcome) -> Conclusion:
    """The first outcome of the order that a finding has, with the sentences of all that have it."""
    by_outcome: dict[Outcome, list[Conclusion]] = {}
    for finding in findings:
        by_outcome.setdefault(finding.outcome, []).append(finding)
    deciding = by_outcome[next(filter(by_outcome.__contains__, order))]
    rests_on: dict[str, None] = {}
    for finding in deciding:
        rests_on |= dict.fromkeys(finding.rests_on)
    sentences = "; ".join(finding.why for finding in deciding)
    return replace(deciding[0], why=sentences, rests_on=tuple(rests_on))


def require_all(findings: Iterable[Conclusion]) -> Conclusion:
    """Broken if one is, else undecidable if one is, else held."""
    return join_findings(findings, Outcome.FAIL, Outcome.UNKNOWN, Outcome.PASS)


def require_any(findings: Iterable[Conclusion]) -> Conclusion:
    """Held if one is, else undecidable if one is, else broken."""
    return join_findings(findings, Outcome.PASS, Outcome.UNKNOWN, Outcome.FAIL)


def held_finding(sentence: str, *rests_on: str) -> Conclusion:
    return Conclusion(Outcome.PASS, Reason.PROBE_HELD, sentence, rests_on)


def broken_finding(sentence: str, *rests_on: str) -> Conclusion:
    return Conclusion(Outcome.FAIL, Reason.PROBE_BROKEN, sentence, rests_on)


def decided_finding(holds: bool, sentence: str, *rests_on: str) -> Conclusion:
    return held_finding(sentence, *rests_on) if holds else broken_finding(sentence, *rests_on)


def undecidable_finding(sentence: str, *rests_on: str) -> Conclusion:
    return Conclusion(Outcome.UNKNOWN, Reason.NO_EVIDENCE, sentence, rests_on)


def describe_pattern(text: str, regex: str) -> str:
    """The text in quotes, or the /regex/ where there is no text, for a sentence."""
    if text:
        return repr(shorten_value(text, 60))
    return f"/{shorten_value(regex, 60)}/"
