"""Extracts the program from a model's answer; an answer without one still counts in n.

Every block is a candidate, and the language says what it is: whole, a sketch, data, a use.
"""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce

from kit.generation.answering import with_response
from kit.generation.base import Response
from kit.harness.fences import Block, clean, read_blocks
from kit.harness.languages import READERS
from kit.harness.languages.parts import ASYNC, SKETCH, WHOLE, Reading, read
from kit.harness.plan import EXPLICIT, written
from kit.languages import is_console, is_python, looks_like, named, of_tag, parsed, whole
from kit.records import Sample, Status

LONGEST = 1 << 20  # characters of an answer; no answer of a model comes near it
UNFENCED = "No code fence: the whole answer was taken."
NEITHER = "The answer has no code block and is not a program as a whole."
STARTS = re.compile(r"^[ \t]*(?:import \w|from [\w.]+ import |def \w|class \w|async def |@\w|#!)")


@dataclass(frozen=True)
class Extraction:
    """The program, or "" with EXTRACTION_ERROR; `note` states guesses and omissions."""

    code: str
    status: Status = Status.COMPLETED
    note: str = ""


def sample_of(slot: Sample, response: Response, prompt: str = "") -> Sample:
    """The slot with its response: refused, or with the program extracted. prompt: of its task."""
    sample = with_response(slot, response)
    return sample if sample.status is Status.REFUSED else fill(sample, prompt)


def fill(sample: Sample, prompt: str = "") -> Sample:
    """The sample with code, status and note as extracted from its response."""
    extraction = code(sample.response, sample.language, prompt)
    cut = "The answer was cut off at its length limit." if sample.truncated else ""
    note = " ".join(filter(None, (extraction.note, cut)))
    return replace(sample, code=extraction.code, status=extraction.status, note=note)


def code(text: str, language: str, prompt: str = "") -> Extraction:
    """The program of `language` in the answer to a task's prompt.

    It is the last whole block that defines what the prompt names, with the blocks that it needs;
    where the prompt names nothing, all blocks that define something, each in its last version.
    Without a block it is the whole text if that parses. Raises KitError for an unknown language.
    """
    language = named(language)
    if len(text) > LONGEST:
        return _none(f"The answer has {len(text):,} characters, more than {LONGEST:,}.")
    body = clean(text)
    if not body.strip():
        empty = not text.strip()
        return _none("The answer is empty." if empty else "The answer holds only thoughts.")
    fenced = [block for block in read_blocks(body, language) if block.code.strip()]
    offered, note = _offer(fenced, language)
    if not offered:
        return _read_unfenced(body, fenced, language)
    texts = [_without_margin(block.code, language) for block in offered]
    chosen = sorted(Candidates(texts, language, prompt).choose())
    program = reduce(partial(merge, language=language), (texts[n] for n in chosen))
    left = sum(text not in program for text in texts)
    notes = [note]
    if len(chosen) > 1:
        notes.append(f"The program was joined from {len(chosen)} blocks.")
    if left:
        notes.append(f"{left} more block(s) of {language} were left out.")
    if not offered[chosen[-1]].closed:
        notes.append("The last code block is not closed; it was taken to the end of the answer.")
    return Extraction(program.strip("\n") + "\n", note=" ".join(filter(None, notes)))


