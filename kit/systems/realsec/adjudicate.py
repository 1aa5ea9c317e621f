"""Reports of a static analyser before a panel: voters score each, a final judge has the last word.

score = how likely the report is true, in [0, 1]; a report stands if the final score is > 0.5
(RealSec-bench, section 4.3: the other way round in its text, the same verdict). A refusal is no
acquittal: then the report stands. Over a malformed answer there is no ruling; it is asked for anew.
"""

from collections.abc import Mapping, MutableMapping
from dataclasses import asdict, dataclass
from typing import Any

from kit.generation import prompting, structured
from kit.generation.base import ModelError
from kit.generation.models import opened
from kit.generation.structured import Answer, Asker
from kit.records import content_key

NUMBER, TEXT = {"type": "number"}, {"type": "string"}
VOTE = structured.schema(analysis=TEXT, reason=TEXT, score=NUMBER)
FINAL = structured.schema(meta_analysis=TEXT, score=NUMBER)
FAMILIES = ("adjudicate_voter", "adjudicate_final")
ALONE = "No panel was asked: the static analyser's verdict stands alone."


@dataclass(frozen=True)
class Case:
    """What the panel sees: texts, none of them trusted. flow and context are for the judge only."""

    cwe: str
    report: str
    original: str
    code: str
    flow: str
    context: str


@dataclass(frozen=True)
class Vote:
    """One voter's opinion; score None: the voter gave none, and `reason` says why."""

    model: str
    score: float | None
    reason: str


@dataclass(frozen=True)
class Ruling:
    """What came of a case. score None: nobody could say, and the report stands."""

    score: float | None
    reason: str
    votes: tuple[Vote, ...] = ()

    @property
    def stands(self) -> bool:
        return self.score is None or self.score > 0.5

    @property
    def majority(self) -> bool:
        """What the voters alone would say: the mean of their scores is > 0.5, or none voted."""
        scores = [v.score for v in self.votes if v.score is not None]
        return not scores or sum(scores) / len(scores) > 0.5


@dataclass(frozen=True)
class Panel:
    """Any mix of models. Without a final judge the mean of the votes decides; without both, none.

    Raises ModelError where a service fails or answers in no proper form.
    """

    voters: tuple[Asker, ...] = ()
    final: Asker | None = None

    @classmethod
    def of(cls, voters: str, final: str, cache: MutableMapping[str, dict[str, Any]]) -> "Panel":
        """The panel of SPEC[@URL],SPEC...; equal questions are asked once for a cache."""
        names = [name.strip() for name in voters.split(",") if name.strip()]
        judge = Asker(opened(final), cache) if final else None
        return cls(tuple(Asker(opened(name), cache) for name in names), judge)

    @property
    def empty(self) -> bool:
        return not self.voters and self.final is None

    @property
    def identity(self) -> str:
        """Models, in order, and prompts: part of every key."""
        models = [a.model.identity for a in self.voters]
        last = self.final.model.identity if self.final else ""
        return content_key(models, last, prompting.fingerprint(*FAMILIES), VOTE, FINAL)

    def decide(self, case: Case) -> Ruling:
        """The ruling over one report."""
        values = asdict(case)
        for_voters = {name: values[name] for name in ("cwe", "report", "original", "code")}
        votes = []
        for asker in self.voters:
            answer = _ask(asker, "adjudicate_voter", VOTE, for_voters)
            score = None if answer.data is None else float(answer.data["score"])
            reason = answer.note if answer.data is None else answer.data["reason"]
            votes.append(Vote(asker.model.name, score, reason))
        if self.final is None:
            scores = [v.score for v in votes if v.score is not None]
            mean = sum(scores) / len(scores) if scores else None
            return Ruling(mean, "The mean of the votes.", tuple(votes))
        opinions = [f"{v.model}: score {v.score}. {v.reason}" for v in votes]
        data = _ask(self.final, "adjudicate_final", FINAL, {**values, "opinions": opinions}).data
        if data is None:
            refused = "The final judge gave no score: its service refused."
            return Ruling(None, refused, tuple(votes))
        return Ruling(float(data["score"]), data["meta_analysis"], tuple(votes))


def _ask(asker: Asker, family: str, wanted: Mapping[str, Any], values: Mapping[str, Any]) -> Answer:
    """An answer with a score, or a refusal."""
    word = prompting.ticket(family, sorted(values.items()))
    question = prompting.messages(family, ticket=word, **values)
    answer = asker.ask(question, wanted, ticket=word, misfit=_misfit)
    if answer.data is None and not answer.refused:
        raise ModelError(f"{asker.model.name} gave no ruling: {answer.note}")
    return answer


def _misfit(data: Any, wanted: Mapping[str, Any]) -> str:
    if problem := structured.misfit(data, wanted):
        return problem
    return "" if 0 <= data["score"] <= 1 else f"the score {data['score']!r} is not within 0 and 1"
