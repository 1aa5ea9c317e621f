"""The program in a model's answer. What cannot be found is a status of its own, and stays in n."""

import re
from dataclasses import dataclass, replace
from functools import partial

from kit.generation import fences
from kit.generation.fences import Block
from kit.languages import defined, is_console, is_python, looks_like, named, of_tag, used, whole
from kit.records import Sample, Status

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
    """The program, or "" with EXTRACTION_ERROR; `note` says what was guessed or left out."""

    code: str
    status: Status = Status.COMPLETED
    note: str = ""


def code(text: str, language: str) -> Extraction:
    """The one program of `language` that the answer gives.

    Blocks tagged with the language come first, then untagged ones that look like it, then a whole
    text that parses as it. Raises KitError for a language that the kit does not know.
    """
    language = named(language)
    body = fences.clean(text)
    if not body.strip():
        empty = not text.strip()
        return _none("The answer is empty." if empty else "The answer holds only thoughts.")
    complete = partial(_complete, language=language)
    found = [b for b in fences.blocks(body, complete) if b.code.strip()]
    chosen, note = _choose(found, language)
    if not chosen:
        return _unfenced(body, found, language)
    program, more = _join(chosen, language)
    notes = [note, more]
    if not chosen[-1].closed:
        notes.append("The last code block is not closed; it was taken to the end of the answer.")
    return Extraction(program.strip("\n") + "\n", note=" ".join(n for n in notes if n))


def fill(sample: Sample) -> Sample:
    """The sample with code, status and note as extracted from its response."""
    got = code(sample.response, sample.language)
    cut = "The answer was cut off at its length limit." if sample.truncated else ""
    note = " ".join(n for n in (got.note, cut) if n)
    return replace(sample, code=got.code, status=got.status, note=note)


def _none(sentence: str) -> Extraction:
    return Extraction("", Status.EXTRACTION_ERROR, sentence)


def _choose(found: list[Block], language: str) -> tuple[list[Block], str]:
    """The blocks that can be the program, best kind first, and a note if they are second best."""
    tagged = [b for b in found if of_tag(b.tag) == language]
    if tagged:
        return [b for b in tagged if not is_console(b.code)], ""
    likely = [b for b in found if of_tag(b.tag) == "" and looks_like(b.code, language)]
    if likely:
        return likely, ""
    plain = [b for b in found if not b.tag and not is_console(b.code)]
    if len(plain) == 1:
        return plain, f"The only block without a language was taken for {language}."
    kin = {"cpp": "c", "c": "cpp"}.get(language)
    near = [b for b in found if kin and of_tag(b.tag) == kin and looks_like(b.code, language)]
    return near, f"A block tagged {near[0].tag} was taken for {language}." if near else ""


def _unfenced(body: str, found: list[Block], language: str) -> Extraction:
    if found:
        tags = ", ".join(sorted({b.tag or "no language" for b in found}))
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
    """May a block with this tag end here? Only an unfinished program of the language may not."""
    spoken = of_tag(tag)
    if spoken not in (language, "") or not (spoken or looks_like(text, language)):
        return True
    if language != "python" and re.search(r"^\s*(?:```|~~~)\s*\w", text, re.MULTILINE):
        return False  # balanced brackets are too weak a proof to swallow the next block
    return whole(text, language)


def _join(parts: list[Block], language: str) -> tuple[str, str]:
    """One program of several blocks: parts that need each other; the rest is left out."""
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
    """Does this block go on with the program, or is it an example, a test, another program?"""
    if new and all(name.lower().startswith("test") for name in new):
        return False
    shared = have & used(part.code) or new & used(so_far)
    if not new and SHOWS_USE.search(part.heading):
        return False
    if not have:
        return True  # imports and constants first
    return bool(shared) and bool(new or READS_INPUT.search(part.code))
