"""Arithmetic with rounded numbers, selection of table rows, and relations between numbers."""

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kit.errors import KitError
from kit.languages import expression
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


def around(value: Any, half: Any = 0.0) -> Range:
    """value ± half, as arrays of one dimension."""
    mid = np.atleast_1d(np.asarray(value, dtype=float))
    return Range(mid - half, mid, mid + half)


Binary = Callable[[Range, Range], Range]


def _corners(f: Callable[..., Any]) -> Binary:
    def apply(a: Range, b: Range) -> Range:
        ends = [f(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        return Range(np.minimum.reduce(ends), f(a.mid, b.mid), np.maximum.reduce(ends))

    return apply


def _reduced(f: Callable[..., Any]) -> Callable[[Range], Range]:
    return lambda a: Range(*(np.atleast_1d(f(x)) for x in (a.low, a.mid, a.high)))


def _compared(f: Callable[..., Any]) -> Binary:
    return lambda a, b: around(f(a.mid, b.mid))


OPERATORS: dict[type[ast.AST], Binary] = {
    ast.Add: lambda a, b: Range(a.low + b.low, a.mid + b.mid, a.high + b.high),
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
    "count": lambda a: around(np.count_nonzero(a.mid)),
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
    return _walk(expression(text).body, names, text)


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
    """Whether an expression is a printed number, a largest or least one, a sum or a difference."""
    allowed = (ast.Expression, ast.Name, ast.Load, ast.Call, ast.BinOp, ast.Add, ast.Sub)
    nodes = list(ast.walk(expression(text)))
    calls = [ast.unparse(n.func) for n in nodes if isinstance(n, ast.Call)]
    return all(isinstance(n, allowed) for n in nodes) and set(calls) <= {"max", "min"}


def pick(paper: str, selector: str) -> pd.DataFrame:
    """Rows of a table: "2", "2 model=gpt-4.1|gpt-5-medium; metric!=PR", "claims claim=tasks".

    A value that ends with * matches by its beginning. "a + b" is the rows of both by the keys that
    both have, each key once. "2±" has the half-widths of the printed intervals as its
    values. No row is a mistake of the selector.
    """
    parts = [_one(paper, part) for part in selector.split(" + ")]
    if len(parts) == 1:
        return parts[0]
    both = [k for k in published.keys(parts[0]) if all(k in published.keys(p) for p in parts)]
    rows = pd.concat([p[[*both, "metric", "value", "printed", "tolerance"]] for p in parts])
    rows = rows.drop_duplicates([*both, "metric"], ignore_index=True)
    rows.attrs = parts[0].attrs
    return rows


def _one(paper: str, selector: str) -> pd.DataFrame:
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
        starts = tuple(value[:-1] for value in values if value.endswith("*"))
        chosen = frame[column].isin(values)
        chosen |= frame[column].str.startswith(starts) if starts else False
        frame = frame[~chosen if sign == "!=" else chosen]
    if frame.empty:
        raise KitError(f"The selector {selector!r} of {paper} selects no row. Fix it in laws.toml.")
    return frame


def ranges(frame: pd.DataFrame) -> Range:
    """The printed values with their tolerances; whole counts are exact unless the row has a why."""
    half = frame["tolerance"].to_numpy()
    if "unit" in frame:
        whole = (frame["unit"] == "count") & ~frame["printed"].str.contains(".", regex=False)
        explained = frame["why"] != "" if "why" in frame else False
        half = half * ~(whole & ~explained).to_numpy()
    return around(frame["value"].to_numpy(), half)


def shared(left: pd.DataFrame, right: pd.DataFrame) -> list[str]:
    """The key columns in which two selections meet: those of both that have a value in common."""
    mine = [*published.keys(left), "metric"]
    both = [k for k in mine if k in [*published.keys(right), "metric"]]
    return [k for k in both if set(left[k]) & set(right[k])]


def together(left: pd.DataFrame, right: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of the same keys side by side, in the order of the left; one right row serves all."""
    if len(right) == 1:
        return left, right.loc[right.index.repeat(len(left))]
    on = shared(left, right)
    if right.duplicated(on).any():
        raise KitError(f"Two selected rows on the right share {on}. Select fewer in laws.toml.")
    marked = right[on].assign(row=range(len(right)))
    at = left[on].merge(marked, on=on, how="left")["row"].to_numpy()
    kept = ~pd.isna(at)
    return left[kept], right.iloc[at[kept].astype(int)]


def records(frame: pd.DataFrame) -> list[dict[str, str]]:
    """The keys of each row, for the names of relations."""
    return list(frame[[*published.keys(frame), "metric"]].to_dict("records"))


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
        return published.relation(self.paper, self.table, self.law, self.keys)


def number(value: float) -> str:
    """A number as a text for a sentence."""
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.5g}"


@dataclass(frozen=True)
class Law:
    """An entry of laws.toml: its paper, the name of its relations, the words of their sentences."""

    paper: str
    name: str
    note: str

    def pick(self, selector: str) -> pd.DataFrame:
        """The rows that `pick` finds in this paper."""
        return pick(self.paper, selector)

    def claim(self, name: str) -> pd.DataFrame:
        """The row of one figure of the prose."""
        return self.pick(f"claims claim={name}")

    def figure(self, name: str) -> float:
        """The value of a claim."""
        return figure(self.paper, name)

    def ranges(self, selectors: Mapping[str, str]) -> dict[str, Range]:
        """The printed values of several selections, by their names in an expression."""
        return {name: ranges(self.pick(selector)) for name, selector in selectors.items()}

    def relation(
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

    def agreement(
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
        rows = zip(records(frame), frame["value"], follows.mid, apart, strict=True)
        for keys, printed, mid, within in rows:
            fits = abs(printed - mid) <= within + SLACK
            sentence = f"{number(printed)} is printed; {note or self.note}: {number(mid)}."
            yield self.relation(
                frame, keys, printed, mid, fits, sentence, tolerance=within, bad=bad
            )


def figure(paper: str, name: str) -> float:
    """The value of a claim, for laws that need a number of the prose."""
    return float(pick(paper, f"claims claim={name}")["value"].iloc[0])


def copied(frame: pd.DataFrame, source: Range) -> Array:
    """The tolerance between a number and its copy: 0 if both are printed with the same digits.

    With different digits one is the other rounded, and the tolerance is the coarser half digit.
    """
    own = frame["tolerance"].to_numpy(dtype=float)
    other = np.broadcast_to(source.half, own.shape)
    alike = np.isclose(own, other)
    return np.where(alike, 0.0, np.maximum(own, other))
