"""Builds mutant schemata: one build with original and edit of every function, and a switch."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from kit.run.pool import run_in_pool
from kit.systems.ossbench import source
from kit.systems.ossbench.project import Unit
from kit.systems.ossbench.source import Edit, apply_edits, text_of
from kit.systems.ossbench.toolchain import CORES, Workshop

MARK = "__kit"  # cJSON_Parse__kit17 is the edited body of edit 17
WAS = f"{MARK}was"  # of a function with `...`: the original's body
SWITCHES = "kit_switch.c"
OWN_NAME = ("__func__", "__FUNCTION__", "__PRETTY_FUNCTION__")


@dataclass(frozen=True)
class Schemata:
    """Texts of the changed files; which edits are behind a switch, and which need a rebuild."""

    texts: Mapping[str, str]
    switched: tuple[Edit, ...]
    rebuilt: Mapping[int, str]  # index of the edit -> why


def explain_unmovable(edit: Edit) -> str:
    """ "" where both bodies can stand side by side, else why not."""
    if source.UNMOVABLE.search(edit.original) or source.UNMOVABLE.search(edit.text):
        return "assembly, computed goto or a macro definition in a body"
    old, new = (source.pick_definition(t, edit.name) for t in (edit.original, edit.text))
    if source.declaration_tokens(edit.original, old) != source.declaration_tokens(edit.text, new):
        return "the declaration differs from the original's"
    return ""


def guard_with_switch(edit: Edit, secret: str, *, line: int) -> str:
    """The edited function under another name, and the original that asks the switch first.

    secret: what the names of switches and marks hold, so that no edit can declare them. line: of
    the file, where the original begins; __LINE__ stays what it was in all that the file had.
    """
    old = source.pick_definition(edit.original, edit.name)
    head = edit.original[: old.open]
    call = f"{edit.name}{MARK}{edit.index}({', '.join(edit.parameters)});"
    answer = f"{{ {call} return; }}" if edit.void else f"return {call}"
    switch = f"kit_{secret}_switch"
    ask = f"{{ extern unsigned char {switch}[]; if ({switch}[{edit.index}]) {answer} }}"
    body, last = edit.original[old.open : old.end], line + edit.original.count("\n")
    asked = f"{{ {ask}\n#line {line + head.count(chr(10))}\n{body} }}\n#line {last}\n"
    return (
        f"{head.rstrip()};\n{_move_function(edit, secret, line=line)}\n#line {line}\n{head}{asked}"
    )


def guard_with_jump(edit: Edit, secret: str, *, line: int) -> str:
    """Both bodies under other names, and a jump to one of them: `...` stays as the caller left it.

    The jump is x86-64's; elsewhere it does not compile, and the edit is rebuilt.
    """
    old = source.pick_definition(edit.original, edit.name)
    name, switch = f"{edit.name}{MARK}{edit.index}", f"kit_{secret}_switch+{edit.index}"
    words = f"cmpb $0, {switch}(%rip)\\n\\tjne {name}\\n\\tjmp {edit.name}{WAS}"
    head = edit.original[: old.open].rstrip()
    kept = "__attribute__((used, noipa)) "
    name_end = (old.place(edit.name) or 0) + len(edit.name)
    original = named_as(edit.name, kept + _insert_texts(edit.original, {name_end: WAS}), line)
    asked = f'__attribute__((naked, noipa)) {head}\n{{ __asm__("{words}"); }}'
    after = f"#line {line + edit.original.count(chr(10))}\n"
    moved = _move_function(edit, secret, kept, line=line)
    return "\n".join([f"{head};", moved, original, asked, after])


def _move_function(
    edit: Edit, secret: str, before: str = "", *, own: bool = False, line: int = 0
) -> str:
    """The edited function and what it needs under names of this edit, each body marked.

    The function's own calls of itself stay, so that they ask the switch too. own: it keeps its
    name. What it needs never does: another edit of the file may bring one of the same name.
    """
    out = source.INCLUDE.findall(edit.text)
    parts, beside = source.find_definitions(edit.text)[0], list(source.find_statics(edit.text))
    helpers = {d.name for d in parts if d.place(edit.name) is None}
    helpers |= {name for *_, names in beside for name in names}
    ending = f"{MARK}{edit.index}"
    for at, text, _ in beside:
        parts.append(source.Definition(at, -1, at + len(text), ()))
    for d in sorted(parts, key=lambda d: d.start):
        text = edit.text[d.start : d.end]
        words = (t for t in source.split_tokens(text) if t.kind == "word" and t.text in helpers)
        added = {t.at + len(t.text): ending for t in words}
        if d.open < 0:
            out.append(_insert_texts(text, added))
            continue
        place = d.place(edit.name)
        if place is not None and not own:
            added[place - d.start + len(edit.name)] = ending
        added[d.open - d.start + 1] = liveness_mark(edit, secret)
        text = before + _insert_texts(text, added)
        mine = line if place is not None else 0
        out.append(text if place is not None and own else named_as(d.name, text, mine))
    return "\n".join(out)


def mark_bodies(edit: Edit, secret: str) -> Edit:
    """The edit with every body of it marked, to stand in the original's place."""
    if "__label__" in edit.text:
        return edit
    return replace(edit, text=_move_function(edit, secret, own=True))


