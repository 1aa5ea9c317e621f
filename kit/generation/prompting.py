"""Fills prompt files; untrusted text in a prompt is between markers that it cannot forge.

The marks carry a hash of the text, which no text can contain; every line between them starts with a
gutter; characters that are invisible, that reorder a line or that look like a mark are spelt out.
Equal content gives an equal prompt, so answers can be cached.
"""

import functools
import hashlib
import re
import unicodedata
from pathlib import Path
from typing import Any

import jinja2

FOLDER = Path(__file__).parent / "prompts"
GUTTER = "| "
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")  # categories that a reader does not see
_ANGLES = "<＜‹«≪⟪《〈⟨⋘" + ">＞›»≫⟫》〉⟩⋙"
_MARK = re.compile(rf"[{_ANGLES}]{{3,}}|<\||\|>")  # our marks; the turns of chat templates


def build_messages(family: str, **values: Any) -> list[dict[str, str]]:
    """The system and user message of a prompt; a value that it needs and lacks is an error."""
    template = _create_environment().get_template(f"{family}.j2")
    context = template.new_context(values)
    texts = {role: "".join(template.blocks[role](context)) for role in ("system", "user")}
    return [{"role": role, "content": text.strip()} for role, text in texts.items()]


def hash_templates(*names: str) -> str:
    """A hash over the named prompts and what all of them include: part of every key."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(FOLDER.glob("*.j2")):
        if path.stem in names or path.stem.startswith("_"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def make_ticket(*parts: Any) -> str:
    """A word that only a reader of the whole question can repeat."""
    return hashlib.sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:16]


def fence_text(text: str, title: str, most: int = 20_000) -> str:
    """Untrusted text between marks, a gutter before each line, at most `most` characters of it."""
    text = str(text)
    mark = f"{title} {make_ticket(title, text)}"
    lines = escape_untrusted_text(clip_text(text, most)).split("\n")
    body = "\n".join(GUTTER + line for line in lines)
    return f"<<<{mark}>>>\n{body}\n<<<end of {mark}>>>"


def escape_untrusted_text(text: str) -> str:
    """The text with everything spelt out that is not what it looks like."""
    spelt = "".join(_escape_character(c) for c in text)
    return _MARK.sub(lambda found: "\\".join(found[0]), spelt)


def _escape_character(char: str) -> str:
    if char in "\n\t" or " " <= char <= "~":
        return char
    variant = "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"
    if variant or unicodedata.category(char) in HIDDEN:
        return f"\\u{{{ord(char):x}}}"
    return char


def clip_text(text: str, most: int) -> str:
    """The text, or its beginning and its end with the number of characters left out between."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    return f"{text[:head]}\n[... {len(text) - most:,} characters ...]\n{text[head - most :]}"


@functools.cache
def _create_environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters["fenced"] = fence_text
    return environment
