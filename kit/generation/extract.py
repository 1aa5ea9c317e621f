"""Extracts the program from a model's answer; an answer without one still counts in n."""

import re
from dataclasses import dataclass, replace
from itertools import islice

from kit.languages import defined, is_console, is_python, looks_like, named, of_tag, used, whole
from kit.records import Sample, Status

FENCE = re.compile(r"`{3,}|~{3,}")
INLINE = re.compile(r"^\s*`{3,}(?P<info>[\w+#.-]*)[ \t]+(?P<code>\S[^`]*)`{3,}\s*$")
QUOTING = re.compile(r"^\s*(?:>\s?|[-*+]\s+|\d+[.)]\s+)*$")  # list items and quotations
THOUGHT = re.compile(r"^\s*<(?P<name>think|thinking|thought|reasoning)>", re.IGNORECASE)
THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
TRIES = 10  # closing fences that are tried as a block's end
LONGEST = 1 << 20  # characters of an answer
MOST_BLOCKS = 200  # no answer of a model comes near these two
MARKDOWN = ("markdown", "md", "mdx")
Fence = dict[str, str]  # the parts of the line that opens a block: before, mark, info


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    tag: str  # first word after the fence, lower case: "python", "c++", ""
    code: str
    heading: str = ""  # the prose line before it
    closed: bool = True


def clean(text: str) -> str:
    """The text with \\n as line end, and without byte-order mark and thoughts.

    Thoughts may be unfinished, or may have been opened by the prompt.
    """
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept: list[str] = []
    fence: Fence | None = None  # that is open before the line
    thinking = False
    for line in lines:
        if thinking:
            if (end := THOUGHT_END.search(line)) is None:
                continue
            thinking, line = False, line[end.end() :]
        elif not fence and (start := THOUGHT.match(line)):
            end = THOUGHT_END.search(line, start.end())
            thinking = end is None
            line = "" if end is None else line[end.end() :]
        elif THOUGHT_END.fullmatch(line.strip()) or (not fence and THOUGHT_END.match(line)):
            kept, fence = [], None  # the prompt opened it, so all lines so far are thoughts
            line = THOUGHT_END.sub("", line, count=1)
        if fence:
            fence = None if closes(line, fence) else fence
        elif not INLINE.match(line):
            fence = opens(line)
        kept.append(line)
    return "\n".join(kept)


def blocks(text: str, language: str = "") -> list[Block]:
    """The fenced blocks of a cleaned text, in order; a markdown block is replaced by its blocks.

    language: of the code, to tell a real end from a fence that is part of a string of the code.
    """
    parts: list[Block] = []
    lines, heading, i = text.split("\n"), "", 0
    while i < len(lines) and len(parts) < MOST_BLOCKS:
        line = lines[i]
        if one := INLINE.match(line):
            parts.append(Block(one["info"].lower(), one["code"].rstrip(), heading))
        elif mark := opens(line):
            closing = (j for j in range(i + 1, len(lines)) if closes(lines[j], mark))
            ends, tag = list(islice(closing, TRIES)), tag_of(mark["info"])
            ends_it = (j for j in ends if _complete(tag, _inside(lines[i + 1 : j], mark), language))
            end = next(ends_it, ends[0] if ends else None)
            parts += _blocks_of(lines[i + 1 : end], mark, heading, end is not None, language)
            i = len(lines) if end is None else end
        elif line.strip():
            heading = line.strip()
        i += 1
    return parts


def opens(line: str) -> Fence | None:
    """The fence that this line opens. After prose ("Here: ```python") it must name a language."""
    last_tick = line.rfind("`")  # none may come after the fence
    fence = next((m for m in FENCE.finditer(line) if m.end() > last_tick), None)
    if fence is None:
        return None
    before, info = line[: fence.start()], line[fence.end() :].lstrip(" \t")
    mark = {"before": before, "mark": fence[0], "info": info}
    if QUOTING.match(before):
        return mark
    after_prose = re.fullmatch(r"[\w+#.-]+\s*", info) and before.endswith(" ")
    return mark if after_prose and "`" not in before else None


