"""The LLM runtime oracle: a model reads program, evidence and expectation, and may abstain.

It is asked only if the ladder has nothing to compare (functional) or probes and rules leave a run
undecided (security). One model judges all programs. It names the interfaces of a program that it
does not know; another model may search the web for them, or the documentation installed in the box
is read. Either adds context and is never another judge. A malformed answer is asked for again and
then leaves the test undecided: it is never a pass or a fail.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kit.core.languages import LANGUAGES
from kit.core.records import Evidence, Outcome, Reason, Task, Test, Verdict, content_key
from kit.generation import prompting, structured
from kit.generation.answering import fetch_response
from kit.generation.base import BadRequest, Model, ModelError
from kit.generation.structured import Asker, StructuredAnswer
from kit.harness import box_files, wording
from kit.harness.languages import READERS
from kit.harness.wording import shorten_value
from kit.oracle.facts import judge_without_run
from kit.sandbox.base import Sandbox

OUTCOMES = {"PASS": Outcome.PASS, "FAIL": Outcome.FAIL, "ABSTAIN": Outcome.UNKNOWN}
PLACES = (
    "code",
    "coverage",
    "value",
    "exception",
    "response",
    "stdout",
    "stderr",
    "files",
    "databases",
    "events",
    "status",
)
VERDICT = structured.build_schema(
    reasoning={"type": "string"},
    rests_on={"type": "array", "items": {"type": "string", "enum": list(PLACES)}},
    verdict={"type": "string", "enum": list(OUTCOMES)},
)
FAMILIES = {"functional": "judge_functional", "security": "judge_security"}
MOST = 6  # interfaces looked up for one program
CHARS = 2000  # of each
GAPS = structured.build_schema(unknown={"type": "array", "items": {"type": "string"}})
MOST_NAMES = 200  # of one program; a generated one may have thousands
_NAME = re.compile(r"[A-Za-z_@][\w./:@-]{0,120}")


@dataclass(frozen=True)
class Library:
    """Looks up interfaces. box: has installed documentation; resolver: a model that may search."""

    box: Sandbox | None = None
    resolver: Model | None = None

    @property
    def identity(self) -> str:
        names = prompting.hash_templates("documentation", "documentation_gaps")
        resolver = self.resolver.identity if self.resolver else ""
        return content_key(names, resolver, self.box.identity if self.box else "")

    def about(self, code: str, language: str, asker: Asker) -> str:
        """Documentation of the interfaces of a program that the judge does not know, or ""."""
        names = self.gaps(list_interfaces(code, language), language, asker)
        if not names:
            return ""
        text = self._search_web(names, language, asker)
        return text or self.read_documentation(names, language, asker)

    def gaps(self, used: Sequence[str], language: str, asker: Asker) -> tuple[str, ...]:
        """Those of these interfaces that the judge says it does not know."""
        if not used:
            return ()
        word = prompting.make_ticket("gaps", language, *used)
        question = prompting.build_messages(
            "documentation_gaps",
            language=LANGUAGES[language].title,
            symbols="\n".join(used),
            ticket=word,
            most=MOST,
        )
        answer = asker.ask(question, GAPS, ticket=word)
        unknown = dict.fromkeys((answer.data or {}).get("unknown", ()))
        return tuple(name for name in unknown if name in used)[:MOST]

    def _search_web(self, names: tuple[str, ...], language: str, asker: Asker) -> str:
        """What the resolver says from the web; "" if there is none, or it cannot search."""
        model = structured.add_web_search(self.resolver) if self.resolver else None
        if model is None:
            return ""
        title = LANGUAGES[language].title
        question = prompting.build_messages(
            "documentation", language=title, symbols="\n".join(names)
        )
        key = content_key("documentation", model.identity, question)
        sampling = {"max_tokens": structured.ANSWER_TOKENS}
        try:
            answer = fetch_response(model, question, sampling, 0, key, asker.cache, asker.budget)
        except BadRequest:  # a server that speaks the format and has no search
            return ""
        return "" if answer.refused else answer.text.strip()

    def read_documentation(self, names: tuple[str, ...], language: str, asker: Asker) -> str:
        """The documentation of the libraries in the box, by Python's pydoc."""
        if self.box is None or language != "python":
            return ""
        key = content_key("installed", self.box.identity, names, CHARS)
        if key not in asker.cache:
            runner = "kit_docs.py"
            files = box_files.job(self.box, runner, {"names": names, "chars": CHARS})
            evidence = self.box.run(box_files.runner_command(runner), files=files)
            texts = box_files.read_answers(evidence.channel).part("docs")
            parts = []
            for name in names:
                text = texts.get(name, "no documentation is installed")
                parts.append(f"{name}\n{text}")
            asker.cache[key] = {"text": "\n\n".join(parts)}
        return str(asker.cache[key]["text"])


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
        """A key of model, prompts, settings and library: part of the key of every verdict."""
        library = self.library.identity if self.library else ""
        prompts = prompting.hash_templates(*FAMILIES.values())
        asker = self.asker
        return content_key(
            asker.model.identity, prompts, VERDICT, self.samples, asker.temperature, library
        )

    def takes(self, test: Test, evidence: Evidence, before: Verdict | None) -> bool:
        """Whether this oracle decides a run, given the verdict of the others (None: none)."""
        if judge_without_run(evidence) is not None:
            return False
        if test.kind == "security" and (evidence.lost or evidence.find_unsettled_attempt()):
            return False  # a model, too, could only guess at what was lost
        if before is None:
            return True
        if test.kind == "functional" and before.reason is not Reason.NOT_COMPARABLE:
            return False
        return before.outcome is Outcome.UNKNOWN

    def decide(
        self, task: Task, test: Test, evidence: Evidence, *, code: str, language: str
    ) -> Verdict:
        """The verdict of m answers; unknown if the service fails, which is asked again later."""
        values = build_prompt_values(task, test, evidence, code=code, language=language)
        if test.kind == "functional":
            values["expected"] = json.dumps(test.expected, ensure_ascii=False, indent=1)
        else:
            values |= {"behavior": test.behavior, "cwe": test.cwe}
        library = self.library
        try:
            values["documentation"] = library.about(code, language, self.asker) if library else ""
            answers = self._collect_answers(test, values)
        except ModelError as error:
            sentence = f"The judge's service did not answer ({type(error).__name__}: {error})"
            return Verdict(test.id, Outcome.UNKNOWN, Reason.JUDGE_FAILED, sentence, self.name)
        return self._count_votes(test, answers)

    def _collect_answers(self, test: Test, values: dict[str, Any]) -> list[StructuredAnswer]:
        """Answers until one side has more than half of m, or m of them."""
        word = prompting.make_ticket(FAMILIES[test.kind], sorted(values.items()))
        question = prompting.build_messages(FAMILIES[test.kind], ticket=word, **values)
        answers: list[StructuredAnswer] = []
        while len(answers) < self.samples and self._find_majority(answers) is Outcome.UNKNOWN:
            answers.append(self.asker.ask(question, VERDICT, ticket=word, index=len(answers)))
        return answers

    def _find_majority(self, answers: list[StructuredAnswer]) -> Outcome:
        valid = [answer.data for answer in answers if answer.data]
        votes = Counter(OUTCOMES[data["verdict"]] for data in valid)
        for side in (Outcome.PASS, Outcome.FAIL):
            if 2 * votes[side] > self.samples:
                return side
        return Outcome.UNKNOWN

    def _count_votes(self, test: Test, answers: list[StructuredAnswer]) -> Verdict:
        valid = [answer.data for answer in answers if answer.data is not None]
        if not valid:
            reason = Reason.JUDGE if answers[-1].refused else Reason.JUDGE_UNPARSED
            sentence = f"The judge gave no verdict: {answers[-1].note}"
            return Verdict(test.id, Outcome.UNKNOWN, reason, sentence, self.name)
        outcome = self._find_majority(answers)
        reason = Reason.JUDGE
        if outcome is Outcome.UNKNOWN and any(not (a.data or a.refused) for a in answers):
            reason = Reason.JUDGE_UNPARSED
        agreeing = [data for data in valid if OUTCOMES[data["verdict"]] is outcome]
        places: dict[str, None] = {}
        for data in agreeing:
            places |= dict.fromkeys(data["rests_on"])
        votes = ", ".join(data["verdict"] for data in valid)
        reasoning = (agreeing or valid)[-1]["reasoning"]
        sentence = f"{votes}: {shorten_value(reasoning, 600)}"
        return Verdict(test.id, outcome, reason, sentence, self.name, tuple(places))


