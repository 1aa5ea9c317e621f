"""An answer's text, taken apart into code blocks and prose; thoughts are dropped."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

OPENING = re.compile(r"^(?P<before>.*?)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)$")
INLINE = re.compile(r"^\s*`{3,}(?P<info>[\w+#.-]*)[ \t]+(?P<code>\S[^`]*)`{3,}\s*$")
QUOTING = re.compile(r"^\s*(?:>\s?|[-*+]\s+|\d+[.)]\s+)*$")  # list items and quotations
THOUGHT = re.compile(r"^\s*<(?P<name>think|thinking|thought|reasoning)>", re.IGNORECASE)
THOUGHT_END = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
TRIES = 10  # closing fences that are tried as a block's end
MARKDOWN = ("markdown", "md", "mdx")


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    tag: str  # first word after the fence, lower case: "python", "c++", ""
    code: str
    heading: str = ""  # the prose line before it
    closed: bool = True


def clean(text: str) -> str:
    """One kind of line end, no byte-order mark, no thoughts (also unfinished or unopened ones)."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    kept: list[str] = []
    fence, thinking = "", False
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
            kept, fence = [], ""  # the opening was part of the prompt: all so far was thought
            line = THOUGHT_END.sub("", line, count=1)
        fence = _after(line, fence)
        kept.append(line)
    return "\n".join(kept)


def blocks(text: str, complete: Callable[[str, str], bool]) -> list[Block]:
    """The fenced blocks of a cleaned text, in order; blocks inside a markdown block are its own.

    complete(tag, code) tells a real end from a fence that stands in one of the code's own strings.
    """
    lines, found, heading, i = text.split("\n"), [], "", 0
    while i < len(lines):
        line = lines[i]
        if one := INLINE.match(line):
            found.append(Block(one["info"].lower(), one["code"].rstrip(), heading))
        elif mark := opens(line):
            end = _end(lines, i + 1, mark, complete)
            found += _block(lines[i + 1 : end], mark, heading, end is not None, complete)
            i = len(lines) if end is None else end
        elif line.strip():
            heading = line.strip()
        i += 1
    return found


def opens(line: str) -> re.Match[str] | None:
    """The fence that this line opens. After prose ("Here: ```python") only with a language."""
    mark = OPENING.match(line)
    if mark is None or QUOTING.match(mark["before"]):
        return mark
    after_prose = re.fullmatch(r"[\w+#.-]+\s*", mark["info"]) and mark["before"].endswith(" ")
    return mark if after_prose and "`" not in mark["before"] else None


def closes(line: str, mark: re.Match[str]) -> bool:
    """Is this line a bare fence of the same kind, at least as long as the opening one?"""
    bare = line.strip().lstrip("> ")
    sign = mark["mark"][0]
    return len(bare) >= len(mark["mark"]) and bare == sign * len(bare)


def tag_of(info: str) -> str:
    """The language in a fence's info string: `Python title="x"`, `{.python}`, `python:main.py`."""
    words = info.strip().lstrip("{").split()
    return words[0].strip("{}.,:").split(":")[0].split("{")[0].lower() if words else ""


def _end(
    lines: list[str], first: int, mark: re.Match[str], complete: Callable[[str, str], bool]
) -> int | None:
    """The line that ends the block: the first closing fence after which the code is complete."""
    ends = list(islice((j for j in range(first, len(lines)) if closes(lines[j], mark)), TRIES))
    tag = tag_of(mark["info"])
    whole = (j for j in ends if complete(tag, _inside(lines[first:j], mark)))
    return next(whole, ends[0] if ends else None)


def _inside(lines: list[str], mark: re.Match[str]) -> str:
    """The lines without the indentation (or quotation marks) of their opening fence."""
    indent = len(mark["before"]) if QUOTING.match(mark["before"]) else 0
    quoted = ">" in mark["before"]
    taken = []
    for line in lines:
        line = re.sub(r"^\s*> ?", "", line) if quoted else line
        spaces = len(line) - len(line.lstrip(" \t"))
        taken.append(line if quoted else line[min(indent, spaces) :])
    return "\n".join(taken).strip("\n")


def _block(
    lines: list[str],
    mark: re.Match[str],
    heading: str,
    closed: bool,
    complete: Callable[[str, str], bool],
) -> list[Block]:
    tag, code = tag_of(mark["info"]), _inside(lines, mark)
    if not closed and code.rstrip().endswith(mark["mark"]):
        code, closed = code.rstrip()[: -len(mark["mark"])], True  # closed at the end of a code line
    if tag in MARKDOWN or (not tag and len(mark["mark"]) > 3):
        inner = blocks(code, complete)
        if inner:
            return inner
    before = mark["before"].strip()
    return [Block(tag, code, before or heading, closed)]


def _after(line: str, fence: str) -> str:
    """Which fence is open after this line, given the one that was open before it."""
    if fence:
        mark = OPENING.match(fence)
        return "" if mark and closes(line, mark) else fence
    if INLINE.match(line):
        return ""
    mark = opens(line)
    return mark["mark"] if mark else ""
