"""A model's answer becomes one function of the same name, and takes the original's place."""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kit.errors import KitError
from kit.suites.cproject import source

ARMS = ("improve", "synthesis", "repair", "contamination")


@dataclass(frozen=True)
class Edit:
    """One function and what shall stand in its place. `row` is its line in the table."""

    index: int
    name: str
    path: str
    start: int
    end: int
    original: str
    text: str

    @property
    def changed(self) -> int:
        """Delta of this function: differing lines, a replaced one counted once."""
        return changed_lines(self.original, self.text)


def prompt(row: Mapping[str, Any], *, arm: str = "improve") -> list[dict[str, str]]:
    """The messages that ask for one function; arms: improve, synthesis, repair, contamination."""
    if arm not in ARMS:
        raise KitError(f"Unknown prompt {arm!r}. Use one of: {', '.join(ARMS)}.")
    whole = (row["comment"] + "\n" if row["comment"] else "") + row["original_function"]
    text = resources.files("kit.suites.cproject").joinpath("prompts", f"{arm}.txt").read_text()
    system, _, user = text.partition("\n---\n")
    first = source.definitions(row["original_function"])[0][0]
    signature = row["original_function"][: first.open].strip()
    values = {"function": whole, "signature": signature, "comment": row["comment"]}
    for name, value in values.items():
        user = user.replace("{" + name + "}", value)
    return [{"role": "system", "content": system.strip()},
            {"role": "user", "content": user.strip()}]  # fmt: skip


def function_in(answer: str, name: str) -> tuple[str, str]:
    """(the function's text, "") or ("", a sentence): exactly one definition, of that name."""
    found, balanced = source.definitions(answer)
    if not balanced:
        return "", "The brackets of the answer are not balanced."
    if len(found) != 1:
        return "", f"The answer defines {len(found)} functions, not one."
    if found[0].place(name) is None:
        names = ", ".join(n for n, _ in found[0].names)
        return "", f"The answer defines {names}, not {name}."
    return answer[found[0].start : found[0].end], ""


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