def closes(line: str, mark: Fence) -> bool:
    """Is this line a bare fence of the same kind, at least as long as the opening one?"""
    bare = line.strip().lstrip("> ")
    sign = mark["mark"][0]
    return len(bare) >= len(mark["mark"]) and bare == sign * len(bare)


def tag_of(info: str) -> str:
    """The language in a fence's info string: `Python title="x"`, `{.python}`, `python:main.py`."""
    words = info.strip().lstrip("{").split()
    return words[0].strip("{}.,:").split(":")[0].split("{")[0].lower() if words else ""


def _inside(lines: list[str], mark: Fence) -> str:
    """The lines without the indentation (or quotation marks) of their opening fence."""
    indent = len(mark["before"]) if QUOTING.match(mark["before"]) else 0
    quoted = ">" in mark["before"]
    taken = []
    for line in lines:
        line = re.sub(r"^\s*> ?", "", line) if quoted else line
        spaces = len(line) - len(line.lstrip(" \t"))
        taken.append(line if quoted else line[min(indent, spaces) :])
    return "\n".join(taken).strip("\n")


def _blocks_of(
    lines: list[str], mark: Fence, heading: str, closed: bool, language: str
) -> list[Block]:
    tag, code = tag_of(mark["info"]), _inside(lines, mark)
    if not closed and code.rstrip().endswith(mark["mark"]):
        code, closed = code.rstrip()[: -len(mark["mark"])], True  # closed at the end of a code line
    if tag in MARKDOWN or (not tag and len(mark["mark"]) > 3):
        inner = blocks(code, language)
        if inner:
            return inner
    before = mark["before"].strip()
    return [Block(tag, code, before or heading, closed)]


READS_INPUT = re.compile(
    r"\binput\(|sys\.(?:stdin|argv)|argparse|__main__|\.listen\(|\.run\(|serve_forever|"
    r"process\.(?:stdin|argv)|\bmain\("
)
SHOWS_USE = re.compile(r"\b(?:usage|example|test|try|demo|run it|output|call)", re.IGNORECASE)
OTHER_WAY = re.compile(
    r"\b(?:alternativ\w*|another (?:way|approach|option|version)|or you (?:can|could)|"
    r"(?:in|un)secure|unsafe|vulnerable|bad|wrong|original|before|avoid|do not|don't)\b",
    re.IGNORECASE,
)
WHOLE = "No code fence: the whole answer was taken."
NEITHER = "The answer has no code block and is not a program as a whole."
STARTS = re.compile(r"^(?:import \w|from [\w.]+ import |def \w|class \w|async def |@\w|#!)")


@dataclass(frozen=True)
class Extraction:
    """The program, or "" with EXTRACTION_ERROR; `note` states guesses and omissions."""

    code: str
    status: Status = Status.COMPLETED
    note: str = ""


def code(text: str, language: str) -> Extraction:
    """The program of `language` in the answer.

    Blocks tagged with the language have priority, then untagged ones that look like it, then the
    whole text if it parses. Raises KitError for a language that the kit does not know.
    """
    language = named(language)
    if len(text) > LONGEST:
        return _none(f"The answer has {len(text):,} characters, more than {LONGEST:,}.")
    body = clean(text)
    if not body.strip():
        empty = not text.strip()
        return _none("The answer is empty." if empty else "The answer holds only thoughts.")
    fenced = [b for b in blocks(body, language) if b.code.strip()]
    chosen, note = _choose(fenced, language)
    if not chosen:
        return _unfenced(body, fenced, language)
    program, more = _join(chosen, language)
    notes = [note, more]
    if not chosen[-1].closed:
        notes.append("The last code block is not closed; it was taken to the end of the answer.")
    return Extraction(program.strip("\n") + "\n", note=" ".join(filter(None, notes)))


def fill(sample: Sample) -> Sample:
    """The sample with code, status and note as extracted from its response."""
    extraction = code(sample.response, sample.language)
    cut = "The answer was cut off at its length limit." if sample.truncated else ""
    note = " ".join(filter(None, (extraction.note, cut)))
    return replace(sample, code=extraction.code, status=extraction.status, note=note)


