"""Extracts the program from a model's answer; an answer without one still counts in n.

Every block is a candidate, and the language says what it is: whole, a sketch, data, a use.
"""

import re
import textwrap
from dataclasses import dataclass, replace

from kit.core.languages import is_console, looks_like, of_tag, resolve_alias
from kit.core.records import Sample, Status
from kit.generation.answering import with_response
from kit.generation.base import Response
from kit.harness.fences import Block, clean_answer, read_blocks
from kit.harness.languages import READERS
from kit.harness.languages.parts import ASYNC, SKETCH, WHOLE, Reading, read_parts
from kit.harness.shape import find_code_names

LONGEST = 1 << 20  # characters of an answer; no answer of a model comes near it
TRIES = 60  # lines behind a program without a fence that are tried as its end
BEGINS = re.compile(r"\s*(?:import \w|from [\w.]+ import |def \w|class \w|async def |@\w|#!)")
KIN = {"cpp": "c", "c": "cpp"}


@dataclass(frozen=True)
class Extraction:
    """The program, or "" with EXTRACTION_ERROR; `note` states guesses and omissions."""

    code: str
    status: Status = Status.COMPLETED
    note: str = ""


def sample_of(slot: Sample, response: Response, prompt: str = "") -> Sample:
    """The slot with its response: refused, or with the program extracted. prompt: of its task."""
    sample = with_response(slot, response)
    if sample.status is Status.REFUSED:
        return sample
    return fill_sample(sample, prompt)


def fill_sample(sample: Sample, prompt: str = "") -> Sample:
    """The sample with code, status and note as extracted from its response."""
    extraction = find_program(sample.response, sample.language, prompt)
    notes = [extraction.note]
    if sample.truncated:
        notes.append("The answer was cut off at its length limit.")
    note = " ".join(filter(None, notes))
    return replace(sample, code=extraction.code, status=extraction.status, note=note)


def find_program(text: str, language: str, prompt: str = "") -> Extraction:
    """The program of `language` in the answer to a task's prompt.

    It is the last whole block that defines what the prompt names, with the blocks that it needs;
    where the prompt names nothing, all blocks that define something, each in its last version.
    Without a block it is the whole text if that parses. Raises KitError for an unknown language.
    """
    language = resolve_alias(language)
    if len(text) > LONGEST:
        return _refuse_answer(f"The answer has {len(text):,} characters, more than {LONGEST:,}.")
    if not text.strip():
        return _refuse_answer("The answer is empty.")
    body = clean_answer(text)
    if not body.strip():
        return _refuse_answer("The answer holds only thoughts.")
    fenced = [block for block in read_blocks(body, language) if block.code.strip()]
    offered, note = _select_blocks(fenced, language) if fenced else _find_bare(body, language)
    if not offered:
        return _refuse_answer(note)
    candidates = [Candidate(block, language) for block in offered]
    chosen = choose_candidates(candidates, prompt)
    program = chosen[0].text
    for candidate in chosen[1:]:
        program = merge_programs(program, candidate.text, language)
    omitted = sum(candidate.text not in program for candidate in candidates)
    notes = [note]
    if len(chosen) > 1:
        notes.append(f"The program was joined from {len(chosen)} blocks.")
    if omitted:
        notes.append(f"{omitted} more block(s) of {language} were left out.")
    if not chosen[-1].block.closed:
        notes.append("The last code block is not closed; it was taken to the end of the answer.")
    return Extraction(program.strip("\n") + "\n", note=" ".join(filter(None, notes)))


def _refuse_answer(sentence: str) -> Extraction:
    return Extraction("", Status.EXTRACTION_ERROR, sentence)


def _select_blocks(fenced: list[Block], language: str) -> tuple[list[Block], str]:
    """The blocks of the language, else those that could be; a note, also why there are none."""
    vague_tags = ("", KIN.get(language, ""))
    tagged: list[Block] = []
    likely: list[Block] = []
    untagged: list[Block] = []
    for block in fenced:
        if is_console(block.code):
            continue
        if of_tag(block.tag) == language:
            tagged.append(block)
        elif of_tag(block.tag) in vague_tags and is_likely(block.code, language):
            likely.append(block)
        if not block.tag:
            untagged.append(block)
    if tagged or likely:
        return tagged or likely, ""
    if len(untagged) == 1:
        return untagged, f"The only block without a language was taken for {language}."
    tags = ", ".join(sorted({block.tag or "no language" for block in fenced}))
    return [], f"No code block is {language}; there are blocks of: {tags}."


def _find_bare(body: str, language: str) -> tuple[list[Block], str]:
    """The whole text if it is a program; else the longest run of lines that is one."""
    if is_program(body, language):
        return [Block("", body)], "No code fence: the whole answer was taken."
    lines = body.split("\n")
    start = 0
    while start < len(lines) and not BEGINS.match(lines[start]):
        start += 1
    for end in range(len(lines), max(start, len(lines) - TRIES), -1):
        run = textwrap.dedent("\n".join(lines[start:end]))
        if is_program(run, language):
            note = f"No code fence: lines {start + 1}-{end} of the answer were taken."
            return [Block("", run)], note
    return [], "The answer has no code block and is not a program as a whole."


def is_likely(text: str, language: str) -> bool:
    """Could this be a program of the language, broken or not?"""
    reading = read_parts(text, language)
    if reading and WHOLE in reading.defines.values():
        return True
    return looks_like(text, language)


def is_program(text: str, language: str) -> bool:
    """Does the language accept the text, and is it no prose that happens to be accepted?"""
    return read_parts(text, language) is not None and is_likely(text, language)


