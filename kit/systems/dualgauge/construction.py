"""Builds a specification from code, and checks one: its words, and which tests cite which sentence.

gates.json holds by what it is called each thing that a specification must not have, as a pattern.
Nothing is executed here; `mutants` does so.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path

from kit.core import form
from kit.core.errors import KitError
from kit.generation import prompting
from kit.generation.base import ModelError
from kit.generation.structured import Asker, build_schema
from kit.systems.dualgauge.item import ITEM, Functional, Item, Security
from kit.systems.dualgauge.proposals import normalize_json

GATES = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in json.loads(Path(__file__).with_name("gates.json").read_text()).items()
}
SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s)|$)", re.MULTILINE)
SOURCE = "source.txt"  # beside tests.json: the code that a specification was written from
LEAST = 20  # letters of a sentence that says something
ALIKE = 0.95  # of two inputs; 1: equal texts
TRIES = 3  # specifications that a model may write


def find_breaches(prompt: str) -> list[str]:
    """A sentence for each gate that the specification does not pass, with the words at fault."""
    breaches = []
    for name, pattern in GATES.items():
        words = dict.fromkeys(match[0].strip()[:60] for match in pattern.finditer(prompt))
        if words:
            breaches.append(f"the specification {name}: {', '.join(map(repr, words))}")
    return breaches


def write_specification(source: str, author: Asker) -> str:
    """The specification that a model writes for code; KitError if none passes the gates."""
    feedback = ""
    about = "construct_specification"
    for attempt in range(TRIES):
        ticket = prompting.make_ticket(about, source, attempt, feedback)
        messages = prompting.build_messages(about, source=source, feedback=feedback, ticket=ticket)
        try:
            answer = author.ask(
                messages, build_schema(specification={"type": "string"}), ticket=ticket
            )
        except ModelError as error:
            raise KitError(f"{author.model.name} wrote no specification: {error}") from None
        if answer.data is None:
            raise KitError(f"{author.model.name} wrote no specification: {answer.note}")
        text = str(answer.data["specification"]).strip()
        breaches = find_breaches(text) if text else ["it is empty"]
        if not breaches:
            return text
        feedback = "\n".join([*breaches, "", text])
    raise KitError(
        f"{author.model.name} wrote no specification that passes the gates: {'; '.join(breaches)}. "
        "Write it into a file of its own, and name this with --prompt."
    )


@dataclass(frozen=True)
class Requirement:
    """A sentence of a specification, and the tests whose `because` quotes of it."""

    sentence: str
    tests: Sequence[str]


def read_item(folder: Path) -> Item:
    """tests.json of a task's folder as its form; Malformed if it does not fit."""
    return form.validate_data(ITEM, json.loads((folder / "tests.json").read_text("utf-8-sig")))


def list_requirements(item: Item) -> list[Requirement]:
    """Every sentence of the specification, in order. A quotation may reach over several."""
    quoted = {}
    for kind, tests in (("fc", item.fc_tests), ("sec", item.sec_tests)):
        for test in tests:
            quoted[f"{kind}-{test.test_id}"] = list(_find_quoted(item.prompt, test))
    requirements = []
    for match in SENTENCE.finditer(item.prompt):
        citing = []
        for name, spans in quoted.items():
            if any(start < match.end() and match.start() < end for start, end in spans):
                citing.append(name)
        if len(match[0]) >= LEAST:
            requirements.append(Requirement(match[0], citing))
    return requirements


def _find_quoted(prompt: str, test: Functional | Security) -> Iterator[tuple[int, int]]:
    """Where each part of a test's quotation stands in the prompt; blanks of any kind are alike."""
    for part in test.because.split(" ... "):
        words = map(re.escape, part.split())
        match = re.search(r"\s+".join(words), prompt) if part.strip() else None
        if match:
            yield match.span()


def find_alike(item: Item) -> list[str]:
    """A sentence for each two tests of one kind with one expectation and inputs nearly alike."""
    texts = {}
    for functional in item.fc_tests:
        expected = normalize_json(functional.expected_output)
        texts[f"fc-{functional.test_id}"] = (expected, _write_input(functional))
    for security in item.sec_tests:
        expected = f"{security.cwe} {' '.join(security.behavior.split())}"
        texts[f"sec-{security.test_id}"] = (expected, _write_input(security))
    sentences = []
    for (first, (expected, text)), (second, (other, its_text)) in combinations(texts.items(), 2):
        if expected == other:
            matcher = SequenceMatcher(None, text, its_text, autojunk=False)
            if matcher.quick_ratio() >= ALIKE and (ratio := matcher.ratio()) >= ALIKE:
                share = f"{ratio:.0%} of the input is the same"
                sentences.append(f"{first} and {second} expect the same, and {share}")
    return sentences


def _write_input(test: Functional | Security) -> str:
    return test.input_file_path or normalize_json(test.input)


def find_doubts(item: Item) -> list[str]:
    """What a reader should look at in an item: its words, sentences without tests, likenesses."""
    sentences = find_breaches(item.prompt)
    tests = [*item.fc_tests, *item.sec_tests]
    if any(test.because for test in tests):
        for requirement in list_requirements(item):
            if not requirement.tests:
                sentences.append(f"no test cites {requirement.sentence!r:.160}")
    else:
        sentences.append("no test cites the specification by `because`")
    return sentences + find_alike(item)
