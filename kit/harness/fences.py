"""Finds the code blocks of a model's answer, without its thoughts and without further turns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kit.harness.languages.parts import read
from kit.languages import looks_like, of_tag, whole

FENCE = re.compile(r"`{3,}|~{3,}")
INLINE = re.compile(r"^\s*`{3,}(?P<info>[\w+#.-]*)[ \t]+(?P<code>\S[^`]*)`{3,}\s*$")
QUOTING = re.compile(r"^\s*(?:>\s?|[-*+]\s+|\d+[.)]\s+)*$")  # list items and quotations
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
LAST_TOKEN = re.compile(rf"{_TOKEN}\Z")
_BEHIND_FENCE = rf"(?:{_TOKEN}|</?\w+>|\[\w+\]|#+)"
FENCE_AND_TOKEN = re.compile(rf"(?<![`~])(`{{3,}}|~{{3,}})[ \t]*(?={_BEHIND_FENCE})")
REQUEST = re.compile(r"\W*(?:user|human|instruction|question|q)\W*(?:[:>]|$)", re.IGNORECASE)
REPLY = re.compile(
    r"\b(?:assistant|ai|bot)\W*[:>]|^\W*(?:assistant|ai|bot|model)\W*$|"
    r"(?:^|\W\W)(?:response|answer|model|a)\W*:",
    re.IGNORECASE,
)
LONGEST = 50  # characters of a token
TRIES = 10  # closing fences that are tried as a block's end
MOST_BLOCKS = 200  # no answer of a model comes near it
MARKDOWN = ("markdown", "md", "mdx")
Fence = dict[str, str]  # the parts of the line that opens a block: before, mark, info


@dataclass(frozen=True)
class Block:
    """One fenced block. tag: the first word after the fence, in lower case."""

    tag: str
    code: str
    closed: bool = True


def clean(text: str) -> str:
    """The first turn of the text, with \\n as line end, without byte-order mark and thoughts.

    Thoughts may be unfinished, or may have been opened by the prompt. A turn ends at the token of
    a template, or where a request is written that somebody replies to.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    while token := LAST_TOKEN.search(text.rstrip(), len(text.rstrip()) - LONGEST):
        text = text[: token.start()]
    lines = FENCE_AND_TOKEN.sub(r"\n\1", text).split("\n")
    replies = [n for n, line in enumerate(lines) if REPLY.search(line)]
    fences = [n for n, line in enumerate(lines) if find_fence(line)]
    kept: list[str] = []
    fence: Fence | None = None  # that is open before the line
    thinking = has_block = False
    for number, line in enumerate(lines):
        if thinking:
            if (end := THOUGHT_END.search(line)) is None:
                continue
            thinking, line = False, line[end.end() :]
        elif not fence and (start := THOUGHT.match(line)):
            end = THOUGHT_END.search(line, start.end())
            thinking = end is None
            line = "" if end is None else line[end.end() :]
        elif THOUGHT_END.fullmatch(line.strip()) or (not fence and THOUGHT_END.search(line)):
            kept, fence = [], None  # the prompt opened it, so all lines so far are thoughts
            line = THOUGHT_END.split(line, maxsplit=1)[-1]
        token = TOKEN.search(line) if not fence or closes(line, fence) else None
        if fence:
            has_block = has_block or closes(line, fence)
            fence = None if closes(line, fence) else fence
        elif not INLINE.match(line):
            fence = opens(line)
        is_last = has_block or not any(later >= number for later in fences[-1:])
        asks = not fence and REQUEST.match(line) and any(n >= number for n in replies[-1:])
        if is_last and (token or asks):
            return "\n".join([*kept, line[: token.start()] if token else ""])
        kept.append(TOKEN.sub("", line) if token else line)
    return "\n".join(kept)


def read_blocks(text: str, language: str = "") -> list[Block]:
    """The fenced blocks of a cleaned text, in order; a markdown block is replaced by its blocks.

    language: of the code, to tell a real end from a fence that is part of a string of the code.
    """
    lines, blocks, at = text.split("\n"), list[Block](), 0
    while at < len(lines) and len(blocks) < MOST_BLOCKS:
        if one := INLINE.match(lines[at]):
            blocks.append(Block(one["info"].lower(), one["code"].rstrip()))
        elif fence := opens(lines[at]):
            end = _find_end(lines, at, fence, language)
            blocks += _blocks_within(lines[at + 1 : end], fence, end < len(lines), language)
            # A fence that opens the next block ends this one too.
            at = end if end < len(lines) and closes(lines[end], fence) else end - 1
        at += 1
    return blocks


