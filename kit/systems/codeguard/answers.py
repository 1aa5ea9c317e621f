"""Prompts a completion model or a chat model, and extracts the completion from the answer."""

import os
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kit.core.languages import LANGUAGES, try_parse_python
from kit.generation.base import Messages
from kit.harness.fences import clean_answer, read_blocks
from kit.harness.languages import tree
from kit.harness.languages.parts import Part, Reading, read_parts, read_statements
from kit.systems.codeguard.decode.request import Constraints
from kit.systems.codeguard.item import CompletionItem

ASKED = """Complete this {language} program. Go on exactly where it ends; change nothing that is \
there. Answer with one fenced code block that holds only what follows.

```{tag}
{prompt}
```"""
# Where a function ends in Python and C: after a closing brace at the margin, or before a line that
# starts at the margin with a name, comment, code fence or tag and is not a label.
STOP = r"(?<=\n\})|(?<=\n)(?=[\w@`<]|# )(?!\w+:)"


def merge_constraints(item: CompletionItem) -> Constraints:
    """The task's phrases for correctness and security together, as in CodeGuard+ section 5.1."""
    positive: list[str] = []
    negative: list[str] = []
    for purpose in ("correct", "secure"):
        phrases = item.about.get("constraints", {}).get(purpose, {})
        positive += phrases.get("positive", ())
        negative += phrases.get("negative", ())
    return Constraints(tuple(positive), tuple(negative))


def next_line_indentation(item: CompletionItem) -> str:
    """The indentation of the next line; "" if the prompt ends within a line.

    Its last blank is left out, because most models' next token includes it.
    """
    if not item.prompt.endswith("\n"):
        return ""
    last, blanks = _last_line(item)
    if last.rstrip().endswith((":", "{")):
        blanks += "    "
    return blanks[:-1]


def build_messages(item: CompletionItem, *, raw: bool) -> Messages:
    """The indented prompt for a completion model (`raw`), or an instruction for a chat model."""
    text = item.prompt + next_line_indentation(item)
    if not raw:
        title = LANGUAGES[item.language].title
        text = ASKED.format(language=title, tag=item.language, prompt=item.prompt.rstrip("\n"))
    return [{"role": "user", "content": text}]


def assemble_program(item: CompletionItem, response: str, *, raw: bool, truncated: bool) -> str:
    """The whole program: prompt + completion; "" if the answer holds no completion.

    A raw answer continues the indented prompt and is cut where the prompt's function ends. Of a
    chat answer it is the last block that completes the prompt: one that has its open function, or
    goes on in it. What it adds before that function is put before it. An answer that the token
    limit truncated ends after the last line with which the program parses.
    """
    frame = Frame(item)
    if raw:
        completion = Offer(_cut_at_function_end(item, next_line_indentation(item) + response))
    else:
        cleaned = clean_answer(response)
        texts = [block.code for block in read_blocks(cleaned)] or [cleaned]
        if truncated and read_parts(texts[-1], item.language) is None:
            texts[-1] = _trim_to_parsable(replace(item, prompt=""), texts[-1])
        offers = [frame.extract_completion(text, texts) for text in texts]
        completion = max(reversed(offers), key=lambda offer: offer.rank)
    text = _trim_to_parsable(item, completion.text) if truncated else completion.text
    if not text.strip():
        return ""
    prompt = item.prompt.encode()
    head, rest = prompt[: frame.begin], prompt[frame.begin :]
    return (head + completion.before.encode() + rest).decode() + text


@dataclass(frozen=True)
class Offer:
    """What may follow the prompt, and what is put before its open function."""

    text: str
    before: str = ""
    rank: int = 3  # it completes the prompt; 2: it may; 1: it only uses the function


