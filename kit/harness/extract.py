"""Extracts the program from a model's answer; an answer without one still counts in n.

Every block is a candidate, and the language says what it is: whole, a sketch, data, a use.
"""

import re
import textwrap
from dataclasses import dataclass, replace
from functools import partial, reduce

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
    return sample if sample.status is Status.REFUSED else fill_sample(sample, prompt)


def fill_sample(sample: Sample, prompt: str = "") -> Sample:
    """The sample with code, status and note as extracted from its response."""
    extraction = find_program(sample.response, sample.language, prompt)
    cut = "The answer was cut off at its length limit." if sample.truncated else ""
    note = " ".join(filter(None, (extraction.note, cut)))
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
    body = clean_answer(text)
    if not body.strip():
        empty = not text.strip()
        return _refuse_answer(
            "The answer is empty." if empty else "The answer holds only thoughts."
        )
    fenced = [block for block in read_blocks(body, language) if block.code.strip()]
    offered, note = _select_blocks(fenced, language) if fenced else _find_bare(body, language)
    if not offered:
        return _refuse_answer(note)
    candidates = [Candidate(block, language) for block in offered]
    chosen = choose_candidates(candidates, prompt)
    program = reduce(partial(merge_programs, language=language), (one.text for one in chosen))
    left = sum(one.text not in program for one in candidates)
    notes = [note]
    if len(chosen) > 1:
        notes.append(f"The program was joined from {len(chosen)} blocks.")
    if left:
        notes.append(f"{left} more block(s) of {language} were left out.")
    if not chosen[-1].block.closed:
        notes.append("The last code block is not closed; it was taken to the end of the answer.")
    return Extraction(program.strip("\n") + "\n", note=" ".join(filter(None, notes)))


def _refuse_answer(sentence: str) -> Extraction:
    return Extraction("", Status.EXTRACTION_ERROR, sentence)


def _select_blocks(fenced: list[Block], language: str) -> tuple[list[Block], str]:
    """The blocks of the language, else those that could be; a note, also why there are none."""
    blocks = [block for block in fenced if not is_console(block.code)]
    tagged = [block for block in blocks if of_tag(block.tag) == language]
    untold = ("", KIN.get(language, ""))
    likely = [b for b in blocks if of_tag(b.tag) in untold and is_likely(b.code, language)]
    plain = [block for block in blocks if not block.tag]
    if tagged or likely:
        return tagged or likely, ""
    if len(plain) == 1:
        return plain, f"The only block without a language was taken for {language}."
    tags = ", ".join(sorted({block.tag or "no language" for block in fenced}))
    return [], f"No code block is {language}; there are blocks of: {tags}."


def _find_bare(body: str, language: str) -> tuple[list[Block], str]:
    """The whole text if it is a program; else the longest run of lines that is one."""
    lines = body.split("\n")
    if is_program(body, language):
        return [Block("", body)], "No code fence: the whole answer was taken."
    start = next((n for n, line in enumerate(lines) if BEGINS.match(line)), len(lines))
    for end in range(len(lines), max(start, len(lines) - TRIES), -1):
        run = textwrap.dedent("\n".join(lines[start:end]))
        if is_program(run, language):
            note = f"No code fence: lines {start + 1}-{end} of the answer were taken."
            return [Block("", run)], note
    return [], "The answer has no code block and is not a program as a whole."


def is_likely(text: str, language: str) -> bool:
    """Could this be a program of the language, broken or not?"""
    reading = read_parts(text, language)
    defines = reading.defines.values() if reading else ()
    return looks_like(text, language) or WHOLE in defines


def is_program(text: str, language: str) -> bool:
    """Does the language accept the text, and is it no prose that happens to be accepted?"""
    return read_parts(text, language) is not None and is_likely(text, language)