def liveness_mark(edit: Edit, secret: str) -> str:
    """Says at the start of a body that this edit is live in this frame, and at every end not.

    An edit of `main` is the runner itself, live from its start to its end.
    """
    if edit.name == "main":
        return ""
    enter, leave = f"kit_{secret}_enter", f"kit_{secret}_leave"
    return (
        f" extern int {enter}(unsigned, void *); extern void {leave}(int *); "
        f"int kit_{secret}_live __attribute__((cleanup({leave}), unused)) = "
        f"{enter}({edit.index}, __builtin_frame_address(0)); "
    )


def named_as(name: str, text: str, line: int = 0) -> str:
    """The text of a function that is moved to another name, but calls itself by this one.

    line: of the file, where the text shall seem to stand; 0: where it stands.
    """
    words = [
        *(f'#pragma push_macro("{w}")\n#undef {w}\n#define {w} "{name}"' for w in OWN_NAME),
        *([f"#line {line}"] if line else []),
        text,
        *(f'#pragma pop_macro("{w}")' for w in OWN_NAME),
    ]
    return "\n" + "\n".join(words) + "\n"


def _insert_texts(text: str, added: Mapping[int, str]) -> str:
    """The text with others inserted at these offsets, such as endings of names."""
    for at in sorted(added, reverse=True):
        text = text[:at] + added[at] + text[at:]
    return text


def plan_switches(shop: Workshop, edits: Collection[Edit]) -> Schemata:
    """One text a file with every movable edit of it, proved to compile; the others with a reason.

    First every file alone, then every compilation with all of its files; one that fails is halved
    until the edit that breaks it in company is found.
    """
    rebuilt = {e.index: reason for e in edits if (reason := explain_unmovable(e))}
    kept = [e for e in edits if e.index not in rebuilt]
    for alone in (True, False):
        groups = _group_by_unit(shop, kept, alone=alone)

        def find_refused_edits(unit: Unit, groups: Mapping[Unit, list[Edit]] = groups) -> set[int]:
            good = {e.index for e in _select_compilable(shop, unit, groups[unit])}
            return {e.index for e in groups[unit]} - good

        bad = set().union(
            *(
                r
                for _, r in run_in_pool(find_refused_edits, groups, workers=CORES, title="switches")
            )
        )
        rebuilt |= dict.fromkeys(sorted(bad), "it does not compile beside the original")
        kept = [e for e in kept if e.index not in bad]
    return Schemata(render_files(shop, kept), tuple(kept), rebuilt)


def _group_by_unit(shop: Workshop, edits: Iterable[Edit], *, alone: bool) -> dict[Unit, list[Edit]]:
    """The compilations of the tested programs with the edits that they read.

    alone: one compilation for the edits of a file, which sees no others.
    """
    sources = {s for program in shop.project.test_programs() for s in program.sources}
    groups: dict[Unit, list[Edit]] = {}
    units = [u for u in shop.project.units if u.source in sources]
    for e in edits:
        touched = [u for u in units if u.source in (e.path, *e.units)]
        for unit in touched[:1] if alone else touched:
            groups.setdefault(unit, []).append(e)
    return groups


def render_files(
    shop: Workshop, switched: Collection[Edit], replaced: Collection[Edit] = ()
) -> dict[str, str]:
    """The changed files with some edits behind switches and others in the original's place."""
    out = {}
    for path in sorted({e.path for e in (*switched, *replaced)}):
        text = text_of(shop.project.tree / path)
        edits = [mark_bodies(e, shop.secret) for e in replaced if e.path == path]
        for e in (e for e in switched if e.path == path):
            line = text.count("\n", 0, e.start) + 1
            bodies = (guard_with_jump if e.variadic else guard_with_switch)(
                e, shop.secret, line=line
            )
            edits.append(replace(e, text=bodies))
        out[path] = apply_edits(text, edits)
    return out


def _select_compilable(
    shop: Workshop, unit: Unit, group: list[Edit], base: tuple[Edit, ...] = ()
) -> list[Edit]:
    """Those of the group that compile beside the original, beside `base` and beside each other."""
    if not group or shop.compile(unit, render_files(shop, [*base, *group])).ok:
        return group
    if len(group) == 1:
        return []
    half = len(group) // 2
    first = _select_compilable(shop, unit, group[:half], base)
    return first + _select_compilable(shop, unit, group[half:], (*base, *first))


def edited_name(frame: str) -> tuple[str, int | None]:
    """(the function's own name, the edit whose body it is) of a name in a stack trace."""
    match = re.fullmatch(rf"(.+){MARK}(\d+|was)", frame)
    if match is None:
        return frame, None
    return match[1], None if match[2] == "was" else int(match[2])