class Frame:
    """What the prompt has opened: the function, and the statements of it that are there."""

    def __init__(self, item: CompletionItem) -> None:
        self.item = item
        self.language = item.language
        self.lines = {line.strip() for line in item.prompt.split("\n")}
        last, self.margin = _last_line(item)
        if last.rstrip().endswith(":"):
            self.margin += "    "
        rest = f"\n{self.margin}pass\n"
        if item.language == "c":
            rest = "}" * (item.prompt.count("{") - item.prompt.count("}"))
        reading = read_parts(item.prompt.rstrip("\n") + rest, item.language)
        self.is_read = reading is not None
        self.reading = reading or Reading(b"", ())
        self.open: list[Part] = []
        parts = self.reading.parts if rest.strip() else ()
        # What is added before the function stands behind the statement that is before it.
        self.begin = parts[-2].end if len(parts) > 1 else 0
        while parts and parts[-1].inside < parts[-1].end:
            self.open.append(parts[-1])
            parts = read_statements(parts[-1].node)
        functions = [part for part in self.open if part.defines]
        self.head = functions[-1] if functions else None
        self.name = next(iter(self.head.defines)) if self.head else ""

    def extract_completion(self, text: str, texts: Sequence[str]) -> Offer:
        """The completion that one block of an answer is; texts: all blocks."""
        if text.strip().startswith(self.item.prompt.strip()):
            return Offer(text.strip()[len(self.item.prompt.strip()) :].lstrip("\n"))
        reading = read_parts(text, self.language) or read_parts(
            textwrap.dedent(text), self.language
        )
        if reading and self.is_read and not self.head:
            if reading.binds & self.reading.binds:
                return Offer(self.new_parts(reading, reading.parts))
            return Offer(text)
        if reading and self.head:
            path = _path_to(reading.parts, self.name)
            if path:
                return self.of_function(reading, path, self.head)
        return self.of_body(text, reading, texts)

    def new_parts(self, reading: Reading, parts: Sequence[Part]) -> str:
        """The statements that the prompt has not, with the comments before them."""
        texts = []
        end = 0  # of the part before
        for part in parts:
            before = reading.code[end : part.start].decode(errors="replace").split("\n")
            text = reading.code[part.start : part.end].decode(errors="replace")
            end = part.end
            is_known = text.split("\n")[0].strip() in self.lines
            if not is_known and not (part.binds and part.binds <= self.reading.binds):
                comments = [line for line in before if line.strip() not in self.lines]
                texts.append("\n".join([*comments, text]).strip())
        return "\n\n".join(texts)

    def of_function(self, reading: Reading, path: Sequence[Part], known: Part) -> Offer:
        """The rest of the function, without the statements that the prompt has."""
        function = path[-1]
        begin = self.after_known(reading, function, known)
        end = function.end if len(path) > 1 else len(reading.code)
        head, *lines = self.rename_parameters(reading, function, begin, end).split("\n")
        while lines and lines[0].strip() in self.lines and lines[0].strip()[:1] in ("", "#", "/"):
            lines.pop(0)
        rest = "\n".join(lines)
        inner = read_statements(function.node)
        if head.strip() and not head.strip().startswith(("#", "//")):
            rest = f"{self.margin}{head.strip()}\n{rest}"
        elif inner and self.language == "python":
            column = _start_column(self.reading, read_statements(known.node)[0])
            rest = _shift_lines(rest, column - _start_column(reading, inner[0]))
        before = reading.parts[: reading.parts.index(path[0])]
        return Offer(rest, _set_apart(self.new_parts(reading, before)))

    def after_known(self, reading: Reading, own: Part, known: Part) -> int:
        """Where the statements end that the prompt has as well."""
        begin = own.inside
        theirs = list(read_statements(own.node))
        for part in read_statements(known.node):
            first = theirs[0] if theirs else None
            is_python = self.language == "python"
            if first and is_python and part in self.open and first.node.type == part.node.type:
                return self.after_known(reading, first, part)
            if first:
                statement = self.rename_parameters(reading, own, first.start, first.end)
                if self.is_there(part, statement):
                    begin = theirs.pop(0).end
        return begin

    def is_there(self, part: Part, statement: str) -> bool:
        """Is this a statement of the prompt again, or another docstring?"""
        known = self.reading.code[part.start : part.end].decode()
        one = _normalize_statement(known)
        two = _normalize_statement(statement)
        return one == two or (one[:1] == two[:1] == '"')

    def rename_parameters(self, reading: Reading, own: Part, begin: int, end: int) -> str:
        """The code with the names of the prompt's parameters."""
        parameters = self.head.parameters if self.head else ()
        new = [name for name in own.parameters if name not in parameters]
        old = [name for name in parameters if name not in own.local]
        code = reading.code[begin:end].decode(errors="replace")
        if len(new) == len(old):
            for name, known in zip(new, old, strict=True):
                code = re.sub(rf"(?<![\w.>\"']){name}(?![\w\"'])", known, code)
        return code

    def of_body(self, text: str, reading: Reading | None, texts: Sequence[str]) -> Offer:
        """A body, with the one indentation with which the program parses."""
        moved = textwrap.indent(textwrap.dedent(text), self.margin)
        tries = [text, moved, self.margin + text.lstrip()] if self.language == "python" else [text]
        if text.strip() and not text.lstrip("\n")[0].isspace() and self.margin:
            tries = tries[1:]
        fitting = [t for t in tries if can_parse(self.item.prompt + t, self.language)]
        if not fitting:
            return Offer(text, rank=2)
        if self.head is None:
            return Offer(fitting[0], rank=2)
        body = reading or read_parts(textwrap.dedent(fitting[0]), self.language)
        if body is None:
            return Offer(fitting[0])
        inner_names = self.head.local - {self.name}
        rank = 2
        if any(part.returns for part in body.parts) or body.needs & inner_names:
            rank = 3
        elif self.name in body.needs:
            rank = 1
        others = []
        for other in texts:
            if other != text:
                helpers = read_parts(other, self.language)
                if helpers and body.needs & helpers.defines.keys():
                    others.append(other)
        return Offer(fitting[0], _set_apart("\n\n".join(others)), rank)


