"""The heat map: a number in each cell, in blocks that fit on a page."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, pairwise, product
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kit.explore.bars import read_points
from kit.explore.figures import Key, check_marks, find_top, find_unit, name_axis, name_key
from kit.explore.style import STYLE, WIDTH, display_name, measure_text_width

SMALL = 7.0  # points of the type
CELL = 0.36  # inches of a column


def heat(
    frame: pd.DataFrame,
    *,
    label: Key,
    across: Sequence[str] = (),
    groups: Mapping[str, Iterable[Any]] | None = None,
) -> Figure:
    """A heat map with its numbers: a row for each `label`, a column for each level of `across`.

    Several metrics are columns too; columns that do not fit beside each other are further blocks.
    groups: the labels of each block of rows; labels in no block are under Other. A cell without a
    number is grey, with its bounds or a dash.
    """
    has_metrics = frame["metric"].nunique() > 1 or not across
    keys = [*across, "metric"] if has_metrics else list(across)
    frame = check_marks(frame, label, *keys)
    label = name_key(label)
    values = {}
    words = {}
    for key, part in frame.groupby(keys, sort=False, dropna=False):
        rows = part.set_index(label)
        head = write_head(key)
        values[head] = rows["value"]
        words[head] = rows.apply(write_cell, axis=1)
    labels = list(frame[label].unique())
    blocks = group_labels(labels, groups)
    room = 0.15 + max([measure_text_width(display_name(key), SMALL) for key in labels])
    widest = max([measure_text_width(head, SMALL) for head in values])
    size = len(values)
    wide = room + size * max(CELL, 0.04 + widest)
    heads = list(values)
    is_upright = wide > WIDTH
    if is_upright:
        heads = [re.sub("(?<=[-_])\n", "", head).replace("\n", " ") for head in heads]
        bands = -(-size // int((WIDTH - room) / CELL))
        size = -(-size // bands)
        wide = room + CELL * size
    table = pd.DataFrame(values).set_axis(heads, axis=1)
    texts = pd.DataFrame(words).set_axis(heads, axis=1).fillna("–")
    most = 100.0 if find_unit(frame) == "%" else find_top(frame[["value"]])
    places = product(range(0, len(heads), size), blocks)
    folded = {(start, group): blocks[group] for start, group in places}
    with plt.rc_context(STYLE | {"axes.grid": False}):
        below = max([measure_head(head, is_upright) for head in heads])
        fig, axes = draw_stacks(folded, wide=wide, below=below)
        for ax, ((start, group), rows) in zip(axes, folded.items(), strict=True):
            columns = slice(start, start + size)
            part = table.reindex(rows).iloc[:, columns]
            cells = texts.reindex(rows).iloc[:, columns].fillna("–")
            draw_block(ax, part, cells, most)
            ax.set_title(group, fontsize=8)
            at = np.arange(len(part.columns)) + 0.5
            ax.set_xticks(at, part.columns, rotation=90 if is_upright else 0)
        title = name_axis(frame)
        if has_metrics:
            unit = find_unit(frame)
            title = f"values in {unit}" if unit else ""
        fig.suptitle(title, fontsize=8.5, x=0.01, ha="left")
    return fig


def write_cell(row: pd.Series) -> str:
    """A value to one digit, bounds as whole numbers, a dash for neither."""
    points = read_points(row)
    if len(points) == 1:
        return f"{points[0]:.1f}"
    return "–".join([f"{end:.0f}" for end in points]) or "–"


def write_head(key: Iterable[object]) -> str:
    """A column's key with each word on its own line; secure-pass@1 counts as two words."""
    words = " ".join([re.sub("(?<=[-_])(?=pass)", " ", str(part)) for part in key])
    return "\n".join(map(display_name, words.split(" ")))


def measure_head(head: str, is_upright: bool) -> float:
    """The inches that a column's head takes above its block."""
    return measure_text_width(head, SMALL) if is_upright else 0.12 * (head.count("\n") + 1)


def group_labels(
    labels: Sequence[Any], groups: Mapping[str, Iterable[Any]] | None
) -> dict[str, list[Any]]:
    """The labels of each block; those in no group are under Other."""
    blocks = {group: list(rows) for group, rows in (groups or {"": labels}).items()}
    grouped = set(chain.from_iterable(blocks.values()))
    rest = [label for label in labels if label not in grouped]
    if rest:
        blocks["Other"] = rest
    return blocks


def draw_stacks(
    blocks: Mapping[Any, list[Any]], *, wide: float, below: float
) -> tuple[Figure, list[Axes]]:
    """Axes for the blocks, below and beside each other; below: inches for the heads of columns."""
    stacks = stack_blocks(blocks, int(WIDTH / wide))
    heights = [[0.175 * len(blocks[group]) for group in stack] for stack in stacks]
    totals = [sum(rows) + len(rows) * (below + 0.25) for rows in heights]
    tall = max(totals)
    fig = plt.figure(figsize=(wide * len(stacks), 0.6 + tall))
    columns = fig.subfigures(1, len(stacks), squeeze=False)[0]
    axes = []
    for column, rows, total in zip(columns, heights, totals, strict=True):
        ratios = [*rows, max(tall - total, 0.001)]
        *used, last = column.subplots(len(ratios), 1, height_ratios=ratios)
        last.set_axis_off()
        axes += used
    return fig, axes


def stack_blocks(blocks: Mapping[Any, list[Any]], columns: int) -> list[list[Any]]:
    """The blocks in order, cut into at most `columns` stacks with the smallest maximum height."""
    names = list(blocks)
    heights = [len(rows) + 2 for rows in blocks.values()]
    best: list[list[Any]] = []
    least = math.inf
    for cut in combinations(range(1, len(names)), min(columns, len(names)) - 1):
        ends = list(pairwise([0, *cut, len(names)]))
        height = max([sum(heights[start:end]) for start, end in ends])
        if height < least:
            least = height
            best = [names[start:end] for start, end in ends]
    return best


def draw_block(ax: Axes, part: pd.DataFrame, words: pd.DataFrame, most: float) -> None:
    image = ax.pcolormesh(part, vmin=0, vmax=most, cmap="cividis", edgecolor="white", lw=0.6)
    ax.set_facecolor("0.93")
    shades: Any = image.norm(part.to_numpy())
    for (row, column), shade in np.ndenumerate(shades):
        text = words.iat[row, column]
        tint = "0.1"
        if text == "–":
            tint = "0.5"
        elif shade < 0.6:
            tint = "white"
        ax.text(column + 0.5, row + 0.5, text, fontsize=SMALL, ha="center", va="center", color=tint)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labelsize=SMALL)
    ax.set_yticks(np.arange(len(part)) + 0.5, list(map(display_name, part.index)))
