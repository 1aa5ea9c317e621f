"""C text cut into tokens, and the function definitions in it; no compiler, so fragments will do."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<space>\s+|\\\n)|(?P<comment>/\*.*?(?:\*/|\Z)|//(?:\\\n|[^\n])*)
    |(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<word>[A-Za-z_]\w*)|(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)((?:\\\n|/\*.*?\*/|[^\n])*)", re.DOTALL)
KEYWORDS = frozenset(
    "if else for while do switch case return sizeof goto break continue struct union enum typedef "
    "static extern inline const volatile register void char short int long float double signed "
    "unsigned _Alignof _Alignas __attribute__ __declspec __asm__ asm".split()
)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*", re.MULTILINE)
QUIET = frozenset(["static", "inline", "register", "extern", "__inline", "__inline__"])
UNMOVABLE = re.compile(
    r"\b(?:asm|__asm__|__asm|setjmp|sigsetjmp|__builtin_(?:return|frame)_address"
    r"|__builtin_apply|__label__)\b|[=(,?:]\s*&&\s*\w|goto\s*\*|^[ \t]*#[ \t]*(?:define|undef)\b",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Token:
    kind: str  # word, mark, text, directive
    text: str
    at: int


@dataclass(frozen=True)
class Definition:
    """A function definition in a text: [start, end), its body from `open` on.

    names: identifiers of the declarator that stand before a bracket, with their offsets.
    """

    start: int
    open: int
    end: int
    names: tuple[tuple[str, int], ...]

    @property
    def name(self) -> str:
        """The function's name: macros and attributes stand before it."""
        return self.names[-1][0]

    def place(self, name: str) -> int | None:
        """Where the declarator names `name`."""
        return next((at for word, at in self.names if word == name), None)


def tokens(text: str) -> Iterator[Token]:
    """Words, marks, literals and whole preprocessor lines; white space and comments are dropped."""
    at, fresh = 0, True
    while at < len(text):
        if fresh and (line := DIRECTIVE.match(text, at)):
            yield Token("directive", line[1], at)
            at = line.end()
            continue
        found = TOKEN.match(text, at)
        assert found is not None, "every character is a mark at least"
        kind = found.lastgroup or ""
        if kind in ("space", "comment"):
            fresh = fresh or "\n" in found[0]
        else:
            yield Token(kind, found[0], at)
            fresh = False
        at = found.end()


def definitions(text: str) -> tuple[list[Definition], bool]:
    """The function definitions at the outermost level, and whether all brackets are balanced.

    The alternatives of #if ... #else count as one text.
    """
    found: list[Definition] = []
    branches: list[tuple[int, int]] = []  # (depth, brackets) where each #if began
    depth = brackets = lowest = 0
    held: list[Token] = []  # of the declaration so far
    names: list[tuple[str, int]] = []
    opened, assigned = -1, False
    for token in tokens(text):
        mark, ended = token.text, False
        if token.kind == "directive":
            if mark in ("if", "ifdef", "ifndef"):
                branches.append((depth, brackets))
            elif mark in ("else", "elif") and branches:
                depth, brackets = branches[-1]
            elif mark == "endif" and branches:
                branches.pop()
            continue
        held.append(token)
        if token.kind != "mark":
            continue
        if mark == "{":
            if depth == 0:
                body = bool(names) and not assigned and brackets == 0
                opened = token.at if body and ")" in [t.text for t in held[-3:-1]] else -1
            depth += 1
        elif mark == "}":
            depth -= 1
            lowest = min(lowest, depth)
            if ended := depth == 0 and opened >= 0:
                found.append(Definition(held[0].at, opened, token.at + 1, tuple(names)))
        elif depth == 0 and mark == "(":
            if len(held) > 1 and held[-2].kind == "word" and held[-2].text not in KEYWORDS:
                names.append((held[-2].text, held[-2].at))
            brackets += 1
        elif depth == 0 and mark == ")":
            brackets -= 1
        elif depth == 0 and brackets == 0:
            assigned = assigned or mark == "="
            ended = mark == ";"
        if ended:
            held, names, opened, assigned = [], [], -1, False
    return found, depth == brackets == 0 and lowest == 0


def statics(text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """(offset, text, names) of each static declaration outside functions that is no definition."""
    bodies = definitions(text)[0][::-1]
    start, depth, assigned, static, before = -1, 0, False, False, ""
    names: list[str] = []
    for token in tokens(text):
        if bodies and token.at >= bodies[-1].end:
            bodies.pop()
        if token.kind == "directive" or (bodies and token.at >= bodies[-1].start):
            start = -1
            continue
        if start < 0:
            start, depth, assigned, static, names = token.at, 0, False, False, []
        static = static or token.text == "static"
        if token.text in "=[(,;" and depth == 0 and not assigned and before.isidentifier():
            names.append(before)
        assigned = (assigned or token.text == "=") and not (token.text == "," and depth == 0)
        depth += (token.text in "{[(") - (token.text in ")]}")
        before = token.text
        if token.text == ";" and depth == 0:
            if static:
                yield start, text[start : token.at + 1], tuple(names)
            start = -1


def word_at(text: str, at: int) -> str:
    """The identifier that begins there."""
    found = re.compile(r"\w+").match(text, at)
    return found[0] if found else ""


def named(text: str, name: str) -> Definition:
    """The definition of that function in a text that holds one."""
    return next(d for d in definitions(text)[0] if d.place(name) is not None)


def head(text: str, definition: Definition) -> list[str]:
    """The tokens of the declaration before the body, without what changes no caller."""
    part = text[definition.start : definition.open]
    return [t.text for t in tokens(part) if t.text not in QUIET]
