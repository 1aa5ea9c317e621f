"""C text cut into tokens, and the function definitions in it; no compiler, so fragments will do.

A model's answer becomes one function of the same name, and takes the original's place.
"""

import difflib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

from kit.core.errors import KitError
from kit.core.paths import read_text
from kit.core.records import content_key

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


ARMS = ("improve", "paper", "synthesis", "repair", "contamination")
PROMPTS = Path(__file__).with_name("prompts")
MOST_CHARS = 50_000  # of an answer; the longest function that is asked for has a few thousand


@cache
def codec_of(path: Path) -> str:
    """What a source is read and written back with: UTF-8, or Latin-1 where it is none."""
    try:
        path.read_bytes().decode()
    except UnicodeDecodeError:
        return "latin-1"
    return "utf-8"


@cache
def text_of(path: Path) -> str:
    """A source as text, byte for byte: encoded with its codec it is the file."""
    return path.read_bytes().decode(codec_of(path))


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
        for word, at in self.names:
            if word == name:
                return at
        return None


@dataclass(frozen=True)
class Static:
    """A static declaration outside functions, from `start` on; the names that it declares."""

    start: int
    text: str
    names: tuple[str, ...]


def split_tokens(text: str) -> Iterator[Token]:
    """Words, marks, literals and whole preprocessor lines; white space and comments are dropped."""
    at = 0
    fresh = True  # nothing but white space stands before `at` in its line
    while at < len(text):
        directive = DIRECTIVE.match(text, at) if fresh else None
        if directive:
            yield Token("directive", directive[1], at)
            at = directive.end()
            continue
        match = TOKEN.match(text, at)
        assert match is not None, "every character is a mark at least"
        kind = match.lastgroup or ""
        if kind in ("space", "comment"):
            fresh = fresh or "\n" in match[0]
        else:
            yield Token(kind, match[0], at)
            fresh = False
        at = match.end()


def find_definitions(text: str) -> tuple[list[Definition], bool]:
    """The function definitions at the outermost level, and whether all brackets are balanced.

    The alternatives of #if ... #else count as one text.
    """
    complete: list[Definition] = []
    branches: list[tuple[int, int]] = []  # (depth, brackets) where each #if began
    depth = brackets = lowest = 0
    words: list[Token] = []  # of the declaration so far
    names: list[tuple[str, int]] = []
    opened = -1
    assigned = False
    for token in split_tokens(text):
        mark = token.text
        ended = False
        if token.kind == "directive":
            if mark in ("if", "ifdef", "ifndef"):
                branches.append((depth, brackets))
            elif mark in ("else", "elif") and branches:
                depth, brackets = branches[-1]
            elif mark == "endif" and branches:
                branches.pop()
            continue
        words.append(token)
        if token.kind != "mark":
            continue
        if mark == "{":
            if depth == 0:
                opened = -1
                if names and not assigned and brackets == 0:
                    if ")" in [t.text for t in words[-3:-1]]:
                        opened = token.at
            depth += 1
        elif mark == "}":
            depth -= 1
            lowest = min(lowest, depth)
            ended = depth == 0 and opened >= 0
            if ended:
                complete.append(Definition(words[0].at, opened, token.at + 1, tuple(names)))
        elif depth == 0 and mark == "(":
            if len(words) > 1 and words[-2].kind == "word" and words[-2].text not in KEYWORDS:
                names.append((words[-2].text, words[-2].at))
            brackets += 1
        elif depth == 0 and mark == ")":
            brackets -= 1
        elif depth == 0 and brackets == 0:
            assigned = assigned or mark == "="
            ended = mark == ";"
        if ended:
            words, names = [], []
            opened = -1
            assigned = False
    return complete, depth == brackets == 0 and lowest == 0


def find_statics(text: str) -> Iterator[Static]:
    """The static declarations outside functions that define no function."""
    bodies = find_definitions(text)[0][::-1]
    start = -1  # of the declaration that is read; -1 between two
    before = ""
    for token in split_tokens(text):
        if bodies and token.at >= bodies[-1].end:
            bodies.pop()
        if token.kind == "directive" or (bodies and token.at >= bodies[-1].start):
            start = -1
            continue
        if start < 0:
            start, depth = token.at, 0
            names: list[str] = []
            is_assigned = is_static = False
        mark = token.text
        if mark == "static":
            is_static = True
        if mark in "=[(,;" and depth == 0 and not is_assigned and before.isidentifier():
            names.append(before)
        if mark == "=":
            is_assigned = True
        elif mark == "," and depth == 0:
            is_assigned = False
        if mark in "{[(":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        before = mark
        if mark == ";" and depth == 0:
            if is_static:
                yield Static(start, text[start : token.at + 1], tuple(names))
            start = -1