class Candidate:
    """A block of an answer, of which the language is asked what it is."""

    def __init__(self, block: Block, language: str) -> None:
        moved = textwrap.dedent(block.code)
        is_moved = (
            read_parts(block.code, language) is None and read_parts(moved, language) is not None
        )
        self.block, self.language = block, language
        self.text = moved if is_moved else block.code
        self.reading = read_parts(self.text, language) or Reading(b"", ())
        self.work = count_work(self.text, language)

    def is_test(self) -> bool:
        """Are all definitions, if there are any, tests?"""
        names = self.reading.defines
        return bool(names) and all(name.lower().startswith("test") for name in names)

    def is_part_of(self, other: "Candidate", idle: set[str]) -> bool:
        """Does it only declare, or show in part, what another block defines?"""
        own, whole = self.reading.defines, other.reading.defines
        shared = {name for name in own if name in whole and "." not in name}
        if {*own.values()} <= idle and any(whole[name] == WHOLE for name in shared):
            return True
        members = {name for name in whole if _cut_head(name) in shared - {name}}
        return len(members - own.keys()) > len(members) / 2

    def can_replace(self, earlier: "Candidate") -> bool:
        """Does it define again all that an earlier one is for?"""
        old = earlier.reading
        used = {name for part in old.parts for name in part.needs - part.defines.keys()}
        whole = {name for name, state in old.defines.items() if state != SKETCH}
        roots = {name for name in whole if _cut_head(name) not in used and "." not in name}
        again = roots <= self.reading.defines.keys() and earlier.work <= self.work
        return again and bool(roots or earlier.work)

    def rank(self, asked: set[str]) -> int:
        """How likely it is the program: it defines what is asked, it works, it defines anything."""
        defines = self.reading.defines
        states = {state for name, state in defines.items() if name.rpartition(".")[2] in asked}
        if states:
            return 3 if states == {SKETCH} else 4
        return 2 if self.work else int(bool(defines))

    def goes_on(self, chosen: list["Candidate"]) -> bool:
        """Does it mend the program, define more with it, or make it do more when it is run?"""
        binds = {name for one in chosen for name in one.reading.binds}
        needs = self.reading.needs & binds
        if names := {_cut_head(name) for name in self.reading.defines}:
            return names <= binds or bool(needs)
        program = "\n".join(one.text for one in chosen)
        more = count_work(f"{program}\n{self.text}", self.language)
        return bool(needs) and more > count_work(program, self.language)


def choose_candidates(every: list[Candidate], prompt: str) -> list[Candidate]:
    """The candidates that make the program, in order."""
    idle = {SKETCH} if "async" in prompt.lower() else {SKETCH, ASYNC}
    asked = find_code_names(prompt)
    parts = {one for one in every for other in every if one.is_part_of(other, idle)}
    good = [one for one in every if one.reading.parts and not one.is_test() and one not in parts]
    last = [one for n, one in enumerate(good) if not any(o.can_replace(one) for o in good[n + 1 :])]
    most = max((one.rank(asked) for one in last), default=0)
    if not most:
        broken = [one for one in every if not one.reading.parts]
        likely = [one for one in broken if looks_like(one.text, one.language)]
        return (likely or good or every)[-1:]
    chosen = add_needed([one for one in last if one.rank(asked) == most], good)
    for one in last:
        if one not in chosen and one.goes_on(chosen):
            chosen = add_needed([*chosen, one], good)
    return chosen


def add_needed(chosen: list[Candidate], every: list[Candidate]) -> list[Candidate]:
    """The candidates and those that define what they need, the last ones first; in order."""
    needed = list(chosen)
    for one in needed:
        for other in reversed(every):
            bound = {name for known in needed for name in known.reading.binds}
            if other not in needed and (one.reading.needs - bound) & other.reading.binds:
                needed.append(other)
    return [one for one in every if one in needed]


def count_work(text: str, language: str) -> int:
    """How much a program does when it is run: it takes an input, it serves, it has routes."""
    try:
        facts = READERS[language](text)
    except (SyntaxError, KeyError):
        return 0
    serves = bool(facts.serves)
    takes = serves or facts.reads_stdin or facts.reads_argv
    return bool(facts.runs and takes) + len(facts.routes)


def _cut_head(name: str) -> str:
    return name.partition(".")[0]


def merge_programs(earlier: str, later: str, language: str) -> str:
    """One text of two, in which a definition of the later one replaces that of the earlier one."""
    old, new = read_parts(earlier, language), read_parts(later, language)
    if old is None or new is None:
        return f"{earlier}\n\n{later}"
    again = [part for part in old.parts if part.binds and part.binds <= new.binds]
    if not any(part.defines for part in again):
        return f"{earlier}\n\n{later}"
    code, text = old.code, later.encode()
    for part in reversed(again):
        code = code[: part.start] + text * bool(part.defines) + code[part.end :]
        text = b"" if part.defines else text
    return code.decode(errors="replace")