class Candidates:
    """The blocks of an answer, of which the language is asked what each of them is."""

    def __init__(self, texts: list[str], language: str, prompt: str) -> None:
        self.texts, self.language = texts, language
        self.idle = {SKETCH} if "async" in prompt.lower() else {SKETCH, ASYNC}
        self.asked = {*written(prompt), *EXPLICIT.findall(prompt)}
        every = {n: reading for n, text in enumerate(texts) if (reading := read(text, language))}
        self.readings = {
            n: reading for n, reading in every.items()
            if not any(self.is_part_of(reading, other) for other in every.values())
            and not all(name.lower().startswith("test") for name in reading.defines or "-")
        }  # fmt: skip
        self.bound = {name for reading in self.readings.values() for name in reading.binds}
        self.work = {n: self.count_work(texts[n]) for n in self.readings}

    def choose(self) -> set[int]:
        """The blocks that make the program."""
        last = [n for n in self.readings if not any(self.replaces(m, n) for m in self.readings)]
        best = [n for n in last if self.gives(n, {WHOLE, ASYNC})]
        best = best or [n for n in last if self.gives(n, {SKETCH})]
        best = best or [n for n in last if self.work[n]]
        best = best or [n for n in last if self.readings[n].defines]
        chosen = self.with_needed(best)
        for number in last if chosen else ():
            if number not in chosen and self.goes_on(number, chosen):
                chosen = self.with_needed([*chosen, number])
        return chosen or {self.last_resort()}

    def gives(self, number: int, states: set[str]) -> bool:
        """Does a block define in one of these states something that the prompt names?"""
        offers = self.readings[number].defines.items()
        return any(_last(name) in self.asked for name, state in offers if state in states)

    def is_part_of(self, reading: Reading, other: Reading) -> bool:
        """Does it only declare, or show in part, what another block defines?"""
        own, whole = reading.defines, other.defines
        shared = {name for name in own if name in whole and "." not in name}
        is_idle = {*own.values()} <= self.idle
        if is_idle and any(whole[name] == WHOLE for name in shared):
            return True
        members = {name for name in whole if _first(name) in shared - {name}}
        asked = {name for name in members if _last(name) in self.asked}
        lacking = (asked or members) - own.keys()
        return len(lacking) > (0 if asked else len(members) / 2)

    def replaces(self, later: int, earlier: int) -> bool:
        """Does a block define again all that an earlier one is for, and need nothing of it?"""
        new, old = self.readings[later], self.readings[earlier]
        used = {name for part in old.parts for name in part.needs - part.defines.keys()}
        whole = {name for name, state in old.defines.items() if state != SKETCH}
        roots = {name for name in whole if _first(name) not in used and "." not in name}
        again = roots <= new.defines.keys() and self.work[earlier] <= self.work[later]
        is_program = bool(roots) or (self.work[earlier] and not old.needs & self.bound)
        return later > earlier and bool(is_program) and again and not new.needs & old.binds

    def goes_on(self, number: int, chosen: set[int]) -> bool:
        """Does a block mend the program, define more with it, or make it do more when it is run?"""
        reading, before = self.readings[number], [self.readings[n] for n in sorted(chosen)]
        binds = {name for one in before for name in one.binds}
        names = {_first(name) for name in reading.defines}
        if names and names <= binds:
            return number > max(chosen)
        if not reading.needs & binds or names & binds:
            return False
        program = "\n".join(self.texts[n] for n in sorted(chosen))
        return bool(names) or self.count_work(f"{program}\n{self.texts[number]}") > (
            self.count_work(program)
        )

    def with_needed(self, chosen: Iterable[int]) -> set[int]:
        """The blocks and those that define what they need, the nearest one before each first."""
        todo = list(chosen)
        for number in todo:
            reading = self.readings[number]
            bound = {name for n in todo for name in self.readings[n].binds}
            for n in sorted(self.readings, key=lambda n: (n > number, abs(n - number))):
                other = self.readings[n]
                gives = (reading.needs - bound) & other.binds
                if n not in todo and (gives or reading.imports & other.defines.keys()):
                    todo.append(n)
                    bound |= other.binds
        return {*todo}

    def count_work(self, text: str) -> int:
        """How much a program does when it is run: it takes an input, it serves, it has routes."""
        try:
            facts = READERS[self.language](text)
        except (SyntaxError, KeyError):
            return 0
        serves = facts.starts_server or facts.raw_socket
        takes = serves or facts.reads_stdin or facts.reads_argv
        return bool(facts.runs and takes) + len(facts.routes)

    def last_resort(self) -> int:
        """The last block that may be a program, though it is broken or only runs."""
        alone = [n for n, reading in self.readings.items() if not reading.needs]
        broken = [n for n, text in enumerate(self.texts) if read(text, self.language) is None]
        likely = [n for n in broken if looks_like(self.texts[n], self.language)]
        return max(alone or likely or broken or range(len(self.texts)))


