"""Arithmetic with rounded numbers, selection of table rows, and relations between numbers."""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product, starmap
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kit.core.errors import KitError
from kit.core.languages import parse_expression
from kit.papers import published
from kit.papers.published import SLACK

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


def range_around(value: Any, half: Any = 0.0) -> Range:
    """value ± half, as arrays of one dimension."""
    mid = np.atleast_1d(np.asarray(value, dtype=float))
    return Range(mid - half, mid, mid + half)


Binary = Callable[[Range, Range], Range]


def _apply_to_ends(operation: Callable[..., Any]) -> Binary:
    """The operation on ranges: its limits are among its values at the four pairs of limits."""

    def apply_to_ends(a: Range, b: Range) -> Range:
        ends = list(starmap(operation, product((a.low, a.high), (b.low, b.high))))
        mid = operation(a.mid, b.mid)
        return Range(np.minimum.reduce(ends), mid, np.maximum.reduce(ends))

    return apply_to_ends


def _reduce_with(reduction: Callable[..., Any]) -> Callable[[Range], Range]:
    def reduce_range(a: Range) -> Range:
        return Range(*np.atleast_2d([reduction(a.low), reduction(a.mid), reduction(a.high)]).T)

    return reduce_range


def _compare_with(comparison: Callable[..., Any]) -> Binary:
    def compare_ranges(a: Range, b: Range) -> Range:
        return range_around(comparison(a.mid, b.mid))

    return compare_ranges


OPERATORS: dict[type[ast.AST], Binary] = {
    ast.Add: lambda a, b: Range(a.low + b.low, a.mid + b.mid, a.high + b.high),
    ast.Sub: lambda a, b: Range(a.low - b.high, a.mid - b.mid, a.high - b.low),
    ast.Mult: _apply_to_ends(operator.mul),
    ast.Div: _apply_to_ends(operator.truediv),
    ast.BitAnd: lambda a, b: range_around((a.mid != 0) & (b.mid != 0)),
    ast.Lt: _compare_with(operator.lt),
    ast.LtE: _compare_with(operator.le),
    ast.Gt: _compare_with(operator.gt),
    ast.GtE: _compare_with(operator.ge),
    ast.Eq: _compare_with(operator.eq),
}
FUNCTIONS: dict[str, Callable[[Range], Range]] = {
    "mean": _reduce_with(np.mean),
    "total": _reduce_with(np.sum),
    "max": _reduce_with(np.max),
    "min": _reduce_with(np.min),
    "count": lambda a: range_around(np.count_nonzero(a.mid)),
    "printed": lambda a: range_around(a.mid),
    "size": lambda a: range_around(len(a)),
    "kinds": lambda a: range_around(len(np.unique(a.mid))),
    "decimals": lambda a: range_around(np.round(-np.log10(2 * np.max(a.half)))),
    "last": lambda a: Range(a.low[-1:], a.mid[-1:], a.high[-1:]),
}


def evaluate_expression(text: str, names: Mapping[str, Range]) -> Range:
    """The value of an arithmetic expression over ranges; comparisons look at the printed numbers.

    Operators + - * / & < <= > >= ==; functions mean, total, max, min, count (of what is not 0),
    size, kinds (different numbers), decimals (printed ones), last and printed (taken as exact).
    """
    return _evaluate_node(parse_expression(text).body, names, text)


def _evaluate_node(node: ast.AST, names: Mapping[str, Range], text: str) -> Range:
    if isinstance(node, ast.Constant):
        return range_around(node.value)
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        sides = _evaluate_node(node.left, names, text), _evaluate_node(node.right, names, text)
        return OPERATORS[type(node.op)](*sides)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
        sides = (
            _evaluate_node(node.left, names, text),
            _evaluate_node(node.comparators[0], names, text),
        )
        return OPERATORS[type(node.ops[0])](*sides)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS:
        return FUNCTIONS[node.func.id](_evaluate_node(node.args[0], names, text))
    known = ", ".join([*names, *FUNCTIONS])
    raise KitError(f"Cannot read {ast.unparse(node)!r} in the law {text!r}. Names: {known}.")


