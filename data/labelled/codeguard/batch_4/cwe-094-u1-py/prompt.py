import ast
import csv
import operator
import re
from typing import Iterable, Iterator

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


class FormulaError(ValueError):
    """The formula cannot be used; the text is shown next to the input field."""


def read_rows(lines: Iterable[str]) -> Iterator[dict[str, float]]:
    """Yield the rows of a table whose cells are all numbers."""
    for row in csv.DictReader(lines):
        yield {name.strip(): float(cell) for name, cell in row.items()}


def totals(rows: Iterable[dict[str, float]]) -> dict[str, float]:
    sums: dict[str, float] = {}
    for row in rows:
        for name, value in row.items():
            sums[name] = sums.get(name, 0.0) + value
    return sums


def with_column(rows: Iterable[dict[str, float]], title: str, formula: str) -> Iterator[dict[str, float]]:
    """Yield each row with one more column `title`, whose value is that of `formula` in the row.

    The formula is what the user typed into the web page: numbers, names of columns, + - * /, parentheses and
    blanks, for example "(price - discount) * 1.19". Names of columns consist of letters, digits and _ and begin with a
    letter. Raises FormulaError when the formula is malformed, names an unknown column or divides by zero.
    """