def list_interfaces(code: str, language: str) -> tuple[str, ...]:
    """Qualified names of what a program uses, each once; empty if it cannot be parsed."""
    try:
        names = [*READERS[language](code).interfaces()] if language in READERS else []
    except (SyntaxError, RecursionError):
        return ()
    return tuple(name for name in dict.fromkeys(names) if _NAME.fullmatch(name))[:MOST_NAMES]


def build_prompt_values(
    task: Task, test: Test, evidence: Evidence, *, code: str, language: str
) -> dict[str, Any]:
    """The values of a judge's prompt, without its ticket and what was looked up."""
    if test.input_file:
        content = task.files.get(test.input_file, b"").decode(errors="replace")
        argument = f"the file {test.input_file}:\n{content}"
    else:
        argument = json.dumps(test.input, ensure_ascii=False, indent=1)
    databases = evidence.observed.databases
    return {
        "specification": task.prompt,
        "given": argument,
        "language": LANGUAGES[language].title,
        "covered": bool(evidence.observed.lines),
        "code": number_lines(code, evidence.observed.lines),
        "status": wording.describe_ending(evidence.round_usage()),
        "answer": wording.format_answer(evidence),
        "stdout": evidence.out,
        "stderr": evidence.err,
        "files": "\n".join(wording.describe_files(evidence)),
        "databases": "\n".join(f"-- {path}\n{dump}" for path, dump in databases.items()),
        "events": "\n".join(wording.describe_events(evidence)),
    }


def number_lines(code: str, covered: Iterable[int] = ()) -> str:
    """Each line of a program with its number, and * after the number if it ran."""
    run_lines = set(covered)
    lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    width = len(str(len(lines)))
    numbered = []
    for number, line in enumerate(lines, 1):
        mark = "*" if number in run_lines else " "
        numbered.append(f"{number:{width}}{mark} {line}")
    return "\n".join(numbered)