def _normalize_statement(text: str) -> str:
    return re.sub(r"\s", "", text).replace("'", '"')


def _set_apart(text: str) -> str:
    return f"\n\n\n{text}" if text.strip() else ""


def _path_to(parts: Sequence[Part], name: str) -> list[Part]:
    """The parts around the last function of this name, and it."""
    for part in reversed(parts):
        if name in part.binds and name in part.defines:
            return [part]
        inner = _path_to(read_statements(part.node), name)
        if inner:
            return [part, *inner]
    return []


def _start_column(reading: Reading, part: Part) -> int:
    return part.start - reading.code.rfind(b"\n", 0, part.start) - 1


def _shift_lines(text: str, columns: int) -> str:
    if columns >= 0:
        return textwrap.indent(text, " " * columns)
    return re.sub(rf"^ {{1,{-columns}}}", "", text, flags=re.MULTILINE)


def strip_prompt(prompt: str, program: str) -> str:
    """The program without its prompt."""
    if program.startswith(prompt):
        return program[len(prompt) :]
    same = len(os.path.commonprefix([prompt, program]))
    before, _, after = program[same:].partition(prompt[same:])
    return before + after


def can_parse(text: str, language: str) -> bool:
    """Does the program parse?"""
    if language == "python":
        return try_parse_python(text) is not None
    return not tree.parse(text, language).has_error


def _cut_at_function_end(item: CompletionItem, text: str) -> str:
    """The text up to the first line at the margin (C: a closing one) where the program parses."""
    lines = text.splitlines(keepends=True)
    for end, line in enumerate(lines):
        is_end = end > 0 and not line[:1].isspace()
        if item.language == "c":
            end += 1  # the closing line is a part of the function
            is_end = line.startswith("}")
        if is_end and can_parse(item.prompt + "".join(lines[:end]), item.language):
            return "".join(lines[:end])
    return text


def _trim_to_parsable(item: CompletionItem, text: str) -> str:
    """The text up to the last line with which the program parses."""
    if item.language == "c":
        return text  # a C function without its end does not compile
    lines = text.splitlines(keepends=True)
    for count in range(len(lines), 0, -1):
        start = "".join(lines[:count])
        if can_parse(item.prompt + start, item.language):
            return start
    return text


def _last_line(item: CompletionItem) -> tuple[str, str]:
    """The prompt's last line that is not blank, and its indentation."""
    for line in reversed(item.prompt.split("\n")):
        if line.strip():
            return line, line[: len(line) - len(line.lstrip())]
    return "", ""