def _none(sentence: str) -> Extraction:
    return Extraction("", Status.EXTRACTION_ERROR, sentence)


def _choose(fenced: list[Block], language: str) -> tuple[list[Block], str]:
    """The blocks that can be the program, of the best kind, and a note if they are a guess."""
    tagged = [b for b in fenced if of_tag(b.tag) == language]
    if tagged:
        return [b for b in tagged if not is_console(b.code)], ""
    likely = [b for b in fenced if of_tag(b.tag) == "" and looks_like(b.code, language)]
    if likely:
        return likely, ""
    plain = [b for b in fenced if not b.tag and not is_console(b.code)]
    if len(plain) == 1:
        return plain, f"The only block without a language was taken for {language}."
    kin = {"cpp": "c", "c": "cpp"}.get(language)
    near = [b for b in fenced if kin and of_tag(b.tag) == kin and looks_like(b.code, language)]
    return near, f"A block tagged {near[0].tag} was taken for {language}." if near else ""


def _unfenced(body: str, fenced: list[Block], language: str) -> Extraction:
    """The whole text if it is a program; an error if there are blocks of other languages."""
    if fenced:
        tags = ", ".join(sorted({b.tag or "no language" for b in fenced}))
        return _none(f"No code block is {language}; there are blocks of: {tags}.")
    if language == "python":
        return _bare_python(body)
    if looks_like(body, language) and whole(body, language) and re.search(r"[;{}]", body):
        return Extraction(body.strip("\n") + "\n", note=WHOLE)
    return _none(NEITHER)


def _bare_python(body: str) -> Extraction:
    """The whole text if it parses; else the longest run of lines from an import or def."""
    if is_python(body):
        return Extraction(body.strip("\n") + "\n", note=WHOLE)
    lines = body.split("\n")
    start = next((i for i, line in enumerate(lines) if STARTS.match(line)), None)
    if start is not None:
        for end in range(len(lines), max(start, len(lines) - 60), -1):
            run = "\n".join(lines[start:end])
            if is_python(run):
                note = f"No code fence: lines {start + 1}-{end} of the answer were taken."
                return Extraction(run.strip("\n") + "\n", note=note)
    return _none(NEITHER)


def _complete(tag: str, text: str, language: str) -> bool:
    """May a block with this tag end here? False for an unfinished program of the language."""
    tagged = of_tag(tag)
    if not language or tagged not in (language, "") or not (tagged or looks_like(text, language)):
        return True
    if language != "python" and re.search(r"^\s*(?:```|~~~)\s*\w", text, re.MULTILINE):
        return False  # balanced brackets do not prove that the next block is part of this one
    return whole(text, language)


def _join(parts: list[Block], language: str) -> tuple[str, str]:
    """One program of the blocks that belong together, and a note about the blocks left out."""
    taken, left = [parts[0]], 0
    for part in parts[1:]:
        so_far = "\n".join(p.code for p in taken)
        have, new = defined(so_far, language), defined(part.code, language)
        if part.code in so_far:
            continue
        if new & have:
            better = new >= have and not OTHER_WAY.search(part.heading)
            if better or OTHER_WAY.search(taken[-1].heading):
                taken = [part]
            left += 1
        elif _belongs(part, so_far, have, new):
            taken.append(part)
        else:
            left += 1
    note = f"The program was joined from {len(taken)} blocks." if len(taken) > 1 else ""
    if left:
        note += f"{' ' if note else ''}{left} more block(s) of {language} were left out."
    return "\n\n".join(p.code for p in taken), note


def _belongs(part: Block, so_far: str, have: set[str], new: set[str]) -> bool:
    """Does this block continue the program? False for an example, a test, another program."""
    if new and all(name.lower().startswith("test") for name in new):
        return False
    shared = have & used(part.code) or new & used(so_far)
    if not new and SHOWS_USE.search(part.heading):
        return False
    if not have:
        return True  # imports and constants first
    return bool(shared) and bool(new or READS_INPUT.search(part.code))
