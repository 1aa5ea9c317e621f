"""The few figures. Each takes a tidy frame and keeps its row order.

An interval is drawn wherever the frame has one, and every mark is labelled beside it.
"""

import itertools
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kit.errors import KitError
from kit.plots.style import STYLE, colour, name


def _panels(
    names: list[str], *, columns: int, width: float, height: float, sharex: bool = False
) -> tuple[Figure, list[Axes]]:
    rows = -(-len(names) // columns)
    fig, grid = plt.subplots(
        rows, columns, figsize=(width, rows * height), sharey=True, sharex=sharex, squeeze=False
    )
    axes = list(grid.flat)
    for spare in axes[len(names) :]:
        spare.set_axis_off()
    return fig, axes[: len(names)]


def _groups(frame: pd.DataFrame, by: str | None) -> dict[str, pd.DataFrame]:
    if by is None:
        return {"": frame}
    return {str(key): part for key, part in frame.groupby(by, sort=False)}


def forest(
    frame: pd.DataFrame,
    *,
    label: str,
    value: str = "value",
    low: str = "ci_low",
    high: str = "ci_high",
    panel: str | None = None,
    metric: str = "secure-pass@1",
    unit: str = "%",
    digits: int = 1,
) -> Figure:
    """A dot and its interval a row, the number beside it; one panel for each `panel`."""
    with plt.rc_context(STYLE):
        parts = _groups(frame, panel)
        rows = max(len(part) for part in parts.values())
        size = {"width": 2.2 + 2.0 * len(parts), "height": 0.9 + 0.24 * rows}
        fig, axes = _panels(list(parts), columns=len(parts), sharex=True, **size)
        for ax, (title, part) in zip(axes, parts.items(), strict=True):
            at = np.arange(len(part))
            if low in part:
                ax.hlines(at, part[low], part[high], color=colour(metric), lw=1.6, alpha=0.55)
            ax.plot(part[value], at, "o", color=colour(metric), ms=4.5)
            edge = part[high].fillna(part[value]) if high in part else part[value]
            for y, x, v in zip(at, edge, part[value], strict=True):
                _beside(ax, (x, float(y)), f"{v:.{digits}f}")
            ax.set_title(name(title))
            ax.set_yticks(at, part[label])
            ax.set_xlabel(f"{metric} ({unit})")
            ax.margins(x=0.14)
            ax.grid(axis="y", visible=False)
        axes[0].set_ylim(rows - 0.4, -0.6)
    return fig


def _beside(
    ax: Axes, at: tuple[float, float], text: str, *, tint: str = "0.25", dx: int = 5, dy: int = 0
) -> None:
    ax.annotate(
        text,
        at,
        xytext=(dx, dy),
        textcoords="offset points",
        va="center",
        ha="left" if dx >= 0 else "right",
        fontsize=7.5,
        color=tint,
    )


def sweep(
    frame: pd.DataFrame,
    *,
    level: str,
    panel: str,
    metrics: Iterable[str] = ("pass@1", "secure@1", "secure-pass@1"),
    unit: str = "%",
    columns: int = 4,
    ordered: bool | Collection[str] = True,
) -> Figure:
    """One panel a family: each metric over the levels of one factor, in the printed order.

    Columns of `frame`: `panel`, `level`, metric, value; ci_low and ci_high draw whiskers.
    ordered: a line joins the levels, in all panels or in those named; levels without an order are
    dots.
    """
    metrics = list(metrics)
    with plt.rc_context(STYLE):
        parts = _groups(frame, panel)
        columns = min(columns, len(parts))
        most = max(part[level].nunique() for part in parts.values())
        wide = 2.6 + 0.3 * max(0, most - 3)
        size = {"width": 0.6 + wide * columns, "height": 2.6}
        fig, axes = _panels(list(parts), columns=columns, **size)
        for ax, (title, part) in zip(axes, parts.items(), strict=True):
            levels = list(dict.fromkeys(part[level]))
            joined = ordered if isinstance(ordered, bool) else title in ordered
            for place, metric in enumerate(metrics):
                one = part[part["metric"] == metric]
                at = [levels.index(x) + 0.09 * (place - (len(metrics) - 1) / 2) for x in one[level]]
                _series(ax, one, at, metric, "o-" if joined else "o")
            ax.set_title(name(title))
            _levels(ax, levels, room=1.4 / wide)
            ax.grid(axis="x", visible=False)
        axes[0].set_ylim(0, 1.06 * _top(frame[frame["metric"].isin(metrics)]))
        for ax, part in zip(axes, parts.values(), strict=True):
            _ends(ax, part[part["metric"].isin(metrics)], level)
        for ax in axes[::columns]:
            ax.set_ylabel(unit)
    return fig


def _top(frame: pd.DataFrame) -> float:
    """The largest value or end of an interval; 1 where all are 0."""
    return float(frame[[c for c in ("value", "ci_high") if c in frame]].max().max()) or 1.0


def _levels(ax: Axes, levels: list[Any], room: float) -> None:
    """Ticks for the levels, and `room` (a share of the panel) for the labels of the last one."""
    slanted = len(levels) > 3 or max(len(w) for x in levels for w in str(x).split(" ")) > 9
    words = [str(x) if slanted else str(x).replace(" ", "\n") for x in levels]
    ax.set_xticks(range(len(levels)), words)
    if slanted:
        plt.setp(ax.get_xticklabels(), rotation=35, ha="right", rotation_mode="anchor")
    last = len(levels) - 1
    ax.set_xlim(-0.3, last + (last + 0.3) * room / (1 - room) if last else 1.2)


def _series(ax: Axes, part: pd.DataFrame, at: list[float], metric: str, mark: str) -> None:
    ax.plot(at, part["value"], mark, color=colour(metric), ms=3.5, lw=1.4)
    if "ci_low" in part and part["ci_low"].notna().any():
        ax.vlines(at, part["ci_low"], part["ci_high"], color=colour(metric), alpha=0.4, lw=1.4)


def _ends(ax: Axes, part: pd.DataFrame, level: str) -> None:
    """The name and the last value of each metric, moved apart where they would touch."""
    levels = list(dict.fromkeys(part[level]))
    last = part.groupby("metric", sort=False).tail(1).sort_values("value")
    points = 115 / ax.get_ylim()[1]  # of a panel's height, per unit of the axis
    floor = -3.0  # a label of 0 stands above the axis
    for key, metric, value in zip(last[level], last["metric"], last["value"], strict=True):
        floor = max(value * points, floor + 9.5)
        at, shift = (levels.index(key) + 0.1, value), round(floor - value * points)
        _beside(ax, at, f"{metric} {value:.1f}", tint=colour(metric), dy=shift)


def dumbbell(
    frame: pd.DataFrame,
    *,
    label: str,
    pair: str,
    panel: str | None = None,
    unit: str = "%",
) -> Figure:
    """Two values a row, joined: the first level of `pair` hollow, the second filled.

    Colours are those of the metrics, be they the pair or the panels. One level is one dot a row.
    """
    with plt.rc_context(STYLE):
        sides = list(dict.fromkeys(frame[pair]))
        if len(sides) > 2:
            raise KitError(f"{pair} has {len(sides)} levels: {sides}. Give the rows of two.")
        parts = _groups(frame, panel)
        rows = frame[label].nunique()
        size = {"width": 1.6 + 2.4 * len(parts), "height": 1.2 + 0.25 * rows}
        fig, axes = _panels(list(parts), columns=len(parts), sharex=True, **size)
        for ax, (title, part) in zip(axes, parts.items(), strict=True):
            flat = part.pivot(index=label, columns=pair, values="value")
            flat = flat.reindex(index=dict.fromkeys(frame[label]), columns=sides)
            at = np.arange(len(flat))
            ax.hlines(at, flat.min(axis=1), flat.max(axis=1), color="0.75", lw=1.6, zorder=1)
            for side, inside in zip(sides[::-1], ("full", "none"), strict=False):
                tint = colour(side if pair == "metric" else title)
                face = tint if inside == "full" else "white"
                ax.plot(flat[side], at, "o", color=tint, mfc=face, ms=5, label=side)
            ax.set_title(name(title))
            ax.set_yticks(at, flat.index)
            ax.set_xlabel(unit)
            ax.margins(x=0.08)
            ax.grid(axis="y", visible=False)
        axes[0].set_ylim(rows - 0.4, -0.6)
        tints = [colour(str(side)) if pair == "metric" else "0.35" for side in sides]
        faces = ["white", tints[-1]] if len(sides) == 2 else tints
        marks = [
            Line2D([], [], ls="", marker="o", ms=5, color=tint, mfc=face)
            for tint, face in zip(tints, faces, strict=True)
        ]
        fig.legend(marks, sides, loc="outside upper right", ncols=2, handletextpad=0.1)
    return fig


def heat(
    table: pd.DataFrame,
    *,
    groups: Mapping[str, Iterable[str]] | None = None,
    columns: int = 4,
    low: float = 0.0,
    high: float = 100.0,
    unit: str = "SPR (%)",
) -> Figure:
    """A wide table as a heat map with its numbers, one block for each group of rows.

    A cell without a number is grey, with a dash.
    """
    blocks = {"": list(table.index)} if groups is None else {g: list(r) for g, r in groups.items()}
    with plt.rc_context(STYLE | {"axes.grid": False}):
        stacks = _stacks(blocks, columns)
        words = [w for c in table.columns for w in _lines(c).split("\n")]
        wide = 0.5 + max(0.5, 0.075 * max(map(len, words))) * len(table.columns)
        tall = max(sum(len(blocks[g]) + 2 for g in stack) for stack in stacks)
        fig = plt.figure(figsize=(0.4 + wide * len(stacks), 0.9 + 0.175 * tall))
        frames = fig.subfigures(1, len(stacks), squeeze=False)[0]
        for frame, stack in zip(frames, stacks, strict=True):
            sizes = [len(blocks[g]) for g in stack]
            spare = tall - sum(s + 2 for s in sizes)
            axes = frame.subplots(len(stack) + 1, 1, height_ratios=[*sizes, max(spare, 0.01)])
            axes[-1].set_axis_off()
            for ax, group in zip(axes, stack, strict=False):
                _block(ax, table.loc[blocks[group]], group, low, high)
        fig.suptitle(unit, fontsize=8.5, x=0.01, ha="left")
    return fig


def _stacks(blocks: Mapping[str, list[Any]], columns: int) -> list[list[str]]:
    """The groups in their order, cut into at most `columns` stacks so that the tallest is least."""
    names = list(blocks)
    heights = [len(blocks[g]) + 2 for g in names]

    def cut(at: tuple[int, ...]) -> list[slice]:
        return [slice(i, j) for i, j in zip((0, *at), (*at, len(names)), strict=True)]

    ways = itertools.combinations(range(1, len(names)), min(columns, len(names)) - 1)
    best = min(ways, key=lambda at: max(sum(heights[part]) for part in cut(at)))
    return [names[part] for part in cut(best)]


def _block(ax: Axes, part: pd.DataFrame, title: str, low: float, high: float) -> None:
    image = ax.pcolormesh(part, vmin=low, vmax=high, cmap="cividis", edgecolor="white", lw=0.6)
    ax.set_facecolor("0.93")
    for (y, x), value in np.ndenumerate(part.to_numpy()):
        shade: Any = image.norm(value)
        said, tint = f"{value:.1f}", "white" if shade < 0.6 else "0.1"
        if np.isnan(value):
            said, tint = "–", "0.5"
        ax.text(x + 0.5, y + 0.5, said, fontsize=6.5, ha="center", va="center", color=tint)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=8)
    ax.set_xticks(np.arange(len(part.columns)) + 0.5, [_lines(c) for c in part.columns])
    ax.tick_params(length=0, labelsize=6.5)
    ax.set_yticks(np.arange(len(part)) + 0.5, part.index, rotation=0)


def _lines(key: object) -> str:
    """The parts of a key below each other, and a part's words; no word is broken."""
    parts = key if isinstance(key, tuple) else (key,)
    return "\n".join(name(word) for part in parts for word in str(part).split(" "))
