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


class Reader:
    """Walks over external declarations; the alternatives of #if ... #else count as one text."""

    def __init__(self) -> None:
        self.found: list[Definition] = []
        self.depth = self.round = 0
        self.stack: list[tuple[int, int]] = []
        self.lowest = 0
        self._begin()

    def _begin(self) -> None:
        self.start, self.open, self.assigned = -1, -1, False
        self.names: list[tuple[str, int]] = []
        self.before = self.last = Token("mark", "", -1)

    def directive(self, word: str) -> None:
        if word in ("if", "ifdef", "ifndef"):
            self.stack.append((self.depth, self.round))
        elif word in ("else", "elif") and self.stack:
            self.depth, self.round = self.stack[-1]
        elif word == "endif" and self.stack:
            self.stack.pop()

    def take(self, token: Token) -> None:
        if token.kind == "directive":
            self.directive(token.text)
            return
        if self.start < 0:
            self.start = token.at
        if token.kind == "mark":
            self._mark(token)
        self.before, self.last = self.last, token

    def _mark(self, token: Token) -> None:
        mark = token.text
        if mark == "{":
            self._open(token)
        elif mark == "}":
            self._close(token)
        elif self.depth == 0:
            if mark == "(":
                if self.last.kind == "word" and self.last.text not in KEYWORDS:
                    self.names.append((self.last.text, self.last.at))
                self.round += 1
            elif mark == ")":
                self.round -= 1
            elif mark == "=" and self.round == 0:
                self.assigned = True
            elif mark == ";" and self.round == 0:
                self._begin()

    def _open(self, token: Token) -> None:
        if self.depth == 0:
            body = bool(self.names) and not self.assigned and self.round == 0
            after = self.last.text == ")" or self.before.text == ")"
            self.open = token.at if body and after else -1
        self.depth += 1

    def _close(self, token: Token) -> None:
        self.depth -= 1
        self.lowest = min(self.lowest, self.depth)
        if self.depth == 0 and self.open >= 0:
            self.found.append(Definition(self.start, self.open, token.at + 1, tuple(self.names)))
            self._begin()


def definitions(text: str) -> tuple[list[Definition], bool]:
    """The function definitions at the outermost level, and whether all brackets are balanced."""
    reader = Reader()
    for token in tokens(text):
        reader.take(token)
    balanced = reader.depth == 0 and reader.round == 0 and reader.lowest >= 0
    return reader.found, balanced


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
