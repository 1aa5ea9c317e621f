"""Mutant schemata: one build holds original and edited body of every function behind a switch."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kit.pool import pool
from kit.suites.cproject import source
from kit.suites.cproject.edit import Edit, apply
from kit.suites.cproject.extract import text_of
from kit.suites.cproject.project import Unit
from kit.suites.cproject.toolchain import CORES, Workshop

MARK = "__kit"  # cJSON_Parse__kit17 is the edited body of edit 17
WAS = f"{MARK}was"  # of a function with `...`: the original's body
SWITCHES = "kit_switch.c"
SWITCH_C = """
#include <stdlib.h>
#include <unistd.h>
#define LAST %(last)d
unsigned char kit_switch[LAST + 1];
static int channel = -1;

/* Taken: the edited body runs. The first time it says so on the channel, by its number. */
int kit_take(unsigned n) {
    if (kit_switch[n] == 1) {
        char text[12];
        int at = sizeof text;
        unsigned rest = n;
        kit_switch[n] = 2;
        text[--at] = '\\n';
        do { text[--at] = (char)('0' + rest %% 10); rest /= 10; } while (rest);
        if (channel >= 0 && write(channel, text + at, sizeof text - at) < 0) channel = -1;
    }
    return 1;
}

__attribute__((constructor(101))) static void kit_begin(void) {
    const char *given = getenv("KIT_EDITS"), *number = getenv("KIT_CHANNEL");
    unsigned n = 0;
    if (number && *number >= '0' && *number <= '9') channel = atoi(number);
    for (; given && *given; given++) {
        if (*given == ',') { if (n <= LAST) kit_switch[n] = 1; n = 0; }
        else n = 10 * n + (unsigned)(*given - '0');
    }
}
"""


@dataclass(frozen=True)
class Schemata:
    """Texts of the changed files; which edits are behind a switch, and which need a rebuild."""

    texts: Mapping[str, str]
    switched: tuple[Edit, ...]
    rebuilt: Mapping[int, str]  # index of the edit -> why


def movable(edit: Edit) -> str:
    """ "" where both bodies can stand side by side, else why not."""
    if source.UNMOVABLE.search(edit.original) or source.UNMOVABLE.search(edit.text):
        return "assembly, computed goto or a macro definition in a body"
    old, new = (source.definitions(t)[0][0] for t in (edit.original, edit.text))
    if source.head(edit.original, old) != source.head(edit.text, new):
        return "the declaration differs from the original's"
    return ""


def both(edit: Edit, *, parameters: Sequence[str], void: bool) -> str:
    """The edited function under another name, and the original that asks the switch first."""
    old, new = (source.definitions(t)[0][0] for t in (edit.original, edit.text))
    name = f"{edit.name}{MARK}{edit.index}"
    moved = _renamed(edit.text, new, edit.name, name)
    head = edit.original[: old.open]
    call = f"{name}({', '.join(parameters)});"
    answer = f"{{ {call} return; }}" if void else f"return {call}"
    ask = (
        f"{{ extern unsigned char kit_switch[]; extern int kit_take(unsigned); "
        f"if (kit_switch[{edit.index}] && kit_take({edit.index})) {answer} }}"
    )
    body = edit.original[old.open : old.end]
    return f"{head.rstrip()};\n{moved}\n{head}{{\n{ask}\n{body}\n}}"


def jump(edit: Edit) -> str:
    """Both bodies under other names, and a jump to one of them: `...` stays as the caller left it.

    The jump is x86-64's; elsewhere it does not compile, and the edit is rebuilt.
    """
    old, new = (source.definitions(t)[0][0] for t in (edit.original, edit.text))
    name, was = f"{edit.name}{MARK}{edit.index}", f"{edit.name}{WAS}"
    said = f"{{ extern int kit_take(unsigned); kit_take({edit.index}); }}"
    text = f"{edit.text[: new.open]}{{ {said}\n{edit.text[new.open : new.end]}\n}}"
    bodies = (_renamed(text, new, edit.name, name), _renamed(edit.original, old, edit.name, was))
    words = f"cmpb $0, kit_switch+{edit.index}(%rip)\\n\\tjne {name}\\n\\tjmp {was}"
    head = edit.original[: old.open].rstrip()
    parts = [f"{head};", *(f"__attribute__((used, noipa)) {b}" for b in bodies)]
    return "\n".join([*parts, f'__attribute__((naked, noipa)) {head}\n{{ __asm__("{words}"); }}'])


def _renamed(text: str, definition: source.Definition, old: str, new: str) -> str:
    place = definition.place(old)
    return text[:place] + new + text[place + len(old) :]


def plan(shop: Workshop, edits: Iterable[Edit], rows: Mapping[int, Mapping]) -> Schemata:
    """One text a file with every movable edit of it, proved to compile; the others with a reason.

    rows: index -> line of the table. First every file alone, then every compilation with all of
    its files; one that fails is halved until the edit that breaks it in company is found.
    """
    rebuilt: dict[int, str] = {}
    kept: list[Edit] = []
    for e in edits:
        if why := movable(e):
            rebuilt[e.index] = why
        else:
            kept.append(e)
    for alone in (True, False):
        groups = _groups(shop, kept, rows, alone=alone)

        def refused(unit: Unit, groups: Mapping[Unit, list[Edit]] = groups) -> set[int]:
            good = {e.index for e in _compilable(shop, unit, groups[unit], rows)}
            return {e.index for e in groups[unit]} - good

        bad = set().union(*(r for _, r in pool(refused, groups, workers=CORES, title="switches")))
        rebuilt |= dict.fromkeys(sorted(bad), "it does not compile beside the original")
        kept = [e for e in kept if e.index not in bad]
    return Schemata(_texts(shop, kept, rows), tuple(kept), rebuilt)


def _groups(
    shop: Workshop, edits: Iterable[Edit], rows: Mapping[int, Mapping], *, alone: bool
) -> dict[Unit, list[Edit]]:
    """The compilations of the tested programs with the edits that they read.

    alone: one compilation for the edits of a file, which sees no others.
    """
    sources = {s for program in shop.project.tested() for s in program.sources}
    groups: dict[Unit, list[Edit]] = {}
    units = [u for u in shop.project.units if u.source in sources]
    for e in edits:
        mine = {e.path, *json.loads(rows[e.index]["units"])}
        touched = [u for u in units if u.source in mine]
        for unit in touched[:1] if alone else touched:
            groups.setdefault(unit, []).append(e)
    return groups


def _texts(shop: Workshop, edits: Iterable[Edit], rows: Mapping[int, Mapping]) -> dict[str, str]:
    by_path: dict[str, list[Edit]] = {}
    for e in edits:
        by_path.setdefault(e.path, []).append(e)
    return {p: assemble(shop, p, group, (), rows) for p, group in sorted(by_path.items())}


def assemble(
    shop: Workshop,
    path: str,
    switched: Iterable[Edit],
    replaced: Iterable[Edit],
    rows: Mapping[int, Mapping],
) -> str:
    """The text of a file with some edits behind switches and others in the original's place."""
    return apply(
        text_of(shop.project.tree / path),
        [*(_pair(e, rows[e.index]) for e in switched), *replaced],
    )


