"""Finds the code blocks of a model's answer, without its thoughts and without further turns."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kit.core.languages import is_complete, looks_like, of_tag
from kit.harness.languages.parts import read_parts

# Possessive quantifiers: no line takes longer than its length, whatever it holds.
FENCE = re.compile(r"(?P<before>[^`~]*+)(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^`]*+)$")
INLINE = re.compile(r"^\s*`{3,}(?P<info>[\w+#.-]*)[ \t]+(?P<code>\S[^`]*)`{3,}\s*$")
QUOTING = re.compile(r"^\s*(?:>\s?|[-*+]\s+|\d+[.)]\s+)*$")  # list items and quotations
TAG = re.compile(r"[\s{.]*([^\s{}:,]*)")  # in `Python title="x"`, `{.python}`, `python:main.py`
_NAMES = r"(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|monologue)"
THOUGHT = re.compile(
    rf"^\s*(?:<(?:\w+:|\|begin_of_)?{_NAMES}(?: [^<>]*|\|)?>|\[think\]|◁think▷)", re.IGNORECASE
)
THOUGHT_END = re.compile(
    rf"<(?:/(?:\w+:)?|\|end_of_){_NAMES}\|?>|\[/think\]|◁/think▷|<\|channel\|>final<\|message\|>",
    re.IGNORECASE,
)
# The tokens of chat templates, which end a turn, or begin one.
_TOKEN = (
    r"(?:<\|[^<>|\n]{1,40}\|>|<｜[^<>\n]{1,40}｜>|</?s>|<(?:end|start)_of_\w+>|<eo\w>|\[/?INST\])"
)
TOKEN = re.compile(_TOKEN)
_BEHIND_FENCE = rf"(?:{_TOKEN}|</?\w+>|\[\w+\]|#+)"
FENCE_AND_TOKEN = re.compile(rf"(?<![`~])(`{{3,}}|~{{3,}})[ \t]*(?={_BEHIND_FENCE})")
_SPEAKS = r"\W*(?:{})\W*(?:[:>]|$)"
REQUEST = re.compile(_SPEAKS.format("user|human|instruction|question|q"), re.IGNORECASE)
REPLY = re.compile(_SPEAKS.format("assistant|ai|bot|model|response|answer|a"), re.IGNORECASE)
TRIES = 10  # closing fences that are tried as a block's end
MOST_BLOCKS = 200  # no answer of a model comes near it
MARKDOWN = ("markdown", "md", "mdx")
Fence = re.Match[str]  # the line that opens a block: before, mark, info


@dataclass(frozen=True)
class Block:
    """One fenced block. tag: the first word after the fence, in lower case."""

    tag: str
    code: str
    closed: bool = True


def clean_answer(text: str) -> str:
    """The first turn of the text, with \\n as line end, without byte-order mark and thoughts.

    Thoughts may be unfinished, or may have been opened by the prompt. A turn ends at the token of
    a template, or where a request is written that somebody replies to.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = _cut_thoughts(FENCE_AND_TOKEN.sub(r"\n\1", text).split("\n"))
    return "\n".join(_cut_further_turns(lines))


def _cut_thoughts(lines: Sequence[str]) -> list[str]:
    cleaned: list[str] = []
    fence: Fence | None = None  # that is open before the line
    thinking = False
    for line in lines:
        start = None if fence or thinking else THOUGHT.match(line)
        end = THOUGHT_END.search(line, start.end() if start else 0)
        if start or thinking:
            thinking = end is None
            line = line[end.end() :] if end else ""
        elif end and (not fence or end[0] == line.strip()):
            cleaned = []  # the prompt opened it, so all lines so far are thoughts
            fence = None
            line = line[end.end() :]
        fence = _fence_after(line, fence)
        cleaned.append(line)
    return cleaned


def _cut_further_turns(lines: list[str]) -> list[str]:
    last_text = _find_last(lines, str.strip)
    last_reply = _find_last(lines, REPLY.match)
    last_fence = _find_last(lines, FENCE.match)
    cleaned: list[str] = []
    fence: Fence | None = None  # that is open before the line
    has_block = False
    for number, line in enumerate(lines):
        before = fence
        fence = _fence_after(line, before)
        has_block = has_block or bool(before and not fence)
        is_code = before and fence and number < last_text
        token = None if is_code else TOKEN.search(line)
        asks = not fence and number <= last_reply and REQUEST.match(line)
        if (token or asks) and (has_block or number > last_fence):
            return [*cleaned, line[: token.start()] if token else ""]
        cleaned.append(TOKEN.sub("", line) if token else line)
    return cleaned


