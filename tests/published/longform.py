"""Printed cells become long-form rows; a cell is copied as it is printed, never typed again."""

import csv
import re
from pathlib import Path

HERE = Path(__file__).parents[2] / "data" / "published"
TAIL = ["metric", "value", "printed", "ci_low", "ci_high", "unit", "section"]
WORDS = "zero one two three four five six seven eight nine ten".split()
NUMBER = re.compile(rf"-?\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b")
RATES = {"p@1": "pass@1", "s@1": "secure@1", "sp@1": "secure-pass@1"}


def number(printed: str) -> float:
    """The printed text as a number; thousands separators are dropped, `nine` is 9."""
    return WORDS.index(printed) if printed in WORDS else float(printed.replace(",", ""))


def decimals(printed: str) -> int:
    """How many digits stand behind the point."""
    return len(printed.partition(".")[2])


def row(keys: dict, metric: str, cell: str, unit: str, section: str, **extra) -> dict | None:
    """One long-form row of a cell such as `66.66 (± 1.28)` or `3,785`; None without a number."""
    found = NUMBER.search(cell)
    if not found:
        return None
    printed = found.group()
    value, low, high = number(printed), "", ""
    half = re.search(r"± ?([\d.]+)", cell)
    if half:
        places = decimals(printed)
        low = f"{value - number(half.group(1)):.{places}f}"
        high = f"{value + number(half.group(1)):.{places}f}"
    unit = "%" if "%" in cell else unit
    text = str(number(printed)) if printed in WORDS else printed.replace(",", "")
    tail = zip(TAIL, [metric, text, printed, low, high, unit, section], strict=True)
    return keys | dict(tail) | extra


def write(paper: str, name: str, rows: list[dict | None]) -> None:
    """The rows that hold a number, as data/published/<paper>/<name>.csv."""
    rows = [r for r in rows if r]
    with (HERE / paper / f"{name}.csv").open("w", newline="") as file:
        out = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def melt(
    keys: dict, metrics: list[str], cells: list[str], unit: str, section: str, **extra
) -> list:
    pairs = zip(metrics, cells, strict=True)
    return [row(keys, RATES.get(m, m), cell, unit, section, **extra) for m, cell in pairs]


def pipes(text: str) -> list[list[list[str]]]:
    """Tables of `| a | b |` lines as rows of cells; a table's first line stands above its rule."""
    lines, blocks, inside = text.splitlines(), [], False
    rule = re.compile(r"[|\- ]*--[|\- ]*")
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if rule.fullmatch(below):
            blocks.append([])
            inside = True
        inside = inside and line.startswith("|")
        if inside and not rule.fullmatch(line):
            blocks[-1].append([c.strip() for c in line.strip().strip("|").split("|")])
    return blocks


def tabs(text: str, header: str) -> list[list[list[str]]]:
    """Every block of tab-separated lines below a line that starts with `header`."""
    blocks, inside = [], False
    for line in text.splitlines():
        if line.startswith(header):
            blocks.append([])
            inside = True
        elif inside and "\t" in line:
            blocks[-1].append([c.strip() for c in line.split("\t")])
        else:
            inside = False
    return blocks