def find_fence(line: str) -> Fence | None:
    """The first fence of a line that has no backtick behind it."""
    last_tick = line.rfind("`")
    fence = next((m for m in FENCE.finditer(line) if m.end() > last_tick), None)
    if fence is None:
        return None
    info = line[fence.end() :].lstrip(" \t")
    return {"before": line[: fence.start()], "mark": fence[0], "info": info}


def opens(line: str) -> Fence | None:
    """The fence that this line opens. After prose ("Here: ```python") it must name a language."""
    fence = find_fence(line)
    if fence is None or QUOTING.match(fence["before"]):
        return fence
    after_prose = re.fullmatch(r"[\w+#.-]+\s*", fence["info"]) and fence["before"].endswith(" ")
    return fence if after_prose and "`" not in fence["before"] else None


def closes(line: str, fence: Fence) -> bool:
    """Is this line a fence of the same kind, at least as long, before nothing but tokens?"""
    sign = re.escape(fence["mark"])
    return bool(re.fullmatch(rf"[>\s]*{sign}{sign[-1]}*(?:{_BEHIND_FENCE}|\s)*", line))


def tag_of(info: str) -> str:
    """The language in a fence's info string: `Python title="x"`, `{.python}`, `python:main.py`."""
    words = info.strip().lstrip("{").split()
    return words[0].strip("{}.,:").split(":")[0].split("{")[0].lower() if words else ""


def _find_end(lines: Sequence[str], at: int, fence: Fence, language: str) -> int:
    """The line that ends a block: where its program is whole, else the first bare fence."""
    tag = of_tag(tag_of(fence["info"]))
    first, tried = len(lines), 0
    for end in range(at + 1, len(lines)):
        is_bare = closes(lines[end], fence)
        if not is_bare and not (tag and tag == language and lines[end].startswith(fence["mark"])):
            continue
        first = min(first, end) if is_bare else first
        code = "\n".join(_strip_quoting(lines[at + 1 : end], fence))
        is_language = bool(language) and (
            tag == language or (not tag and looks_like(code, language))
        )
        if not is_language and is_bare:
            return end
        if whole(code, language) and (end == first or read(code, language)):
            return end
        tried += 1
        if tried == TRIES:
            break
    return first


def _strip_quoting(lines: Sequence[str], fence: Fence) -> list[str]:
    """The lines without the indentation or the quotation marks of their opening fence."""
    if ">" in fence["before"] and QUOTING.match(fence["before"]):
        return [re.sub(r"^\s*> ?", "", line) for line in lines]
    indent = len(fence["before"]) if QUOTING.match(fence["before"]) else 0
    return [line[min(indent, len(line) - len(line.lstrip(" \t"))) :] for line in lines]


def _blocks_within(
    lines: Sequence[str], fence: Fence, closed: bool, language: str
) -> list[Block]:
    tag, code = tag_of(fence["info"]), "\n".join(_strip_quoting(lines, fence)).strip("\n")
    if not closed and code.rstrip().endswith(fence["mark"]):
        # It is closed at the end of a line of code.
        code, closed = code.rstrip()[: -len(fence["mark"])], True
    if tag in MARKDOWN or (not tag and len(fence["mark"]) > 3):
        if inner := read_blocks(code, language):
            return inner
    beside = fence["info"].strip().partition(" ")[2]
    if beside and language and _is_code(beside, code, language):
        code = f"{beside}\n{code}"
    return [Block(tag, code, closed)]


def _is_code(line: str, code: str, language: str) -> bool:
    """Does a line on the line of the fence belong to the program, and is no attribute?"""
    joined, alone, first = (
        read(text, language) for text in (f"{line}\n{code}\n", code, f"{line}\n")
    )
    if joined is None or alone is None:
        return joined is not None
    return first is not None and bool(first.imports or first.defines or first.binds & alone.needs)