def _find_last(lines: Sequence[str], is_meant: Callable[[str], object]) -> int:
    """The number of the last line of a kind, or -1."""
    for number in reversed(range(len(lines))):
        if is_meant(lines[number]):
            return number
    return -1


def _fence_after(line: str, fence: Fence | None) -> Fence | None:
    """The fence that is open after a line, if this one is open before it."""
    if fence:
        return None if is_closing_fence(line, fence) else fence
    return None if INLINE.match(line) else find_opening_fence(line)


def read_blocks(text: str, language: str = "") -> list[Block]:
    """The fenced blocks of a cleaned text, in order; a markdown block is replaced by its blocks.

    language: of the code, to tell a real end from a fence that is part of a string of the code.
    """
    lines = text.split("\n")
    blocks: list[Block] = []
    at = 0
    while at < len(lines) and len(blocks) < MOST_BLOCKS:
        inline = INLINE.match(lines[at])
        fence = find_opening_fence(lines[at])
        if inline:
            blocks.append(Block(inline["info"].lower(), inline["code"].rstrip()))
        elif fence:
            end = _find_end(lines, at, fence, language)
            blocks += _blocks_within(lines[at + 1 : end], fence, end < len(lines), language)
            is_closed = end < len(lines) and is_closing_fence(lines[end], fence)
            at = end if is_closed else end - 1  # what opens the next block ends this one too
        at += 1
    return blocks


def find_opening_fence(line: str) -> Fence | None:
    """The fence that this line opens. After prose ("Here: ```python") it must name a language."""
    fence = FENCE.match(line)
    if fence is None or QUOTING.match(fence["before"]):
        return fence
    if fence["before"].endswith(" ") and re.fullmatch(r"[\w+#.-]+\s*", fence["info"]):
        return fence
    return None


def is_closing_fence(line: str, fence: Fence) -> bool:
    """Is this line a fence of the same kind, at least as long, before nothing but tokens?"""
    sign = re.escape(fence["mark"])
    return bool(re.fullmatch(rf"[>\s]*{sign}{sign[-1]}*(?:{_BEHIND_FENCE}|\s)*", line))


def _tag_of(fence: Fence) -> str:
    tag = TAG.match(fence["info"])
    return tag[1].lower() if tag else ""


def _find_end(lines: Sequence[str], at: int, fence: Fence, language: str) -> int:
    """The line that ends a block: where its program is whole, else the first bare fence."""
    tag = of_tag(_tag_of(fence))
    first_bare = len(lines)
    tries = 0
    for end in range(at + 1, len(lines)):
        is_bare = is_closing_fence(lines[end], fence)
        is_tagged_fence = tag and tag == language and lines[end].startswith(fence["mark"])
        if not is_bare and not is_tagged_fence:
            continue
        if is_bare:
            first_bare = min(first_bare, end)
        code = _strip_quoting(lines[at + 1 : end], fence)
        is_language = tag == language or (not tag and looks_like(code, language))
        if not (language and is_language) and is_bare:
            return end
        if is_complete(code, language) and (end == first_bare or read_parts(code, language)):
            return end
        tries += 1
        if tries == TRIES:
            break
    return first_bare


def _strip_quoting(lines: Sequence[str], fence: Fence) -> str:
    """The lines without the indentation or the quotation marks of their opening fence."""
    before = fence["before"] if QUOTING.match(fence["before"]) else ""
    margin = r"\s*> ?" if ">" in before else rf"[ \t]{{0,{len(before)}}}"
    return "\n".join(re.sub(f"^{margin}", "", line) for line in lines)


def _blocks_within(lines: Sequence[str], fence: Fence, closed: bool, language: str) -> list[Block]:
    tag = _tag_of(fence)
    code = _strip_quoting(lines, fence).strip("\n")
    if not closed and code.rstrip().endswith(fence["mark"]):
        # It is closed at the end of a line of code.
        code = code.rstrip()[: -len(fence["mark"])]
        closed = True
    if tag in MARKDOWN or (not tag and len(fence["mark"]) > 3):
        inner = read_blocks(code, language)
        if inner:
            return inner
    beside = fence["info"].strip().partition(" ")[2]
    joined = f"{beside}\n{code}"
    if beside and language and read_parts(joined, language):
        if looks_like(beside, language) or not read_parts(code, language):
            code = joined
    return [Block(tag, code, closed)]
