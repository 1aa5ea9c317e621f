"""Builds mutant schemata: one build with original and edit of every function, and a switch."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

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
    old = source.pick_definition(edit.original, edit.name)
    new = source.pick_definition(edit.text, edit.name)
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
    body = edit.original[old.open : old.end]
    opening = line + head.count("\n")
    last = line + edit.original.count("\n")
    call = f"{edit.name}{MARK}{edit.index}({', '.join(edit.parameters)});"
    answer = f"{{ {call} return; }}" if edit.void else f"return {call}"
    switch = f"kit_{secret}_switch"
    ask = f"{{ extern unsigned char {switch}[]; if ({switch}[{edit.index}]) {answer} }}"
    guarded = f"{{ {ask}\n#line {opening}\n{body} }}\n#line {last}\n"
    moved = _move_function(edit, secret, line=line)
    return f"{head.rstrip()};\n{moved}\n#line {line}\n{head}{guarded}"


def guard_with_jump(edit: Edit, secret: str, *, line: int) -> str:
    """Both bodies under other names, and a jump to one of them: `...` stays as the caller left it.

    The jump is x86-64's; elsewhere it does not compile, and the edit is rebuilt.
    """
    old = source.pick_definition(edit.original, edit.name)
    name = f"{edit.name}{MARK}{edit.index}"
    switch = f"kit_{secret}_switch+{edit.index}"
    words = f"cmpb $0, {switch}(%rip)\\n\\tjne {name}\\n\\tjmp {edit.name}{WAS}"
    head = edit.original[: old.open].rstrip()
    attribute = "__attribute__((used, noipa)) "
    name_end = (old.place(edit.name) or 0) + len(edit.name)
    renamed = _insert_texts(edit.original, {name_end: WAS})
    original = named_as(edit.name, attribute + renamed, line)
    jump = f'__attribute__((naked, noipa)) {head}\n{{ __asm__("{words}"); }}'
    after = f"#line {line + edit.original.count(chr(10))}\n"
    moved = _move_function(edit, secret, attribute, line=line)
    return "\n".join([f"{head};", moved, original, jump, after])


def _move_function(
    edit: Edit, secret: str, before: str = "", *, own: bool = False, line: int = 0
) -> str:
    """The edited function and what it needs under names of this edit, each body marked.

    The function's own calls of itself stay, so that they ask the switch too. own: it keeps its
    name. What it needs never does: another edit of the file may bring one of the same name.
    """
    definitions = source.find_definitions(edit.text)[0]
    helpers = {d.name for d in definitions if d.place(edit.name) is None}
    for static in source.find_statics(edit.text):
        helpers.update(static.names)
        end = static.start + len(static.text)
        definitions.append(source.Definition(static.start, -1, end, ()))
    ending = f"{MARK}{edit.index}"
    parts = source.INCLUDE.findall(edit.text)
    for d in sorted(definitions, key=attrgetter("start")):
        text = edit.text[d.start : d.end]
        added = {}
        for token in source.split_tokens(text):
            if token.kind == "word" and token.text in helpers:
                added[token.at + len(token.text)] = ending
        if d.open < 0:
            parts.append(_insert_texts(text, added))
            continue
        place = d.place(edit.name)
        if place is not None and not own:
            added[place - d.start + len(edit.name)] = ending
        added[d.open - d.start + 1] = liveness_mark(edit, secret)
        marked = before + _insert_texts(text, added)
        if place is None:
            marked = named_as(d.name, marked)
        elif not own:
            marked = named_as(d.name, marked, line)
        parts.append(marked)
    return "\n".join(parts)


def mark_bodies(edit: Edit, secret: str) -> Edit:
    """The edit with every body of it marked, to stand in the original's place."""
    if "__label__" in edit.text:
        return edit
    return replace(edit, text=_move_function(edit, secret, own=True))


def mark_functions(shop: Workshop, functions: Iterable[Edit]) -> dict[str, str]:
    """The files of the original in which these functions say when they run first in a process."""
    mark = f"kit_{shop.secret}_reach"
    by_path: dict[str, list[Edit]] = {}
    for function in functions:
        text = function.original
        if "__label__" not in text:  # which must stay the first in its body
            place = source.pick_definition(text, function.name).open + 1
            words = f" extern int {mark}(unsigned); "
            words += f"int {mark}_here __attribute__((unused)) = {mark}({function.index}); "
            text = _insert_texts(text, {place: words})
        by_path.setdefault(function.path, []).append(replace(function, text=text))
    return _apply_by_path(shop, by_path)


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
    lines = [f'#pragma push_macro("{w}")\n#undef {w}\n#define {w} "{name}"' for w in OWN_NAME]
    if line:
        lines.append(f"#line {line}")
    lines.append(text)
    lines += [f'#pragma pop_macro("{w}")' for w in OWN_NAME]
    return "\n" + "\n".join(lines) + "\n"


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
    rebuilt = {}
    movable = []
    for e in edits:
        reason = explain_unmovable(e)
        if reason:
            rebuilt[e.index] = reason
        else:
            movable.append(e)
    for alone in (True, False):
        refused = _find_refused_edits(shop, _group_by_unit(shop, movable, alone=alone))
        rebuilt |= dict.fromkeys(sorted(refused), "it does not compile beside the original")
        movable = [e for e in movable if e.index not in refused]
    return Schemata(render_files(shop, movable), tuple(movable), rebuilt)


def _find_refused_edits(shop: Workshop, groups: Mapping[Unit, list[Edit]]) -> set[int]:
    """The edits that break one of these compilations."""

    def select(unit: Unit) -> list[Edit]:
        return _select_compilable(shop, unit, groups[unit])

    refused: set[int] = set()
    for unit, good in run_in_pool(select, groups, workers=CORES, title="switches"):
        refused |= {e.index for e in groups[unit]} - {e.index for e in good}
    return refused


def _group_by_unit(shop: Workshop, edits: Iterable[Edit], *, alone: bool) -> dict[Unit, list[Edit]]:
    """The compilations of the tested programs with the edits that they read.

    alone: one compilation for the edits of a file, which sees no others.
    """
    sources: set[str] = set()
    for program in shop.project.test_programs():
        sources.update(program.sources)
    units = [u for u in shop.project.units if u.source in sources]
    groups: dict[Unit, list[Edit]] = {}
    for e in edits:
        readers = [u for u in units if u.source in (e.path, *e.units)]
        if alone:
            del readers[1:]
        for unit in readers:
            groups.setdefault(unit, []).append(e)
    return groups


def render_files(
    shop: Workshop, switched: Collection[Edit], replaced: Collection[Edit] = ()
) -> dict[str, str]:
    """The changed files with some edits behind switches and others in the original's place."""
    edits_by_path: dict[str, list[Edit]] = {}
    for e in replaced:
        edits_by_path.setdefault(e.path, []).append(mark_bodies(e, shop.secret))
    for e in switched:
        guard = guard_with_jump if e.variadic else guard_with_switch
        line = text_of(shop.project.tree / e.path).count("\n", 0, e.start) + 1
        guarded = replace(e, text=guard(e, shop.secret, line=line))
        edits_by_path.setdefault(e.path, []).append(guarded)
    return _apply_by_path(shop, edits_by_path)


def _apply_by_path(shop: Workshop, edits_by_path: Mapping[str, list[Edit]]) -> dict[str, str]:
    return {
        path: apply_edits(text_of(shop.project.tree / path), edits)
        for path, edits in sorted(edits_by_path.items())
    }


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
