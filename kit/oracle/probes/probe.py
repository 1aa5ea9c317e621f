"""What a probe is: keys, a promise, an example, and a check that says held, broken or neither.

A new probe is one class in `answers`, `effects`, `web` or `sinks`. The parser of tests.json, the
sentences about mistakes, the JSON schema and the documentation are made from it: the name "no_open"
from the class NoOpen, the keys from its fields, the promise from its docstring.
"""

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import Field, PlainValidator, TypeAdapter, WithJsonSchema
from pydantic.fields import FieldInfo

from kit.form import Form, mistake, shown
from kit.records import Evidence, Task, Test


class State(StrEnum):
    HELD = "held"
    BROKEN = "broken"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True)
class ProbeResult:
    """The result of one probe for one run."""

    state: State
    sentence: str
    rests_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProbeContext:
    """What a probe may look at. attack: for a variant, the run of the test's own input."""

    task: Task
    test: Test
    evidence: Evidence
    language: str = "python"
    attack: Evidence | None = None


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
    def check(self, run: ProbeContext) -> ProbeResult:
        """The result for a run; not called if no program ran or nothing was observed."""

    def inner(self) -> Sequence["Probe"]:
        """The probes that this one combines."""
        return ()


def parsed(written: Any) -> Probe:
    """The probe of a JSON object; raises pydantic's error for a mistake in it."""
    name = written.get("probe") if isinstance(written, dict) else None
    if not isinstance(name, str) or not name:
        raise mistake(f' must be an object with a text "probe", got {shown(written)}.')
    if name not in VOCABULARY:
        raise mistake(f": unknown probe {name!r}; use one of: {', '.join(VOCABULARY)}.")
    return VOCABULARY[name].model_validate(written)


# Pydantic allows no "$ref" of ours: authoring.schema puts it in this place.
PLACEHOLDER = {"$dynamicRef": "#probe"}
AnyProbe = Annotated[
    Probe, PlainValidator(parsed), WithJsonSchema(PLACEHOLDER), Field(title="a probe")
]
ANY_PROBE: TypeAdapter[Probe] = TypeAdapter(AnyProbe)


def leaves(probes: Iterable[Probe]) -> Iterator[Probe]:
    """The probes that look at a run, without any, all and not, which combine them at any depth."""
    for probe in probes:
        if combined := probe.inner():
            yield from leaves(combined)
        else:
            yield probe


def joined(results: Iterable[ProbeResult], *order: State) -> ProbeResult:
    """The first state of the order that a result has, with the sentences of those that have it."""
    results = list(results)
    state = next(s for s in order if any(r.state is s for r in results))
    deciding = [r for r in results if r.state is state]
    rests_on = tuple(dict.fromkeys(place for r in deciding for place in r.rests_on))
    return ProbeResult(state, "; ".join(r.sentence for r in deciding), rests_on)


def every(results: Iterable[ProbeResult]) -> ProbeResult:
    """Broken if one is, else undecidable if one is, else held."""
    return joined(results, State.BROKEN, State.UNDECIDABLE, State.HELD)


def some(results: Iterable[ProbeResult]) -> ProbeResult:
    """Held if one is, else undecidable if one is, else broken."""
    return joined(results, State.HELD, State.UNDECIDABLE, State.BROKEN)


def held(sentence: str, *rests_on: str) -> ProbeResult:
    return ProbeResult(State.HELD, sentence, rests_on)


def broken(sentence: str, *rests_on: str) -> ProbeResult:
    return ProbeResult(State.BROKEN, sentence, rests_on)


def undecidable(sentence: str, *rests_on: str) -> ProbeResult:
    return ProbeResult(State.UNDECIDABLE, sentence, rests_on)