def _first(name: str) -> str:
    return name.partition(".")[0]


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def merge(earlier: str, later: str, *, language: str) -> str:
    """One text of two, in which a definition of the later one replaces that of the earlier one."""
    old, new = read(earlier, language), read(later, language)
    if old is None or new is None:
        return f"{earlier}\n\n{later}"
    again = [part for part in old.parts if part.binds and part.binds <= new.binds
             and not (part.defines and part.binds & new.imports)]  # fmt: skip
    places = [part.start for part in again if part.defines]
    if not places:
        return f"{earlier}\n\n{later}"
    pieces, at = list[bytes](), 0
    for part in again:
        pieces += [old.code[at : part.start], later.encode() * (part.start == places[-1])]
        at = part.end
    return b"".join([*pieces, old.code[at:]]).decode(errors="replace")


def _offer(fenced: list[Block], language: str) -> tuple[list[Block], str]:
    """The blocks that can be the program, and a note if they are a guess."""
    blocks = [block for block in fenced if not is_console(block.code)]
    tagged = [block for block in blocks if of_tag(block.tag) == language]
    likely = [b for b in blocks if of_tag(b.tag) == "" and looks_like(b.code, language)]
    plain = [block for block in blocks if not block.tag]
    kin = {"cpp": "c", "c": "cpp"}.get(language, "")
    near = [b for b in blocks if kin and of_tag(b.tag) == kin and looks_like(b.code, language)]
    if tagged:
        defining = [
            b for b in likely if (r := read(b.code, language)) and WHOLE in r.defines.values()
        ]
        return [b for b in blocks if b in tagged or b in defining], ""
    if any(of_tag(block.tag) == language for block in fenced):
        return [], ""
    if likely:
        return likely, ""
    if len(plain) == 1:
        return plain, f"The only block without a language was taken for {language}."
    return near, f"A block tagged {near[0].tag} was taken for {language}." if near else ""


def _without_margin(code: str, language: str) -> str:
    """Python that is indented as a whole, at the margin."""
    moved = textwrap.dedent(code)
    return moved if language == "python" and parsed(code) is None and parsed(moved) else code


def _none(sentence: str) -> Extraction:
    return Extraction("", Status.EXTRACTION_ERROR, sentence)


def _read_unfenced(body: str, fenced: list[Block], language: str) -> Extraction:
    """The whole text if it is a program; an error if there are blocks of other languages."""
    if fenced:
        tags = ", ".join(sorted({block.tag or "no language" for block in fenced}))
        return _none(f"No code block is {language}; there are blocks of: {tags}.")
    if language == "python":
        return _read_bare_python(body)
    reading = read(body, language)
    if (
        reading
        and WHOLE in reading.defines.values()
        or (looks_like(body, language) and whole(body, language) and re.search(r"[;{}]", body))
    ):
        return Extraction(body.strip("\n") + "\n", note=UNFENCED)
    return _none(NEITHER)


def _read_bare_python(body: str) -> Extraction:
    """The whole text if it parses; else the longest run of lines from an import or def."""
    if is_python(body):
        return Extraction(body.strip("\n") + "\n", note=UNFENCED)
    lines = body.split("\n")
    start = next((i for i, line in enumerate(lines) if STARTS.match(line)), None)
    if start is not None:
        margin = lines[start][: len(lines[start]) - len(lines[start].lstrip())]
        for end in range(len(lines), max(start, len(lines) - 60), -1):
            run = "\n".join(line.removeprefix(margin) for line in lines[start:end])
            if is_python(run):
                note = f"No code fence: lines {start + 1}-{end} of the answer were taken."
                return Extraction(run.strip("\n") + "\n", note=note)
    return _none(NEITHER)
