"""What a completion model or a chat model is asked, and the completion out of its answer."""

import textwrap

from kit.errors import KitError
from kit.generation import extract
from kit.generation.base import Messages
from kit.generation.local import LocalModel
from kit.harness.languages import tree
from kit.languages import parsed
from kit.systems.codeguard.decode.model import BEAMS, DecodingModel
from kit.systems.codeguard.decode.request import Constraints, Settings
from kit.systems.codeguard.item import Item

ASKED = """Complete this {language} program. Go on exactly where it ends; change nothing that is \
there. Answer with one fenced code block that holds only what follows.

```{tag}
{prompt}
```"""
TITLES = {"python": "Python", "c": "C"}


def constraints(item: Item) -> Constraints:
    """The phrases of a task for correctness and for security together, as in CodeGuard+ 5.1."""
    groups = [item.about.get("constraints", {}).get(g, {}) for g in ("correct", "secure")]
    positive, negative = (
        tuple(phrase for group in groups for phrase in group.get(side, ()))
        for side in ("positive", "negative")
    )
    return Constraints(positive, negative)


def messages(item: Item, *, raw: bool) -> Messages:
    """The prompt itself for a completion model; for a chat model an instruction around it."""
    text = item.prompt
    if not raw:
        title = TITLES[item.language]
        text = ASKED.format(language=title, tag=item.language, prompt=item.prompt.rstrip("\n"))
    return [{"role": "user", "content": text}]


def decoder(
    spec: str, decoding: str, items: dict[str, Item], *, width: int | None, again: int
) -> DecodingModel:
    """The embedded model with a decoding method. KitError for a model that cannot be decoded."""
    provider, _, which = spec.partition(":")
    if provider != "local":
        raise KitError(
            f"{spec} is not decoded here; --decoding takes a local model. Leave --decoding out, or "
            "use --model local."
        )
    wanted = {i.prompt: constraints(i) for i in items.values()}
    source = LocalModel(which) if which else LocalModel()
    beams = width if decoding in BEAMS else None
    settings = Settings() if beams is None else Settings(beams=beams)
    return DecodingModel(decoding, wanted, settings, source, width, again)


def completed(item: Item, response: str, *, raw: bool, truncated: bool) -> str:
    """The completion in an answer; prompt + completion is the program.

    A raw answer goes on with the prompt: it ends with the function that the prompt began. A chat
    model's is the content of its fence, without the prompt if that was repeated. What a limit cut
    off ends after the last line with which the program parses.
    """
    if raw:
        text = _own(item, response)
    else:
        text = extract.clean(response)
        blocks = extract.blocks(text, lambda _tag, _code: True)
        text = max((b.code for b in blocks), key=len, default=text)  # all where no block is
        text = _indented(item, _unrepeated(item.prompt, text))
    return _whole(item, text) if truncated else text


def whole(text: str, language: str) -> bool:
    """Does the program parse?"""
    if language == "python":
        return parsed(text) is not None
    return not tree.parse(text, language).has_error


def _own(item: Item, text: str) -> str:
    """Up to the first line at the margin (in C: that closes there) so that the program parses."""
    lines = text.splitlines(keepends=True)
    for n, line in enumerate(lines):
        ends = n + 1 if item.language == "c" else n
        closing = line.startswith("}") if item.language == "c" else n and not line[:1].isspace()
        if closing and whole(item.prompt + "".join(lines[:ends]), item.language):
            return "".join(lines[:ends])
    return text


def _whole(item: Item, text: str) -> str:
    if whole(item.prompt + text, item.language):
        return text
    lines = text.splitlines(keepends=True)
    if item.language == "c":
        return text  # a function without its end is none
    starts = (lines[:n] for n in range(len(lines) - 1, 0, -1))
    return next(
        ("".join(s) for s in starts if whole(item.prompt + "".join(s), item.language)), text
    )


def _unrepeated(prompt: str, text: str) -> str:
    """The text after what it repeats of the prompt: from the last line of it that is found."""
    lines = [line.strip() for line in text.split("\n")]
    known = [line.strip() for line in prompt.split("\n") if line.strip()]
    starts = ("def ", "async def ")
    heads = [  # the lines that begin a function
        n.strip() for n in prompt.split("\n")
        if n.strip().startswith(starts) or (n.rstrip().endswith("{") and not n[:1].isspace())
    ]  # fmt: skip
    head = next((n for n in range(len(lines)) if lines[n] in heads), None)
    if text.strip().startswith(prompt.strip()):
        return text.strip()[len(prompt.strip()) :].lstrip("\n")
    if head is None:
        return text
    end, left = head + 1, known[known.index(lines[head]) + 1 :]
    while end < len(lines) and left and (not lines[end] or lines[end] in left):
        if lines[end]:
            left = left[left.index(lines[end]) + 1 :]
        end += 1
    return "\n".join(text.split("\n")[end:])


def _indented(item: Item, text: str) -> str:
    """A body that a chat model wrote from the margin, moved to where the prompt's function is."""
    first = next((n for n in text.split("\n") if n.strip()), "")
    last = next((n for n in reversed(item.prompt.split("\n")) if n.strip()), "")
    margin = last[: len(last) - len(last.lstrip())]
    if item.language != "python" or first[:1].isspace() or not (margin or last.endswith(":")):
        return text
    moved = textwrap.indent(textwrap.dedent(text), margin or "    ")
    return moved if whole(item.prompt + moved, "python") else text
