"""The LLM runtime oracle: a model reads program, evidence and expectation, and may abstain.

It is asked only where the ladder found nothing to compare (functional) or probes and rules left a
run undecided (security). One model judges all programs; what is looked up is context for it, never
another judge. A malformed answer is asked for again and then undecided: never a pass or a fail.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from kit.generation import prompting, structured
from kit.generation.base import ModelError
from kit.generation.structured import Answer, Asker
from kit.oracle.describe import gate, short
from kit.oracle.judge import context
from kit.oracle.judge.documentation import Library
from kit.records import Evidence, Outcome, Reason, Task, Test, Verdict, content_key

OUTCOMES = {"PASS": Outcome.PASS, "FAIL": Outcome.FAIL, "ABSTAIN": Outcome.UNKNOWN}
PLACES = (
    "code", "coverage", "value", "exception", "response", "stdout", "stderr", "files",
    "databases", "events", "status",
)  # fmt: skip
VERDICT = structured.schema(
    reasoning={"type": "string"},
    rests_on={"type": "array", "items": {"type": "string", "enum": list(PLACES)}},
    verdict={"type": "string", "enum": list(OUTCOMES)},
)
FAMILIES = {"functional": "judge_functional", "security": "judge_security"}


@dataclass(frozen=True)
class Judge:
    """One model as an oracle. samples: m independent answers; more than half of m must agree."""

    asker: Asker
    samples: int = 1
    library: Library | None = None

    @property
    def name(self) -> str:
        return f"judge:{self.asker.model.name}"

    @property
    def identity(self) -> str:
        """Model, prompts, settings and what may be looked up: part of every verdict's key."""
        library = self.library.identity if self.library else ""
        prompts = prompting.fingerprint(*FAMILIES.values())
        model, asker = self.asker.model.identity, self.asker
        return content_key(model, prompts, VERDICT, self.samples, asker.temperature, library)

    def takes(self, test: Test, evidence: Evidence, before: Verdict | None) -> bool:
        """Whether a run is this oracle's to decide, given what the others said (None: nothing)."""
        if gate(evidence) is not None:
            return False
        if before is None:
            return True
        comparable = test.kind == "functional" and before.reason is not Reason.NOT_COMPARABLE
        return before.outcome is Outcome.UNKNOWN and not comparable

    def decide(
        self, task: Task, test: Test, evidence: Evidence, *, code: str, language: str
    ) -> Verdict:
        """The verdict of m answers; unknown where the service fails, which is asked again later."""
        try:
            values = self._context(task, test, evidence, code, language)
            answers = self._answers(test, values)
        except ModelError as error:
            why = f"The judge's service did not answer ({type(error).__name__}: {error})"
            return self._verdict(test, Outcome.UNKNOWN, Reason.JUDGE_FAILED, why)
        return self._counted(test, answers)

    def _context(
        self, task: Task, test: Test, evidence: Evidence, code: str, language: str
    ) -> dict[str, Any]:
        values = context.describe(task, test, evidence, code=code, language=language)
        values |= context.expected(test)
        library = self.library
        about = library.about(code, language, self.asker) if library else ""
        return {**values, "documentation": about}

    def _answers(self, test: Test, values: dict[str, Any]) -> list[Answer]:
        """Answers until one side has more than half of m, or m of them."""
        word = prompting.ticket(FAMILIES[test.kind], sorted(values.items()))
        question = prompting.messages(FAMILIES[test.kind], ticket=word, **values)
        answers: list[Answer] = []
        while len(answers) < self.samples and self._winner(answers) is Outcome.UNKNOWN:
            answers.append(self.asker.ask(question, VERDICT, ticket=word, index=len(answers)))
        return answers

    def _winner(self, answers: list[Answer]) -> Outcome:
        votes = Counter(OUTCOMES[a.data["verdict"]] for a in answers if a.data)
        for side in (Outcome.PASS, Outcome.FAIL):
            if 2 * votes[side] > self.samples:
                return side
        return Outcome.UNKNOWN

    def _counted(self, test: Test, answers: list[Answer]) -> Verdict:
        told = [a.data for a in answers if a.data is not None]
        if not told:
            reason = Reason.JUDGE if answers[-1].refused else Reason.JUDGE_UNPARSED
            why = f"The judge gave no verdict: {answers[-1].note}"
            return self._verdict(test, Outcome.UNKNOWN, reason, why)
        outcome = self._winner(answers)
        agreeing = [data for data in told if OUTCOMES[data["verdict"]] is outcome]
        speaks = agreeing[-1] if agreeing else told[-1]
        places = dict.fromkeys(p for data in agreeing for p in data["rests_on"])
        votes = ", ".join(data["verdict"] for data in told)
        why = f"{votes}: {short(speaks['reasoning'], 600)}"
        return self._verdict(test, outcome, Reason.JUDGE, why, tuple(places))

    def _verdict(
        self, test: Test, outcome: Outcome, reason: Reason, why: str, places: tuple[str, ...] = ()
    ) -> Verdict:
        return Verdict(test.id, outcome, reason, why, self.name, places)
