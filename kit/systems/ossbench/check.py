"""Is an edit compilable? Only what it touches is compiled, and the link is proved by symbols.

A test program that includes the edited file is only parsed: its object would hold the same symbols.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from kit.errors import KitError
from kit.systems.ossbench.edit import Edit, apply
from kit.systems.ossbench.extract import text_of
from kit.systems.ossbench.project import Program
from kit.systems.ossbench.toolchain import Workshop

STRONG = frozenset("TDBRSGC")  # defined for others to use, and once only
WEAK = frozenset("WVui")
Symbols = frozenset[tuple[str, str]]
LINKER = {"_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "__tls_get_addr", "_DYNAMIC", "__dso_handle",
          "_end", "_edata", "__bss_start", "__ehdr_start", "__executable_start"}  # fmt: skip


class Build(StrEnum):
    """What an edit did to the build."""

    SUCCESS = "success"
    FAILURE = "failure"
    UNRELATED = "unrelated"


@dataclass(frozen=True)
class Checked:
    """The result for one edit, and the sentence of the compiler or of the link that decided it."""

    build: Build
    why: str = ""


def defined(symbols: Symbols, kinds: frozenset[str] = STRONG | WEAK) -> set[str]:
    return {name for kind, name in symbols if kind in kinds}


def undefined(symbols: Symbols) -> set[str]:
    return {name for kind, name in symbols if kind == "U"}


class Checker:
    """The baseline's symbols, made once, and the check of edits against them."""

    def __init__(self, shop: Workshop, readers: Mapping[str, tuple[str, ...]]) -> None:
        self.shop, self.project, self.readers = shop, shop.project, readers

    @cached_property
    def baseline(self) -> dict[str, Symbols]:
        """Symbols of every unit of the original. An original that does not compile is an error."""
        out = {}
        for unit in self.project.units:
            done = self.shop.check(unit, {})
            if not done.ok:
                said = first_error(done.log)
                raise KitError(f"The original {unit.source} does not compile: {said}")
            out[unit.source] = done.symbols
        return out

    @cached_property
    def libraries(self) -> dict[tuple[str, ...], frozenset[str]]:
        kinds = {p.libraries: p for p in self.project.programs}
        return {words: self.shop.exported(p) for words, p in kinds.items()}

    def begin(self) -> None:
        """What every check needs, before several threads ask for it."""
        _ = self.baseline, self.libraries

    def check(self, edit: Edit, *, full: bool = False) -> Checked:
        """Success, or failure with its first error; a file outside the build is unrelated.

        full: the paper's way, in which everything is built again.
        """
        units = self.project.touched(edit.path, self.readers.get(edit.path, ()))
        if not units:
            return Checked(Build.UNRELATED, "No compilation of the build reads this function.")
        texts = {edit.path: apply(text_of(self.project.tree / edit.path), [edit])}
        if full:
            ok, log = self.shop.rebuild(texts)
            return Checked(Build.SUCCESS) if ok else Checked(Build.FAILURE, first_error(log))
        own = tuple(u for u in units if u.source == edit.path) or units
        symbols = {}
        for unit in own:
            done = self.shop.check(unit, texts)
            if not done.ok:
                return Checked(Build.FAILURE, first_error(done.log))
            symbols[unit.source] = done.symbols
        including = tuple(u for u in units if u not in own)
        if including and not (done := self.shop.parse(including, texts)).ok:
            return Checked(Build.FAILURE, first_error(done.log))
        why = self.link_error(symbols)
        return Checked(Build.FAILURE, why) if why else Checked(Build.SUCCESS)

    def link_error(self, fresh: Mapping[str, Symbols]) -> str:
        """What a linker would refuse in the programs that hold these new objects, or ""."""
        changed = {s for s, symbols in fresh.items() if symbols != self.baseline[s]}
        for program in self.project.programs:
            if changed & set(program.sources) and (why := self._program(program, fresh)):
                return why
        return ""

    def _program(self, program: Program, fresh: Mapping[str, Symbols]) -> str:
        parts = {s: fresh.get(s, self.baseline[s]) for s in program.sources}
        there = set(self.libraries[program.libraries]) | LINKER
        there = there.union(*(defined(p) for p in parts.values()))
        for path, symbols in parts.items():
            if lost := sorted(undefined(symbols) - there):
                return f"undefined reference to `{lost[0]}' in {path}"
        return twice(parts)


def twice(parts: Mapping[str, Symbols]) -> str:
    """A name that two objects define for the whole program, as a sentence, or ""."""
    owner: dict[str, str] = {}
    for path, symbols in parts.items():
        for name in sorted(defined(symbols, STRONG)):
            if owner.setdefault(name, path) != path:
                return f"multiple definition of `{name}' in {owner[name]} and {path}"
    return ""


def first_error(log: str) -> str:
    """The first line of a compiler's output that says error, without the folder of the tree."""
    lines = [line for line in log.splitlines() if "error" in line or "undefined" in line]
    return (lines or log.splitlines() or ["no word"])[0].replace("/mnt/", "")[:300]


def readers(rows: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """path -> units, from the table's columns path and units (JSON)."""
    return {path: tuple(json.loads(units)) for path, units in rows if path}
