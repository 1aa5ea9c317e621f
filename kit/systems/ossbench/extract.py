"""libclang finds every function definition of a project."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import cache_root as cache_folder
from kit.core.paths import make_readable, replace_whole
from kit.core.records import content_key
from kit.systems.ossbench import source
from kit.systems.ossbench.project import MOUNT, CProject, Unit

TOKENS = (10, 256)
COLUMNS = [
    "function_index",
    "filepath",
    "token_number",
    "original_function",
    "name",
    "path",
    "line",
    "column",
    "start",
    "end",
    "comment",
    "parameters",
    "void",
    "variadic",
    "units",
]


@cache
def _load_clang() -> Any:
    try:
        from clang import cindex
    except ImportError:
        raise KitError(
            "Finding functions needs libclang: pip install 'securecode-kit[ossbench]'."
        ) from None
    return cindex


def find_functions(
    project: CProject, *, tokens: tuple[int, int] = TOKENS, words: bool = False
) -> pd.DataFrame:
    """One row per function definition of the edited files, in the order of path and offset.

    Functions of more than 256 tokens come last, by size, so that a number is always the same one's.
    tokens: the least and the most tokens. words: as the released code does, between white space and
    not of C, and fewer than the most.
    `path` is relative to the tree, `start` and `end` are offsets of characters; the comment before
    the function is apart. `units` (JSON) are the compilations that see the file.
    """
    by_place: dict[tuple[str, int], dict[str, Any]] = {}
    sources: dict[str, list[str]] = {}
    for unit in project.units:
        parsed = _parse_unit(project, unit)
        included = {_path_in_tree(project, str(i.include)) for i in parsed.get_includes()}
        for path in {unit.source, *included} - {""}:
            sources.setdefault(path, []).append(unit.source)
        for row in _function_rows(project, parsed):
            by_place.setdefault((row["path"], row["start"]), row)
    if not by_place:
        raise KitError(f"No function was found in {project.tree}. Is it the root of the sources?")
    low, high = tokens
    # a function of ten words has ten tokens: those that words leave out keep their numbers
    rows = [row for row in by_place.values() if row["token_number"] >= low]

    def reading_order(row: Mapping[str, Any]) -> tuple[int, str, int]:
        excess = max(0, row["token_number"] - TOKENS[1])
        return excess, row["path"], row["start"]

    rows.sort(key=reading_order)
    for index, row in enumerate(rows):
        row |= {"function_index": index, "units": json.dumps(sources[row["path"]])}
    table = pd.DataFrame(rows, columns=COLUMNS)
    if words:
        counts = table["original_function"].str.split().str.len()
        return table[(counts >= low) & (counts < high)].reset_index(drop=True)
    return table[table["token_number"] <= high].reset_index(drop=True)


def kept_functions(
    project: CProject, *, tokens: tuple[int, int] = TOKENS, words: bool = False
) -> pd.DataFrame:
    """The table of functions, found once per tree, adapter and range of lengths, then read."""
    files = [str(path.relative_to(project.tree)) for path in project.tree.rglob("*.[ch]")]
    edited = sorted(filter(project.edited, files))
    units = [(unit.source, unit.flags) for unit in project.units]
    parts = [str(project.tree), tokens, words, units, edited]
    key = content_key(parts, Path(__file__).read_text())
    cached = cache_folder() / "functions" / f"{project.name}-{key[:16]}.jsonl"
    if not cached.exists():
        records = find_functions(project, tokens=tokens, words=words).to_dict("records")
        make_readable(cached.parent)
        replace_whole(cached, "\n".join(map(json.dumps, records)))
    rows = [*map(json.loads, cached.read_text().splitlines())]
    return pd.DataFrame(rows, columns=COLUMNS)


def _parse_unit(project: CProject, unit: Unit) -> Any:
    """The unit's tree of declarations. A source that clang cannot parse is an error, not empty."""
    cindex = _load_clang()
    tree = project.tree
    if not (tree / unit.source).is_file():
        raise KitError(f"No {unit.source} in {tree}; --checkout takes the root of a source tree.")
    flags = [flag.replace(MOUNT, str(tree)) for flag in unit.flags]
    options = cindex.TranslationUnit.PARSE_INCOMPLETE
    line = [*flags, "-w", "-fparse-all-comments", "-isystem", _find_headers()]
    parsed = cindex.Index.create().parse(str(tree / unit.source), args=line, options=options)
    for message in parsed.diagnostics:
        if message.severity >= cindex.Diagnostic.Error:
            error = str(message.spelling)
            raise KitError(f"{unit.source} does not parse: {error}. Is the tree complete?")
    return parsed


@cache
def _find_headers() -> str:
    """The compiler's own headers, which the libclang of PyPI does not bring."""
    line = ["gcc", "-print-file-name=include"]
    result = subprocess.run(line, capture_output=True, text=True, check=True)
    return result.stdout.strip()


def _path_in_tree(project: CProject, name: str) -> str:
    path, tree = Path(name).resolve(), project.tree.resolve()
    return str(path.relative_to(tree)) if path.is_relative_to(tree) else ""


def _function_rows(project: CProject, parsed: Any) -> Iterator[dict[str, Any]]:
    function = _load_clang().CursorKind.FUNCTION_DECL
    for cursor in parsed.cursor.get_children():
        if cursor.kind == function and cursor.is_definition():
            path = _path_in_tree(project, str(cursor.location.file))
            if path and project.edited(path):
                row = _function_row(project, path, cursor)
                if row:
                    yield row


def _function_row(project: CProject, path: str, cursor: Any) -> dict[str, Any] | None:
    """None where the definition comes out of a macro, so that no text of it can be replaced."""
    text = source.text_of(project.tree / path)
    codec = source.codec_of(project.tree / path)
    raw = text.encode(codec)
    extent = cursor.extent
    start = len(raw[: extent.start.offset].decode(codec))
    end = len(raw[: extent.end.offset].decode(codec))
    body = text[start:end]
    definitions, balanced = source.find_definitions(body)
    if not balanced or len(definitions) != 1 or definitions[0].place(cursor.spelling) is None:
        return None
    line = extent.start.line
    column = start - text.rfind("\n", 0, start)
    # a type without a prototype, as in f(), takes no ...
    has_prototype = cursor.type.kind == _load_clang().TypeKind.FUNCTIONPROTO
    return {
        "filepath": f"{path}:{line}:{column}",
        "token_number": sum(1 for _ in source.split_tokens(body)),
        "original_function": body,
        "name": cursor.spelling,
        "path": path,
        "line": line,
        "column": column,
        "start": start,
        "end": end,
        "comment": _leading_comment(text, start, cursor),
        "parameters": json.dumps([a.spelling for a in cursor.get_arguments()]),
        "void": cursor.result_type.get_canonical().spelling == "void",
        "variadic": has_prototype and bool(cursor.type.is_function_variadic()),
    }


def _leading_comment(text: str, start: int, cursor: Any) -> str:
    """The comment right before a function, as it stands there; none that is not UTF-8, as clang
    takes all to be."""
    try:
        raw = str(cursor.raw_comment or "")
    except UnicodeDecodeError:
        return ""
    place = text.rfind(raw, 0, start)
    is_adjacent = place >= 0 and not text[place + len(raw) : start].strip()
    return raw if is_adjacent else ""
