"""Arithmetic on printed numbers: each is known only to within its rounding."""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kit.errors import KitError

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Range:
    """Numbers and the limits within which they lie, element by element."""

    low: Array
    mid: Array
    high: Array

    @property
    def half(self) -> Array:
        """The larger distance of a limit from the number."""
        return np.maximum(self.high - self.mid, self.mid - self.low)

    def __len__(self) -> int:
        return len(self.mid)


def around(value: Any, half: Any = 0.0) -> Range:
    """value ± half, as arrays of one dimension."""
    mid = np.atleast_1d(np.asarray(value, dtype=float))
    return Range(mid - half, mid, mid + half)


Binary = Callable[[Range, Range], Range]


def _monotone(f: Callable[..., Any]) -> Binary:
    return lambda a, b: Range(f(a.low, b.low), f(a.mid, b.mid), f(a.high, b.high))


def _corners(f: Callable[..., Any]) -> Binary:
    def apply(a: Range, b: Range) -> Range:
        ends = [f(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        return Range(np.minimum.reduce(ends), f(a.mid, b.mid), np.maximum.reduce(ends))

    return apply


def _counted(a: Range) -> Range:
    return around(np.count_nonzero(a.mid))


def _reduced(f: Callable[..., Any]) -> Callable[[Range], Range]:
    return lambda a: Range(*(np.atleast_1d(f(x)) for x in (a.low, a.mid, a.high)))


def _compared(f: Callable[..., Any]) -> Binary:
    return lambda a, b: around(f(a.mid, b.mid))


OPERATORS: dict[type[ast.AST], Binary] = {
    ast.Add: _monotone(operator.add),
    ast.Sub: lambda a, b: Range(a.low - b.high, a.mid - b.mid, a.high - b.low),
    ast.Mult: _corners(operator.mul),
    ast.Div: _corners(operator.truediv),
    ast.BitAnd: lambda a, b: around((a.mid != 0) & (b.mid != 0)),
    ast.Lt: _compared(operator.lt),
    ast.LtE: _compared(operator.le),
    ast.Gt: _compared(operator.gt),
    ast.GtE: _compared(operator.ge),
    ast.Eq: _compared(operator.eq),
}
FUNCTIONS: dict[str, Callable[[Range], Range]] = {
    "mean": _reduced(np.mean),
    "total": _reduced(np.sum),
    "max": _reduced(np.max),
    "min": _reduced(np.min),
    "count": _counted,
    "printed": lambda a: around(a.mid),
    "size": lambda a: around(len(a)),
    "kinds": lambda a: around(len(np.unique(a.mid))),
    "decimals": lambda a: around(np.round(-np.log10(2 * np.max(a.half)))),
    "last": lambda a: Range(a.low[-1:], a.mid[-1:], a.high[-1:]),
}


def evaluate(text: str, names: Mapping[str, Range]) -> Range:
    """The value of an arithmetic expression over ranges; comparisons look at the printed numbers.

    Operators + - * / & < <= > >= ==; functions mean, total, max, min, count (of what is not 0),
    size, kinds (different numbers), decimals (printed ones), last and printed (taken as exact).
    """
    return _walk(ast.parse(text, mode="eval").body, names, text)


def _walk(node: ast.AST, names: Mapping[str, Range], text: str) -> Range:
    if isinstance(node, ast.Constant):
        return around(node.value)
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        sides = _walk(node.left, names, text), _walk(node.right, names, text)
        return OPERATORS[type(node.op)](*sides)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        sides = _walk(node.left, names, text), _walk(node.comparators[0], names, text)
        return OPERATORS[type(node.ops[0])](*sides)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        return FUNCTIONS[node.func.id](_walk(node.args[0], names, text))
    known = ", ".join([*names, *FUNCTIONS])
    raise KitError(f"Cannot read {ast.unparse(node)!r} in the law {text!r}. Names: {known}.")


def copies(text: str) -> bool:
    """Whether an expression repeats printed numbers: one, the largest, a sum or a difference."""
    allowed = (ast.Expression, ast.Name, ast.Load, ast.Call, ast.BinOp, ast.Add, ast.Sub)
    nodes = list(ast.walk(ast.parse(text, mode="eval")))
    calls = [ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)]
    return all(isinstance(n, allowed) for n in nodes) and set(calls) <= {"max", "min"}
