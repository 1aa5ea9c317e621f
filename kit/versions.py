"""Computes a module's version: a hash over the sources that it imports, without comments.

A comment, or a module that a stage never imports, invalidates none of the stage's results; every
other line of the sources that it imports does, wherever it lies.
"""

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kit.languages import syntax
from kit.paths import ROOT


@cache
def version_of(
    module: str, *, within: tuple[str, ...], placed: tuple[str, ...] = (), root: Path = ROOT
) -> str:
    """16 hexadecimal digits over `module` and what it imports, directly or not, below `within`.

    placed: folders; a file in them counts too if one of these sources has its name as a string.
    Comments, docstrings and blank lines do not count. The version is equal on every Python.
    """
    sources = closure(module, within=within, root=root)
    if placed:
        named = {text for path in sources.values() for text in read(path.read_text()).strings}
        files = (p for folder in placed for p in (root / folder).iterdir())
        sources |= {p.name: p for p in files if p.name in named}
    digest = hashlib.sha256()
    for name, path in sorted(sources.items()):
        text = path.read_text()
        bare = read(text).bare if path.suffix == ".py" else text
        digest.update(f"{name}\0{bare}\0".encode())
    return digest.hexdigest()[:16]


def closure(module: str, *, within: tuple[str, ...], root: Path = ROOT) -> dict[str, Path]:
    """The module and all that it imports, directly or not, of the packages and modules `within`.

    A package counts if a name of its own is imported from it, not if it only contains a module.
    """
    sources: dict[str, Path] = {}
    todo = [module]
    while todo:
        name = todo.pop()
        path = _source(name, root)
        below = any(name == room or name.startswith(f"{room}.") for room in within)
        if path is None or name in sources or not below:
            continue
        sources[name] = path
        for home, names in read(path.read_text()).imports:
            modules = [inner for n in names if _source(inner := f"{home}.{n}", root)]
            todo += modules + [home] * (len(modules) < max(len(names), 1))
    return sources


def _source(name: str, root: Path) -> Path | None:
    place = root.joinpath(*name.split("."))
    offered = (place.with_name(f"{place.name}.py"), place / "__init__.py")
    return next((path for path in offered if path.is_file()), None)


@dataclass(frozen=True)
class Source:
    """The parts of a Python text for its version: (module, names from it), strings, bare code."""

    imports: tuple[tuple[str, tuple[str, ...]], ...]
    strings: frozenset[str]
    bare: str


@cache
def read(source: str) -> Source:
    """The imports, strings and bare code of a Python text."""
    imports: list[tuple[str, tuple[str, ...]]] = []
    strings: set[str] = set()
    for node in ast.walk(tree := syntax(source)):
        match node:
            case ast.Import(names):
                imports += [(alias.name, ()) for alias in names]
            case ast.ImportFrom(str(home), names):
                imports.append((home, tuple(alias.name for alias in names)))
            case ast.Constant(str(text)):
                strings.add(text)
    return Source(tuple(imports), frozenset(strings), _bare(source, tree))


def _bare(source: str, tree: ast.Module) -> str:
    """Python without comments, docstrings, and the lines that are blank outside of strings."""
    lines = source.split("\n")
    emptied = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        row, column = token.start
        if token.type == tokenize.COMMENT:
            lines[row - 1] = lines[row - 1][:column].rstrip()
        if token.type in (tokenize.COMMENT, tokenize.NL):
            emptied.add(row - 1)
    for node in _docstrings(tree):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        head = lines[first].encode()[: node.col_offset]
        tail = lines[last].encode()[node.end_col_offset :]
        lines[first : last + 1] = [(head + tail).decode(), *[""] * (last - first)]
        emptied |= set(range(first, last + 1))
    return "\n".join(line for n, line in enumerate(lines) if n not in emptied or line.strip())


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        match getattr(node, "body", None):
            case [ast.Expr(ast.Constant(str()) as text), *_] if isinstance(node, kinds):
                yield text