class Candidate:
    """A block of an answer, of which the language is asked what it is."""

    def __init__(self, block: Block, language: str) -> None:
        self.block = block
        self.language = language
        self.text = block.code
        reading = read_parts(block.code, language)
        if reading is None:
            dedented = textwrap.dedent(block.code)
            reading = read_parts(dedented, language)
            if reading is not None:
                self.text = dedented
        self.reading = reading or Reading(b"", ())
        self.work = count_work(self.text, language)

    def is_test(self) -> bool:
        """Are all definitions, if there are any, tests?"""
        names = self.reading.defines
        return bool(names) and all(name.lower().startswith("test") for name in names)

    def is_part_of(self, other: "Candidate", idle: set[str]) -> bool:
        """Does it only declare, or show in part, what another block defines?"""
        own_names = self.reading.defines
        other_names = other.reading.defines
        shared = {name for name in own_names.keys() & other_names if "." not in name}
        if {*own_names.values()} <= idle and any(other_names[name] == WHOLE for name in shared):
            return True
        members = {name for name in other_names if _cut_head(name) in shared - {name}}
        return len(members - own_names.keys()) > len(members) / 2

    def can_replace(self, earlier: "Candidate") -> bool:
        """Does it define again all that an earlier one is for?"""
        used = set[str]()
        for part in earlier.reading.parts:
            used |= part.needs - part.defines.keys()
        roots = set()
        for name, state in earlier.reading.defines.items():
            if state != SKETCH and "." not in name and name not in used:
                roots.add(name)
        defines_again = roots <= self.reading.defines.keys() and earlier.work <= self.work
        return defines_again and bool(roots or earlier.work)

    def rank(self, asked_names: set[str]) -> int:
        """How likely it is the program: it defines what is asked, it works, it defines anything."""
        states = set()
        for name, state in self.reading.defines.items():
            if name.rpartition(".")[2] in asked_names:
                states.add(state)
        if states:
            return 3 if states == {SKETCH} else 4
        return 2 if self.work else int(bool(self.reading.defines))

    def goes_on(self, chosen: list["Candidate"]) -> bool:
        """Does it mend the program, define more with it, or make it do more when it is run?"""
        binds = list_bound(chosen)
        uses_program = bool(self.reading.needs & binds)
        names = set(map(_cut_head, self.reading.defines))
        if names:
            return names <= binds or uses_program
        program = "\n".join(one.text for one in chosen)
        work = count_work(f"{program}\n{self.text}", self.language)
        return uses_program and work > count_work(program, self.language)


def choose_candidates(every: list[Candidate], prompt: str) -> list[Candidate]:
    """The candidates that make the program, in order."""
    latest = []
    programs = list_programs(every, prompt)
    for place, candidate in enumerate(programs):
        if not any(later.can_replace(candidate) for later in programs[place + 1 :]):
            latest.append(candidate)
    asked_names = find_code_names(prompt)
    ranks = [candidate.rank(asked_names) for candidate in latest]
    best = max(ranks, default=0)
    if not best:
        broken = [candidate for candidate in every if not candidate.reading.parts]
        likely = [
            candidate for candidate in broken if looks_like(candidate.text, candidate.language)
        ]
        return (likely or programs or every)[-1:]
    chosen = [candidate for candidate, rank in zip(latest, ranks, strict=True) if rank == best]
    chosen = add_needed(chosen, programs)
    for candidate in latest:
        if candidate not in chosen and candidate.goes_on(chosen):
            chosen = add_needed([*chosen, candidate], programs)
    return chosen


def list_programs(every: list[Candidate], prompt: str) -> list[Candidate]:
    """The candidates that parse, without tests and without parts of others."""
    idle = {SKETCH} if "async" in prompt.lower() else {SKETCH, ASYNC}
    programs = []
    for candidate in every:
        is_part = any(candidate.is_part_of(other, idle) for other in every)
        if candidate.reading.parts and not candidate.is_test() and not is_part:
            programs.append(candidate)
    return programs


def list_bound(candidates: list[Candidate]) -> set[str]:
    """All names that the candidates bind."""
    return set[str]().union(*(one.reading.binds for one in candidates))


def add_needed(chosen: list[Candidate], every: list[Candidate]) -> list[Candidate]:
    """The candidates and those that define what they need, the latest ones first; in order."""
    needed = list(chosen)
    for candidate in needed:  # it grows on the way
        for other in reversed(every):
            lacking = candidate.reading.needs - list_bound(needed)
            if other not in needed and lacking & other.reading.binds:
                needed.append(other)
    return [candidate for candidate in every if candidate in needed]


def count_work(text: str, language: str) -> int:
    """How much a program does when it is run: it takes an input, it serves, it has routes."""
    try:
        facts = READERS[language](text)
    except (SyntaxError, KeyError):
        return 0
    takes_input = facts.serves or facts.reads_stdin or facts.reads_argv
    return bool(facts.runs and takes_input) + len(facts.routes)


def _cut_head(name: str) -> str:
    return name.partition(".")[0]


def merge_programs(earlier: str, later: str, language: str) -> str:
    """One text of two, in which a definition of the later one replaces that of the earlier one."""
    joined = f"{earlier}\n\n{later}"
    old = read_parts(earlier, language)
    new = read_parts(later, language)
    if old is None or new is None:
        return joined
    again = [part for part in old.parts if part.binds and part.binds <= new.binds]
    if not any(part.defines for part in again):
        return joined
    code = old.code
    text = later.encode()
    for part in reversed(again):
        replacement = b""
        if part.defines:  # all of the later text stands where the last of its definitions was
            replacement = text
            text = b""
        code = code[: part.start] + replacement + code[part.end :]
    return code.decode(errors="replace")
