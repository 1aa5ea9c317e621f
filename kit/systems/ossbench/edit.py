"""A model's answer becomes one function of the same name, and takes the original's place."""

import difflib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.systems.ossbench import source
from kit.systems.ossbench.extract import text_of

ARMS = ("improve", "synthesis", "repair", "contamination")
MOST_CHARS = 50_000  # of an answer; the longest function that is asked for has a few thousand


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
        where = (row["path"], row["start"], row["end"], row["original_function"], text)
        called = (tuple(json.loads(row["parameters"] or "[]")), bool(row["void"]))
        units = tuple(json.loads(row["units"] or "[]"))
        return cls(row["function_index"], row["name"], *where, *called, bool(row["variadic"]),
                   units)  # fmt: skip

    @property
    def changed(self) -> int:
        """Delta of this function: differing lines, a replaced one counted once."""
        return changed_lines(self.original, self.text)


def shown(row: Mapping[str, Any]) -> str:
    """The function as a question shows it: with the comment before it."""
    return (row["comment"] + "\n" if row["comment"] else "") + str(row["original_function"])


def prompt(row: Mapping[str, Any], *, arm: str = "improve") -> list[dict[str, str]]:
    """The messages that ask for one function; arms: improve, synthesis, repair, contamination."""
    if arm not in ARMS:
        raise KitError(f"Unknown prompt {arm!r}. Use one of: {', '.join(ARMS)}.")
    whole = shown(row)
    text = resources.files("kit.systems.ossbench").joinpath("prompts", f"{arm}.txt").read_text()
    system, _, user = text.partition("\n---\n")
    first = source.definitions(row["original_function"])[0][0]
    signature = row["original_function"][: first.open].strip()
    values = {"function": whole, "signature": signature, "comment": row["comment"]}
    for name, value in values.items():
        user = user.replace("{" + name + "}", value)
    return [{"role": "system", "content": system.strip()},
            {"role": "user", "content": user.strip()}]  # fmt: skip


def function_in(answer: str, name: str, known: Collection[str] = ()) -> tuple[str, str]:
    """(the function's text, "") or ("", a sentence): the one definition of that name.

    What else of the answer it needs stands before it: functions, made static, and static variables;
    what the file defines itself (known) is left out. Lines of #include stand before all.
    """
    if len(answer) > MOST_CHARS:
        return "", f"The answer has {len(answer):,} characters; at most {MOST_CHARS:,} are read."
    found, balanced = source.definitions(answer)
    if not balanced:
        return "", "The brackets of the answer are not balanced."
    asked = [d for d in found if d.place(name) is not None]
    if not asked:
        names = ", ".join(d.name for d in found) or "no function"
        return "", f"The answer defines {names}, not {name}."
    if len(asked) > 1:
        return "", f"The answer defines {name} {len(asked)} times, not once."
    text = answer[asked[0].start : asked[0].end]
    parts = [(d.start, d.name, _static(answer, d)) for d in found if d is not asked[0]]
    parts += [(at, n, words) for at, words, names in source.statics(answer) for n in names]
    beside = sorted(part for part in parts if part[1] not in {*known, name})
    needed = _needed(text, beside)
    before = dict.fromkeys(words for _, n, words in beside if n in needed)
    included = dict.fromkeys(source.INCLUDE.findall(answer))
    return "\n\n".join([*filter(None, ["\n".join(included)]), *before, text]), ""


def _needed(text: str, beside: Iterable[tuple[int, str, str]]) -> set[str]:
    """The names that the text uses, or that what it uses does."""
    needed: set[str] = set()
    todo = [text]
    while todo:
        words = {t.text for t in source.tokens(todo.pop()) if t.kind == "word"} - needed
        todo += [part for _, name, part in beside if name in words]
        needed |= {name for _, name, _ in beside if name in words}
    return needed


def _static(text: str, helper: source.Definition) -> str:
    """A helper's text, of internal linkage whatever the answer gave it."""
    head, body = text[helper.start : helper.open], text[helper.open : helper.end]
    words = [t for t in source.tokens(head) if t.kind == "word"]
    if any(t.text == "static" for t in words):
        return head + body
    for t in reversed(words):
        if t.text == "extern":
            head = head[: t.at] + head[t.at + len(t.text) :].lstrip()
    return f"static {head}{body}"


@cache
def defined_in(path: Path) -> frozenset[str]:
    """The functions and static names that a source defines; none where there is no such file."""
    text = text_of(path) if path.is_file() else ""
    beside = {name for *_, names in source.statics(text) for name in names}
    return frozenset(beside | {d.name for d in source.definitions(text)[0]})


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The file with every edit at its offsets, last one first.

    Raises KitError where the text at the offsets is not the function that the edit replaces.
    """
    for e in sorted(edits, key=lambda e: -e.start):
        if text[e.start : e.end] != e.original:
            raise KitError(f"{e.path} does not hold {e.name} at {e.start}; extract it again.")
        text = text[: e.start] + e.text + text[e.end :]
    return text


def changed_lines(old: str, new: str) -> int:
    """max(deleted, inserted) over difflib's blocks of lines; white space at line ends is none."""
    a, b = ([line.rstrip() for line in t.splitlines()] for t in (old, new))
    blocks = difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return sum(max(i2 - i1, j2 - j1) for kind, i1, i2, j1, j2 in blocks if kind != "equal")
