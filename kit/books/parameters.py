"""What a notebook declares in its parameters cell; unknown names and wrong types are refused."""

import ast
import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.errors import KitError
from kit.languages import expression, syntax

PLAIN = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "dict": dict}
SHARES = (  # of these names strictly between 0 and 1
    "level power alpha recall specificity labelled sound slip".split()
)
FORMS = (
    "int, float, str, bool, list, dict, list[...], dict[...], Optional[...], Literal[...], A | B"
)


@dataclass(frozen=True)
class Parameter:
    """`name: annotation = default  # help` of the cell tagged parameters."""

    name: str
    annotation: str
    default: Any
    help: str = ""

    def __str__(self) -> str:
        return f"{self.name}: {self.annotation} = {self.default!r}"


def declared(path: Path) -> dict[str, Parameter]:
    """The parameters of a notebook by name; none where no cell is tagged parameters."""
    cells = _read(path)["cells"]
    tagged = [c for c in cells if "parameters" in c.get("metadata", {}).get("tags", ())]
    if len(tagged) > 1:
        raise KitError(f"{path} has {len(tagged)} cells tagged parameters. Keep one.")
    source = "".join(line for c in tagged for line in c["source"])
    return {p.name: p for p in _parameters(source, path)}


def check(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` itself; KitError for a name that the notebook does not declare or a value of another
    type. Nothing is converted: the text "false" is no bool, a tuple no list, 1.0 no int."""
    known = declared(path)
    for name, value in given.items():
        if name not in known:
            close = difflib.get_close_matches(name, known, 1)
            guess = f" Did you mean {close[0]}?" if close else ""
            listing = "; ".join(map(str, known.values())) or "none"
            raise KitError(f"{path.name} has no parameter '{name}'.{guess} It has: {listing}.")
        annotation = expression(known[name].annotation).body
        if not _fits(value, annotation, path):
            raise KitError(
                f"{path.name}: {name} = {value!r} is {type(value).__name__}, not "
                f"{known[name].annotation}. Give a plain Python value of that type."
            )
        if name in SHARES and not 0 < value < 1:
            raise KitError(f"{path.name}: {name} = {value} is no share. Use one between 0 and 1.")
        if name == "n_boot" and value < 1:
            raise KitError(f"{path.name}: n_boot = {value} resamples nothing. Use 1 or more.")
        if name == "k" and min(value, default=1) < 1:
            raise KitError(f"{path.name}: k = {value} is no number of samples. Use numbers from 1.")
    return dict(given)


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise KitError(f"No notebook at {path}. Give the path of an .ipynb file.")
    try:
        notebook: dict[str, Any] = json.loads(path.read_text())
        return notebook
    except ValueError:
        raise KitError(f"{path} is no notebook: it is not JSON. Save it from Jupyter.") from None


def _parameters(source: str, path: Path) -> Iterator[Parameter]:
    try:
        nodes = syntax(source).body
    except SyntaxError as error:
        raise KitError(f"{path}, parameters cell, line {error.lineno}: {error.msg}.") from None
    lines = source.encode().split(b"\n")  # offsets count bytes
    for node in nodes:
        last = lines[(node.end_lineno or node.lineno) - 1]
        yield _parameter(node, last[node.end_col_offset :].decode(), path)


def _parameter(node: ast.stmt, rest: str, path: Path) -> Parameter:
    target: Any = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
    value: Any = getattr(node, "value", None)
    try:
        default = ast.literal_eval(value)
        name = target.id
    except (AttributeError, TypeError, ValueError):
        raise KitError(
            f"{path}, parameters cell: `{ast.unparse(node)}` is no parameter. Write "
            "`name: type = literal  # help`; compute derived values in the next cell."
        ) from None
    annotation = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
    annotation = annotation or ("None" if default is None else type(default).__name__)
    return Parameter(name, annotation, default, rest.partition("#")[2].strip())


def _fits(value: Any, annotation: ast.expr, path: Path) -> bool:
    match annotation:
        case ast.Name("float"):
            return type(value) in (int, float)
        case ast.Name(name) if name in PLAIN:
            return type(value) is PLAIN[name]
        case ast.Constant(None):
            return value is None
        case ast.BinOp(left, ast.BitOr(), right):
            return _fits(value, left, path) or _fits(value, right, path)
        case ast.Subscript(ast.Name("Optional"), inner):
            return value is None or _fits(value, inner, path)
        case ast.Subscript(ast.Name("Literal"), inner):
            allowed = ast.literal_eval(inner)
            allowed = allowed if isinstance(allowed, tuple) else (allowed,)
            return any(type(value) is type(a) and value == a for a in allowed)
        case ast.Subscript(ast.Name("list"), inner):
            return type(value) is list and all(_fits(v, inner, path) for v in value)
        case ast.Subscript(ast.Name("dict"), ast.Tuple([key, inner])):
            pairs = value.items() if type(value) is dict else [(None, None)]
            return all(_fits(k, key, path) and _fits(v, inner, path) for k, v in pairs)
    raise KitError(f"{path}: cannot check the type `{ast.unparse(annotation)}`. Use: {FORMS}.")