def is_copy(text: str) -> bool:
    """Whether an expression is a printed number, a largest or least one, a sum or a difference."""
    allowed = (ast.Expression, ast.Name, ast.Load, ast.Call, ast.BinOp, ast.Add, ast.Sub)
    nodes = list(ast.walk(parse_expression(text)))
    calls = [ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)]
    return all(isinstance(n, allowed) for n in nodes) and set(calls) <= {"max", "min"}


def pick_rows(paper: str, selector: str) -> pd.DataFrame:
    """Rows of a table: "2", "2 model=gpt-4.1|gpt-5-medium; metric!=PR", "claims claim=tasks".

    A value that ends with * matches by its beginning. "a + b" is the rows of both by the keys that
    both have, each key once. "2±" has the half-widths of the printed intervals as its
    values. No row is a mistake of the selector.
    """
    parts = [_pick_part(paper, part) for part in selector.split(" + ")]
    if len(parts) == 1:
        return parts[0]
    common = published.key_columns(parts[0])
    for part in parts:
        common = [key for key in common if key in published.key_columns(part)]
    columns = [*common, "metric", "value", "printed", "tolerance"]
    rows = pd.concat([part[columns] for part in parts])
    rows = rows.drop_duplicates([*common, "metric"], ignore_index=True)
    rows.attrs = parts[0].attrs
    return rows


def _pick_part(paper: str, selector: str) -> pd.DataFrame:
    name, _, conditions = selector.partition(" ")
    frame = published.table(paper, name.removesuffix("±"))
    if name.endswith("±"):
        frame = frame.assign(value=(frame["ci_high"] - frame["ci_low"]) / 2)
        frame = frame[frame["value"].notna()]
    for condition in filter(None, conditions.split("; ")):
        sign = "!=" if "!=" in condition else "="
        column, _, wanted = condition.partition(sign)
        if column not in frame:
            raise KitError(f"{paper}/{name} has no column {column!r}: {', '.join(frame.columns)}.")
        values = wanted.split("|")
        is_wanted = frame[column].isin(values)
        for value in values:
            if value.endswith("*"):
                is_wanted |= frame[column].str.startswith(value[:-1])
        frame = frame[is_wanted == (sign == "=")]
    if frame.empty:
        raise KitError(f"The selector {selector!r} of {paper} selects no row. Fix it in laws.toml.")
    return frame


def read_ranges(frame: pd.DataFrame) -> Range:
    """The printed values with their tolerances; whole counts are exact unless the row has a why."""
    half = frame["tolerance"].to_numpy()
    if "unit" in frame:
        whole = (frame["unit"] == "count") & ~frame["printed"].str.contains(".", regex=False)
        explained = frame["why"] != "" if "why" in frame else False
        half = half * ~(whole & ~explained).to_numpy()
    return range_around(frame["value"].to_numpy(), half)


def find_shared_keys(left: pd.DataFrame, right: pd.DataFrame) -> list[str]:
    """The key columns in which two selections meet: those of both that have a value in common."""
    mine = [*published.key_columns(left), "metric"]
    both = [k for k in mine if k in [*published.key_columns(right), "metric"]]
    return [k for k in both if set(left[k]) & set(right[k])]