def pick_definition(text: str, name: str) -> Definition:
    """The definition of that function in a text that holds one."""
    return next(d for d in find_definitions(text)[0] if d.place(name) is not None)


def declaration_tokens(text: str, definition: Definition) -> list[str]:
    """The tokens of the declaration before the body, without specifiers that no caller sees."""
    part = text[definition.start : definition.open]
    return [t.text for t in split_tokens(part) if t.text not in QUIET]


@dataclass(frozen=True)
class Edit:
    """One function and what shall stand in its place.

    parameters, void, variadic: how it is called. units: the compilations that read its file.
    """

    index: int
    name: str
    path: str
    start: int
    end: int
    original: str
    text: str
    parameters: tuple[str, ...] = ()
    void: bool = False
    variadic: bool = False
    units: tuple[str, ...] = ()

    @classmethod
    def of(cls, row: Mapping[str, Any], text: str) -> "Edit":
        """The edit of the function in this line of the table."""
        return cls(
            row["function_index"],
            row["name"],
            row["path"],
            row["start"],
            row["end"],
            row["original_function"],
            text,
            tuple(json.loads(row["parameters"] or "[]")),
            bool(row["void"]),
            bool(row["variadic"]),
            tuple(json.loads(row["units"] or "[]")),
        )

    @property
    def changed_line_count(self) -> int:
        """Delta of this function: differing lines, a replaced one counted once."""
        return changed_lines(self.original, self.text)


def index_of(task_id: str) -> int:
    """The function's number in the table: that of cjson:00012 is 12."""
    return int(task_id.rpartition(":")[2])


def text_with_comment(row: Mapping[str, Any]) -> str:
    """The function as a question shows it: with the comment before it."""
    function, comment = str(row["original_function"]), row["comment"]
    return f"{comment}\n{function}" if comment else function


def function_key(row: Mapping[str, Any]) -> str:
    """Equal where file, name, text and comment of a function are equal, in whatever release."""
    return content_key(row["path"], row["name"], text_with_comment(row))


def compare_functions(
    older: Iterable[Mapping[str, Any]], newer: Iterable[Mapping[str, Any]]
) -> dict[str, list[str]]:
    """Functions (`path: name`) of two releases: the same, changed, new in the newer, gone of it."""
    before = {f"{row['path']}: {row['name']}": function_key(row) for row in older}
    after = {f"{row['path']}: {row['name']}": function_key(row) for row in newer}
    kinds: dict[str, list[str]] = {"same": [], "changed": [], "new": []}
    for name, key in after.items():
        if name not in before:
            kinds["new"].append(name)
        else:
            kinds["same" if before[name] == key else "changed"].append(name)
    return {**kinds, "gone": [name for name in before if name not in after]}


def read_template(path: Path) -> str:
    """A prompt: what the system says, a line of three hyphens, the question.

    The question shows {function}, with the comment before it, or {signature}, beside {comment}.
    """
    text = read_text(path)
    question = text.partition("\n---\n")[2]
    if "{function}" not in question and "{signature}" not in question:
        raise KitError(
            f"{path} is no prompt: below a line --- it needs {{function}} or {{signature}}."
        )
    return text


def template_name(path: Path) -> str:
    """The arm of a prompt from a file: another text under the same name is another arm."""
    return f"{path.stem}-{content_key(read_template(path))[:8]}"


def build_messages(
    row: Mapping[str, Any], *, arm: str = "improve", template: Path | None = None
) -> list[dict[str, str]]:
    """The messages that ask for one function, by a prompt of ours or of the file `template`."""
    if arm in ARMS:
        text = read_template(PROMPTS / f"{arm}.txt")
    elif template is not None and arm == template_name(template):
        text = read_template(template)
    else:
        raise KitError(f"Unknown prompt {arm!r}. Use one of: {', '.join(ARMS)}; or --template.")
    system, _, user = text.partition("\n---\n")
    first = find_definitions(row["original_function"])[0][0]
    signature = row["original_function"][: first.open].strip()
    values = {"function": text_with_comment(row), "signature": signature, "comment": row["comment"]}
    for name, value in values.items():
        user = user.replace("{" + name + "}", value)
    return [
        {"role": "system", "content": system.strip()},
        {"role": "user", "content": user.strip()},
    ]


