"""Computes a module's version: a hash over the sources that it imports, without comments.

A comment, or a module that a stage never imports, invalidates none of the stage's results; every
other line of the sources that it imports does, wherever it lies.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

from kit.core.languages import parse_python
from kit.core.paths import ROOT

BENCHMARK = "benchmark"  # the package of a suite.py, whatever its folder is called
HOMES: Mapping[str, Path] = {"kit": ROOT / "kit"}


@cache
def version_of(
    module: str, *, within: tuple[str, ...], placed: tuple[str, ...] = (), root: Path = ROOT
) -> str:
    """16 hexadecimal digits over `module` and what it imports, directly or not, below `within`.

    placed: folders; a file in them counts too if one of these sources has its name as a string.
    Comments, docstrings and blank lines do not count. The version is equal on every Python.
    """
    sources = trace_imports(module, within=within, homes={"kit": root / "kit"})
    return _hash_sources(sources, [root / folder for folder in placed])


def version_of_folder(
    folder: Path, *, within: tuple[str, ...], placed: tuple[str, ...] = ()
) -> str:
    """The version of a benchmark's suite.py as it is now: see `version_of`.

    What it imports of its own folder counts too, and each file beside it that it names. A copy of
    the folder elsewhere has the same version.
    """
    homes = {**HOMES, BENCHMARK: folder}
    sources = trace_imports(f"{BENCHMARK}.suite", within=(BENCHMARK, *within), homes=homes)
    return _hash_sources(sources, [folder, *(ROOT / place for place in placed)])


def _hash_sources(sources: dict[str, Path], placed: list[Path]) -> str:
    """A hash over sources, and over the files in the folders `placed` that these name."""
    named = set[str]()
    for path in sources.values():
        named |= read_source(path.read_text()).strings
    for folder in placed:
        for path in folder.iterdir():
            if path.name in named and path.is_file():
                sources.setdefault(path.name, path)
    digest = hashlib.sha256()
    for name, path in sorted(sources.items()):
        data = path.read_bytes()
        if path.suffix == ".py":
            data = read_source(path.read_text()).bare.encode()
        digest.update(name.encode() + b"\0" + data + b"\0")
    return digest.hexdigest()[:16]


def trace_imports(
    module: str, *, within: tuple[str, ...], homes: Mapping[str, Path] = HOMES
) -> dict[str, Path]:
    """The module and all that it imports, directly or not, of the packages and modules `within`.

    A package counts if a name of its own is imported from it, not if it only contains a module.
    homes: the folder of each package whose modules can count.
    """
    sources: dict[str, Path] = {}
    prefixes = tuple(f"{room}." for room in within)
    todo = [module]
    while todo:
        name = todo.pop()
        path = _find_source(name, homes)
        is_within = f"{name}.".startswith(prefixes)
        if path is None or name in sources or not is_within:
            continue
        sources[name] = path
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for written, names in read_source(path.read_text()).imports:
            home = resolve_name(written, package)
            are_modules = bool(names)
            for member in names:
                if _find_source(f"{home}.{member}", homes):
                    todo.append(f"{home}.{member}")
                else:
                    are_modules = False
            if not are_modules:
                todo.append(home)
    return sources


def _find_source(name: str, homes: Mapping[str, Path]) -> Path | None:
    package, *rest = name.split(".")
    if package not in homes:
        return None
    place = homes[package].joinpath(*rest)
    for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@dataclass(frozen=True)
class Source:
    """The parts of a Python text for its version: (module, names from it), strings, bare code."""

    imports: tuple[tuple[str, tuple[str, ...]], ...]
    strings: frozenset[str]
    bare: str


@cache
def read_source(source: str) -> Source:
    """The imports, strings and bare code of a Python text."""
    imports: list[tuple[str, tuple[str, ...]]] = []
    strings: set[str] = set()
    tree = parse_python(source)
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                imports += [(alias.name, ()) for alias in names]
            case ast.ImportFrom(home, names, level):
                written = "." * (level or 0) + (home or "")
                imports.append((written, tuple(alias.name for alias in names)))
            case ast.Constant(str(text)):
                strings.add(text)
    return Source(tuple(imports), frozenset(strings), _strip_source(source, tree))


def _strip_source(source: str, tree: ast.Module) -> str:
    """Python without comments, docstrings, and the lines that are blank outside of strings."""
    lines = source.split("\n")
    emptied = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        row, column = token.start
        if token.type == tokenize.COMMENT:
            lines[row - 1] = lines[row - 1][:column].rstrip()
        if token.type in (tokenize.COMMENT, tokenize.NL):
            emptied.add(row - 1)
    for node in _find_docstrings(tree):
        first = node.lineno - 1
        last = (node.end_lineno or node.lineno) - 1
        head = lines[first].encode()[: node.col_offset]
        tail = lines[last].encode()[node.end_col_offset :]
        lines[first : last + 1] = [(head + tail).decode(), *[""] * (last - first)]
        emptied.update(range(first, last + 1))
    return "\n".join(line for n, line in enumerate(lines) if n not in emptied or line.strip())


def _find_docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        match getattr(node, "body", None):
            case [ast.Expr(ast.Constant(str()) as text), *_] if isinstance(node, kinds):
                yield text