def _pair(e: Edit, row: Mapping) -> Edit:
    if row["variadic"]:
        text = jump(e)
    else:
        text = both(e, parameters=json.loads(row["parameters"]), void=bool(row["void"]))
    return Edit(e.index, e.name, e.path, e.start, e.end, e.original, text)


def _compilable(
    shop: Workshop,
    unit: Unit,
    group: list[Edit],
    rows: Mapping[int, Mapping],
    base: tuple[Edit, ...] = (),
) -> list[Edit]:
    """Those of the group that compile beside the original, beside `base` and beside each other."""
    if not group or shop.compile(unit, _texts(shop, [*base, *group], rows)).ok:
        return group
    if len(group) == 1:
        return []
    half = len(group) // 2
    first = _compilable(shop, unit, group[:half], rows, base)
    return first + _compilable(shop, unit, group[half:], rows, (*base, *first))


def switch_unit(last: int) -> str:
    """The source of the switches, for edits with numbers up to `last`."""
    return SWITCH_C % {"last": last}


def edited_name(frame: str) -> tuple[str, int | None]:
    """(the function's own name, the edit whose body it is) of a name in a stack trace."""
    found = re.fullmatch(rf"(.+){MARK}(\d+|was)", frame)
    if found is None:
        return frame, None
    return found[1], None if found[2] == "was" else int(found[2])