def align_rows(left: pd.DataFrame, right: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of the same keys side by side, in the order of the left; one right row serves all."""
    if len(right) == 1:
        return left, right.loc[right.index.repeat(len(left))]
    on = find_shared_keys(left, right)
    if right.duplicated(on).any():
        raise KitError(f"Two selected rows on the right share {on}. Select fewer in laws.toml.")
    marked = right[on].assign(row=range(len(right)))
    at = left[on].merge(marked, on=on, how="left")["row"].to_numpy()
    kept = ~pd.isna(at)
    return left[kept], right.iloc[at[kept].astype(int)]


def list_keys(frame: pd.DataFrame) -> list[dict[str, str]]:
    """The keys of each row, for the names of relations."""
    return list(frame[[*published.key_columns(frame), "metric"]].to_dict("records"))


@dataclass(frozen=True)
class Relation:
    """What is printed, what follows from other printed numbers, and whether both can be true.

    verdict: "match", "mismatch" (another number follows), "infeasible" (no numbers could give it).
    """

    paper: str
    table: str
    law: str
    keys: dict[str, str]
    printed: float
    recomputed: float
    tolerance: float
    verdict: str
    sentence: str

    @property
    def name(self) -> str:
        return published.relation_name(self.paper, self.table, self.law, self.keys)


def format_number(value: float) -> str:
    """A number as a text for a sentence."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


@dataclass(frozen=True)
class Law:
    """An entry of laws.toml: its paper, the name of its relations, the words of their sentences."""

    paper: str
    name: str
    note: str

    def pick_rows(self, selector: str) -> pd.DataFrame:
        """The rows that `pick` finds in this paper."""
        return pick_rows(self.paper, selector)

    def pick_claim(self, name: str) -> pd.DataFrame:
        """The row of one figure of the prose."""
        return self.pick_rows(f"claims claim={name}")

    def read_claim(self, name: str) -> float:
        """The value of a claim."""
        return read_claim(self.paper, name)

    def read_ranges(self, selectors: Mapping[str, str]) -> dict[str, Range]:
        """The printed values of several selections, by their names in an expression."""
        return {name: read_ranges(self.pick_rows(selector)) for name, selector in selectors.items()}

    def build_relation(
        self,
        of: pd.DataFrame | str,
        keys: Mapping[str, Any],
        printed: float,
        recomputed: float,
        fits: object,
        sentence: str,
        *,
        tolerance: float = 0.0,
        bad: str = "infeasible",
    ) -> Relation:
        """One relation of a table, given by its name or by rows of it; `bad` where nothing fits."""
        table, verdict = of if isinstance(of, str) else of.attrs["table"], "match" if fits else bad
        return Relation(
            self.paper,
            table,
            self.name,
            dict(keys),
            float(printed),
            float(recomputed),
            float(tolerance),
            verdict,
            sentence,
        )

    def compare_rows(
        self,
        frame: pd.DataFrame,
        follows: Range,
        note: str = "",
        *,
        bad: str = "mismatch",
        room: Array | None = None,
    ) -> Iterator[Relation]:
        """One relation a row: the printed value against the range of what follows for it.

        room: how far the two may lie apart; both half digits together unless given.
        """
        apart = frame["tolerance"].to_numpy() + follows.half if room is None else room
        rows = zip(list_keys(frame), frame["value"], follows.mid, apart, strict=True)
        for keys, printed, mid, within in rows:
            fits = abs(printed - mid) <= within + SLACK
            sentence = (
                f"{format_number(printed)} is printed; {note or self.note}: {format_number(mid)}."
            )
            yield self.build_relation(
                frame, keys, printed, mid, fits, sentence, tolerance=within, bad=bad
            )


def read_claim(paper: str, name: str) -> float:
    """The value of a claim, for laws that need a number of the prose."""
    return float(pick_rows(paper, f"claims claim={name}")["value"].iloc[0])


def find_copy_tolerance(frame: pd.DataFrame, source: Range) -> Array:
    """The tolerance between a number and its copy: 0 if both are printed with the same digits.

    With different digits one is the other rounded, and the tolerance is the coarser half digit.
    """
    own = frame["tolerance"].to_numpy(dtype=float)
    other = np.broadcast_to(source.half, own.shape)
    alike = np.isclose(own, other)
    return np.where(alike, 0.0, np.maximum(own, other))
