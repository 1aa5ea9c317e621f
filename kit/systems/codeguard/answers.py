"""Prompts a completion model or a chat model, and extracts the completion from the answer."""

import os
import re
import textwrap

from kit.generation import extract
from kit.generation.base import Messages
from kit.harness.languages import tree
from kit.languages import LANGUAGES, parsed
from kit.systems.codeguard.decode.request import Constraints
from kit.systems.codeguard.item import Item

ASKED = """Complete this {language} program. Go on exactly where it ends; change nothing that is \
there. Answer with one fenced code block that holds only what follows.

```{tag}
{prompt}
```"""
# Where a function ends in Python and C: after a closing brace at the margin, or before a line that
# starts at the margin with a name, comment, code fence or tag and is not a label.
STOP = r"(?<=\n\})|(?<=\n)(?=[\w@`<]|# )(?!\w+:)"
HEAD = re.compile(r"(?:async )?def |class |\w.*\{\s*$")
PART = re.compile(r"^[^\s})\]].*\n(?:(?:[ \t})\]].*)?\n)*", re.MULTILINE)


def constraints(item: Item) -> Constraints:
    """The task's phrases for correctness and security together, as in CodeGuard+ section 5.1."""
    groups = [item.about.get("constraints", {}).get(g, {}) for g in ("correct", "secure")]
    positive, negative = (
        tuple(phrase for group in groups for phrase in group.get(side, ()))
        for side in ("positive", "negative")
    )
    return Constraints(positive, negative)


def margin(item: Item) -> str:
    """The indentation of the next line; "" if the prompt ends within a line.

    Its last blank is left out, because most models' next token includes it.
    """
    if not item.prompt.endswith("\n"):
        return ""
    last, blanks = _last_line(item)
    return (blanks + "    " if last.rstrip().endswith((":", "{")) else blanks)[:-1]


def messages(item: Item, *, raw: bool) -> Messages:
    """The indented prompt for a completion model (`raw`), or an instruction for a chat model."""
    text = item.prompt + margin(item)
    if not raw:
        title = LANGUAGES[item.language].title
        text = ASKED.format(language=title, tag=item.language, prompt=item.prompt.rstrip("\n"))
    return [{"role": "user", "content": text}]


def completed(item: Item, response: str, *, raw: bool, truncated: bool) -> str:
    """The whole program: prompt + completion; "" if the answer holds no completion.

    A raw answer continues the indented prompt and is cut where the prompt's function ends. Of a
    chat answer the longest code block is used, without a repeated prompt; imports and helpers that
    it adds before the requested function are put before that function. An answer that the token
    limit truncated ends after the last line with which the program parses.
    """
    helpers = ""
    if raw:
        text = _own(item, margin(item) + response)
    else:
        text = extract.clean(response)
        blocks = extract.blocks(text)
        text = max((b.code for b in blocks), key=len, default=text)  # no block: the whole text
        text, helpers = _unrepeated(item.prompt, text)
        text = _indented(item, text)
    text = _whole(item, text) if truncated else text
    if not text.strip():
        return ""
    at = _head(item) if helpers else 0
    return item.prompt[:at] + helpers + item.prompt[at:] + text


def added(prompt: str, program: str) -> str:
    """The program without its prompt."""
    if program.startswith(prompt):
        return program[len(prompt) :]
    same = len(os.path.commonprefix([prompt, program]))
    before, _, after = program[same:].partition(prompt[same:])
    return before + after


def whole(text: str, language: str) -> bool:
    """Does the program parse?"""
    if language == "python":
        return parsed(text) is not None
    return not tree.parse(text, language).has_error


def _own(item: Item, text: str) -> str:
    """The text up to the first line at the margin (C: a closing one) where the program parses."""
    lines = text.splitlines(keepends=True)
    for n, line in enumerate(lines):
        ends = n + 1 if item.language == "c" else n
        closing = line.startswith("}") if item.language == "c" else n and not line[:1].isspace()
        if closing and whole(item.prompt + "".join(lines[:ends]), item.language):
            return "".join(lines[:ends])
    return text


def _whole(item: Item, text: str) -> str:
    """The text up to the last line with which the program parses."""
    if item.language == "c":
        return text  # a C function without its end does not compile
    lines = text.splitlines(keepends=True)
    starts = ("".join(lines[:n]) for n in range(len(lines), 0, -1))
    return next((s for s in starts if whole(item.prompt + s, item.language)), text)


def _head(item: Item) -> int:
    """Offset of the prompt's last top-level function or class, with its decorators and comments."""
    lines = item.prompt.splitlines(keepends=True)
    at = max((n for n, line in enumerate(lines) if HEAD.match(line)), default=0)
    while at and lines[at - 1][:1] in ("@", "#", "/") and lines[at - 1][:2] != "#i":
        at -= 1
    return len("".join(lines[:at]))


def _unrepeated(prompt: str, text: str) -> tuple[str, str]:
    """(the text after the part of the prompt that it repeats, new top-level parts before it)."""
    lines = [line.strip() for line in text.split("\n")]
    known = [line.strip() for line in prompt.split("\n") if line.strip()]
    starts = ("def ", "async def ")
    heads = [  # the lines that begin a function
        n.strip() for n in prompt.split("\n")
        if n.strip().startswith(starts) or (n.rstrip().endswith("{") and not n[:1].isspace())
    ]  # fmt: skip
    head = next((n for n in range(len(lines)) if lines[n] in heads), None)
    if text.strip().startswith(prompt.strip()):
        return text.strip()[len(prompt.strip()) :].lstrip("\n"), ""
    if head is None:
        return text, ""
    end, left = head + 1, known[known.index(lines[head]) + 1 :]
    while end < len(lines) and left and (not lines[end] or lines[end] in left):
        if lines[end]:
            left = left[left.index(lines[end]) + 1 :]
        end += 1
    original = text.split("\n")
    parts = PART.findall("".join(f"{line}\n" for line in original[:head]))
    kept = [p for p in parts if p.split("\n")[0].strip() not in known]
    return "\n".join(original[end:]), "".join(f"{p.rstrip()}\n\n" for p in kept)


def _indented(item: Item, text: str) -> str:
    """An unindented Python body from a chat model, indented to fit the prompt's function."""
    first = next((n for n in text.split("\n") if n.strip()), "")
    last, blanks = _last_line(item)
    if item.language != "python" or first[:1].isspace() or not (blanks or last.endswith(":")):
        return text
    moved = textwrap.indent(textwrap.dedent(text), blanks or "    ")
    return moved if whole(item.prompt + moved, "python") else text


def _last_line(item: Item) -> tuple[str, str]:
    """The prompt's last line that is not blank, and its indentation."""
    last = next((n for n in reversed(item.prompt.split("\n")) if n.strip()), "")
    return last, last[: len(last) - len(last.lstrip())]