def function_in(answer: str, name: str, defined: Collection[str] = ()) -> tuple[str, str]:
    """(the function's text, "") or ("", a sentence): the one definition of that name.

    What else of the answer it needs stands before it: functions, made static, and static variables;
    what the file has itself (defined) is left out. Lines of #include stand before all.
    """
    if len(answer) > MOST_CHARS:
        return "", f"The answer has {len(answer):,} characters; at most {MOST_CHARS:,} are read."
    functions, balanced = find_definitions(answer)
    if not balanced:
        return "", "The brackets of the answer are not balanced."
    matches = [d for d in functions if d.place(name) is not None]
    if not matches:
        others = ", ".join(d.name for d in functions)
        return "", f"The answer defines {others or 'no function'}, not {name}."
    if len(matches) > 1:
        return "", f"The answer defines {name} {len(matches)} times, not once."
    text = answer[matches[0].start : matches[0].end]
    functions.remove(matches[0])
    parts = [(d.start, d.name, _make_static(answer, d)) for d in functions]
    for static in find_statics(answer):
        parts += [(static.start, variable, static.text) for variable in static.names]
    beside = sorted(part for part in parts if part[1] not in {*defined, name})
    needed = _find_needed_names(text, beside)
    before = dict.fromkeys(part for _, owner, part in beside if owner in needed)
    texts = [*before, text]
    included = dict.fromkeys(INCLUDE.findall(answer))
    if included:
        texts.insert(0, "\n".join(included))
    return "\n\n".join(texts), ""


def _find_needed_names(text: str, beside: Iterable[tuple[int, str, str]]) -> set[str]:
    """The names that the text uses, or that what it uses does."""
    needed: set[str] = set()
    todo = [text]
    while todo:
        words = {t.text for t in split_tokens(todo.pop()) if t.kind == "word"} - needed
        for _, name, part in beside:
            if name in words:
                todo.append(part)
                needed.add(name)
    return needed


def _make_static(text: str, helper: Definition) -> str:
    """A helper's text, of internal linkage whatever the answer gave it."""
    head, body = text[helper.start : helper.open], text[helper.open : helper.end]
    words = [t for t in split_tokens(head) if t.kind == "word"]
    if "static" in [word.text for word in words]:
        return head + body
    for word in reversed(words):
        if word.text == "extern":
            head = head[: word.at] + head[word.at + len(word.text) :].lstrip()
    return f"static {head}{body}"


@cache
def defined_in(path: Path) -> frozenset[str]:
    """The functions and static names that a source defines; none where there is no such file."""
    if not path.is_file():
        return frozenset()
    text = text_of(path)
    defined = {definition.name for definition in find_definitions(text)[0]}
    for static in find_statics(text):
        defined.update(static.names)
    return frozenset(defined)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The file with every edit at its offsets, last one first.

    Raises KitError where the text at the offsets is not the function that the edit replaces.
    """
    for e in sorted(edits, key=attrgetter("start"), reverse=True):
        if text[e.start : e.end] != e.original:
            raise KitError(f"{e.path} does not hold {e.name} at {e.start}; extract it again.")
        text = text[: e.start] + e.text + text[e.end :]
    return text


def differing_lines(old: str, new: str) -> int:
    """Delta as the released code counts it: ndiff's lines + and -, so a replaced line is two.

    old: the function without the comment before it. new: all the code of the answer.
    """
    lines = difflib.ndiff(old.strip("\n").splitlines(), new.strip("\n").splitlines())
    return sum(1 for line in lines if line.startswith(("+ ", "- ")))


def changed_lines(old: str, new: str) -> int:
    """max(deleted, inserted) over difflib's blocks of lines; white space at line ends is none."""
    before = [line.rstrip() for line in old.splitlines()]
    after = [line.rstrip() for line in new.splitlines()]
    blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    count = 0
    for kind, start, end, new_start, new_end in blocks:
        if kind != "equal":
            count += max(end - start, new_end - new_start)
    return count
