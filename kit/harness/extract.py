"""Extracts the program from a model's answer; an answer without one still counts in n.

Every block is a candidate, and the language says what it is: whole, a sketch, data, a use.
"""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce

from kit.generation.answering import with_response
from kit.generation.base import Response
from kit.harness.fences import Block, clean, read_blocks
from kit.harness.languages import READERS
from kit.harness.languages.parts import ASYNC, SKETCH, VALUE, WHOLE, Part, Reading, read
from kit.harness.plan import EXPLICIT, written
from kit.languages import is_console, is_python, looks_like, named, of_tag, parsed, whole
from kit.records import Sample, Status

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
        asked = {*written(prompt), *EXPLICIT.findall(prompt)}
        readings = {n: reading for n, text in enumerate(texts) if (reading := read(text, language))}
        self.readings: Mapping[int, Reading] = {
            n: reading for n, reading in readings.items()
            if not self.is_sketch(reading, [o for o in readings.values() if o is not reading])
            and (not self.is_test(reading) or asked & reading.defines.keys())
        }  # fmt: skip
        states = {(_last(name), state) for r in self.readings.values() for name, state in r.defines.items()}
        ranks = ({WHOLE, ASYNC} - self.idle, {SKETCH, ASYNC}, {VALUE})
        self.counted = next((r for r in ranks if any(s in r and n in asked for n, s in states)), set())
        self.asked = asked & {name for name, state in states if state in self.counted}

    def choose(self) -> set[int]:
        """The blocks that make the program."""
        chosen = set(self.with_asked_names() if self.asked else self.definers())
        if not chosen:
            return {self.last_resort()}
        chosen = self.with_needed(chosen)
        for number, reading in self.readings.items():
            if number not in chosen and (self.corrects(number, chosen) or self.goes_on(number, chosen)):
                chosen.add(number)
        return self.with_needed(chosen)

    def with_asked_names(self) -> Iterable[int]:
        """The last of the blocks that define most of what the prompt names, until all is there."""
        missing = set(self.asked)
        while missing:
            number = max(self.readings, key=lambda n: (len(self.covered(n) & missing), n))
            missing -= self.covered(number)
            yield number

    def binds(self, numbers: Iterable[int]) -> set[str]:
        return {name for n in numbers for name in self.readings[n].binds}

    def covered(self, number: int) -> set[str]:
        defines = self.readings[number].defines.items()
        return self.asked & {_last(name) for name, state in defines if state in self.counted}

    def definers(self) -> set[int]:
        """Blocks that define something or take an input, without those that a later one replaces."""
        first = [n for n in self.readings if self.defined(n) or self.does(self.texts[n])]
        return {n for n in first if not any(self.replaces(later, n) for later in first if later > n)}

    def replaces(self, later: int, earlier: int) -> bool:
        """Does a block define again all that an earlier one offers, and need nothing of it?"""
        new, old = self.readings[later], self.readings[earlier]
        does_as_much = self.does(self.texts[earlier]) <= self.does(self.texts[later])
        return does_as_much and self.offered(old) <= self.defined(later) and not new.needs & old.binds

    def defined(self, number: int) -> set[str]:
        defines = self.readings[number].defines.items()
        return {name for name, state in defines if state != VALUE}

    def offered(self, reading: Reading) -> set[str]:
        """What a block defines and does not only need for another of its definitions."""
        used = {n for part in reading.parts if part.defines for n in part.needs - part.defines.keys()}
        defines = {name for name, state in reading.defines.items() if state in (WHOLE, ASYNC)}
        return {name for name in defines if _first(name) not in used}

    def corrects(self, number: int, chosen: set[int]) -> bool:
        """Does a later block define parts of the program again, each with all its members?"""
        reading = self.readings[number]
        own = {name for n in chosen for name in self.defined(n)}
        again = {_first(name) for name in self.offered(reading)}
        members = {name for name in own if _first(name) in again}
        is_idle = bool(self.idle & {*reading.defines.values()})
        return number > max(chosen) and bool(again) and again <= own and not is_idle and (
            members <= self.defined(number)
        )  # fmt: skip

    def goes_on(self, number: int, chosen: set[int]) -> bool:
        """Does it rest on the program and define more, or make it take an input or serve?"""
        binds = self.binds(chosen)
        if not self.readings[number].needs & binds:
            return False
        if own := self.offered(self.readings[number]):
            return not own & binds
        before = "\n".join(self.texts[n] for n in sorted(chosen))
        return self.does(f"{before}\n{self.texts[number]}") > self.does(before)

    def with_needed(self, chosen: set[int]) -> set[int]:
        """The blocks and those that define what they need, the nearest one before each first."""
        todo = sorted(chosen)
        for number in todo:
            reading = self.readings[number]
            binds = self.binds(todo)
            wanted = dict.fromkeys(reading.needs - binds, False)
            wanted |= dict.fromkeys(reading.imports, True)
            for name, is_import in wanted.items():
                able = [n for n, r in self.readings.items() if n not in todo
                        and name in (r.defines if is_import else r.binds)]  # fmt: skip
                if able:
                    todo.append(max(able, key=lambda n: (n < number, n if n < number else -n)))
        return {*todo}

    def does(self, text: str) -> int:
        """How much a program does when it is run: it takes an input, it serves, it has routes."""
        if self.language not in READERS:
            return 0
        try:
            facts = READERS[self.language](text)
        except SyntaxError:
            return 0
        serves = facts.starts_server or facts.raw_socket
        takes = serves or facts.reads_stdin or facts.reads_argv
        return bool(facts.runs and takes) + len(facts.routes)

    def is_sketch(self, reading: Reading, others: list[Reading]) -> bool:
        """Does it only declare what another block defines?"""
        own = {name: state for name, state in reading.defines.items() if state != VALUE}
        done = {name for other in others for name, state in other.defines.items() if state == WHOLE}
        tops = {_first(name) for name in own}
        return bool(tops & done) and {*own.values()} <= self.idle

    def is_test(self, reading: Reading) -> bool:
        names = {_first(name).lower() for name, state in reading.defines.items() if state != VALUE}
        return bool(names) and all(name.startswith("test") for name in names)

    def last_resort(self) -> int:
        """The last block that may be a program of the language, though it is broken or only runs."""
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
    again = [] if old is None or new is None else [p for p in old.parts if _is_again(p, new)]
    if old is None or not any(part.defines for part in again):
        return f"{earlier}\n\n{later}"
    last = [part for part in again if part.defines][-1]
    pieces, at = list[str](), 0
    for part in again:
        pieces.append(old.code[at : part.start].decode(errors="replace"))
        pieces.append(later if part is last else "")
        at = part.end
    return "".join([*pieces, old.code[at:].decode(errors="replace")])


def _is_again(part: Part, new: Reading) -> bool:
    return bool(part.binds) and part.binds <= new.binds - (new.imports if part.defines else set())


def _offer(fenced: list[Block], language: str) -> tuple[list[Block], str]:
    """The blocks that can be the program, and a note if they are a guess."""
    blocks = [block for block in fenced if not is_console(block.code)]
    tagged = [block for block in blocks if of_tag(block.tag) == language]
    likely = [b for b in blocks if of_tag(b.tag) == "" and looks_like(b.code, language)]
    plain = [block for block in blocks if not block.tag]
    kin = {"cpp": "c", "c": "cpp"}.get(language, "")
    near = [b for b in blocks if kin and of_tag(b.tag) == kin and looks_like(b.code, language)]
    if tagged:
        defining = [b for b in likely if (r := read(b.code, language)) and WHOLE in r.defines.values()]
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
    if looks_like(body, language) and whole(body, language) and re.search(r"[;{}]", body):
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
