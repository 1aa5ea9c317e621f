"""The four figures. A figure takes a tidy frame and keeps the order of its rows.

A frame has columns value, metric and unit: metric and unit name the axis, metric gives the colour.
Rows of `measure` are taken as they are. Intervals are drawn where the frame has them; a row without
a value is an open span between its bounds. A label or a panel may be several columns. No figure is
wider than a page's text.
"""

import itertools
import re
import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kit import measures
from kit.errors import KitError
from kit.explore.style import STYLE, WIDTH, colour, inches, name

Key = str | Sequence[str]  # a column, or several whose values together name a row or a panel
OPTIONAL = ("ci_low", "ci_high", "bound_low", "bound_high")


def named(key: Key) -> str:
    """The one column of a key; the column that `checked` makes of several."""
    return key if isinstance(key, str) else ", ".join(key)


def checked(frame: pd.DataFrame, *keys: Key | None) -> pd.DataFrame:
    """The frame with a column for each `named` key; KitError if it lacks a column or has two values
    for one mark."""
    frame = measures.apart(measures.percent(frame)).reset_index(drop=True)
    given = [key for key in keys if key]
    if frame.empty:
        raise KitError("The frame has no rows, so there is nothing to draw.")
    columns = [c for key in given for c in ([key] if isinstance(key, str) else key)]
    absent = [c for c in (*columns, "metric", "unit") if c not in frame]
    if absent:
        raise KitError(f"The frame has no column {', '.join(absent)}. Add it with frame.assign().")
    for key in given:
        if named(key) not in frame:
            words = [filter(None, map(name, values)) for values in frame[list(key)].to_numpy()]
            frame = frame.assign(**{named(key): list(map(", ".join, words))})
    marks = [named(key) for key in given]
    twice = frame[frame.duplicated(marks)]
    if len(twice):
        mark = ", ".join(f"{key} = {twice[key].iloc[0]}" for key in marks)
        raise KitError(f"The frame has two values for {mark}. Give one value for each mark.")
    return frame


def with_bounds(frame: pd.DataFrame, value: str = "value") -> pd.DataFrame:
    """The rows that have a place of their own: of a frame without bounds those with a value."""
    kept = frame if "bound_low" in frame else frame.dropna(subset=value)
    return kept.reindex(columns=list(dict.fromkeys([*frame, *OPTIONAL])))


def find_open(rows: pd.DataFrame, value: str = "value") -> pd.DataFrame:
    """The rows that have bounds in the place of a value."""
    return rows[rows[value].isna() & rows["bound_low"].notna()]


def axis_name(frame: pd.DataFrame) -> str:
    """The name of an axis: the metrics on it and their unit."""
    metrics, unit = dict.fromkeys(frame["metric"]), unit_of(frame)
    return ", ".join(map(name, metrics)) + (f" ({unit})" if unit else "")


def unit_of(frame: pd.DataFrame) -> str:
    """The unit of the values on an axis; "" for plain numbers, whose unit is "1"."""
    units = list(dict.fromkeys(frame["unit"].dropna()))
    if len(units) > 1:
        raise KitError(f"One axis cannot have the units {', '.join(units)}. Draw them apart.")
    return "" if units in ([], ["1"]) else str(units[0])


def grid_of(
    titles: Sequence[str],
    *,
    columns: int,
    room: float,
    wide: float,
    height: float,
    sharex: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Panels of `wide` inches, narrower if the page is; room: inches left of them."""
    width, rows = min(WIDTH, room + wide * columns), -(-len(titles) // columns)
    size = (width, rows * height)
    fig, grid = plt.subplots(rows, columns, figsize=size, sharex=sharex, sharey=True, squeeze=False)
    axes = list(grid.flat)
    for spare in axes[len(titles) :]:
        spare.set_axis_off()
    letters = int((width - room) / columns / inches("m", size=7))  # of bold type
    for ax, title in zip(axes, titles, strict=False):
        ax.set_title(textwrap.fill(name(title), max(8, letters), break_long_words=False))
        ax.tick_params(labelbottom=True)
    return fig, axes[: len(titles)]


def groups(frame: pd.DataFrame, by: str | None) -> dict[str, pd.DataFrame]:
    if by is None:
        return {"": frame}
    return {str(key): part for key, part in frame.groupby(by, sort=False, dropna=False)}


def numbered(keys: Iterable[Any]) -> dict[Any, int]:
    return {key: at for at, key in enumerate(dict.fromkeys(keys))}


def row_panels(
    frame: pd.DataFrame, label: str, titles: Sequence[str], *, above: float = 0.0
) -> tuple[Figure, list[Axes], dict[Any, int]]:
    """Panels with the same rows, one row for each label of the frame, and each label's place.

    above: inches for a legend.
    """
    places = numbered(frame[label])
    words = [textwrap.fill(name(key), 38, break_long_words=False) for key in places]
    room = 0.2 + max(map(inches, words), default=0)
    columns = max(1, min(len(titles), int((WIDTH - room) / 1.4)))
    tall, shared = 0.9 + above + 0.2 * max(2, len(places)), frame["unit"].nunique() < 2
    fig, axes = grid_of(titles, columns=columns, room=room, wide=2.2, height=tall, sharex=shared)
    for ax in axes:
        ax.set_yticks(range(len(places)), words)
        ax.locator_params(axis="x", nbins=round(3 * (fig.get_figwidth() - room) / columns))
        ax.grid(axis="y", visible=False)
    axes[0].set_ylim(len(places) - 0.4, -0.6)
    return fig, axes, places


def reach(fig: Figure, axes: list[Axes], words: Iterable[str]) -> None:
    """Make room for these words right of the data; the axis has no ticks there."""
    fig.draw_without_rendering()
    wide = min(ax.get_window_extent().width for ax in axes) / fig.dpi
    share = min(0.7, (0.12 + max((inches(word, 7.5) for word in words), default=0)) / wide)
    shared = axes[0].get_shared_x_axes()
    for ax in [ax for i, ax in enumerate(axes) if i == 0 or not shared.joined(axes[0], ax)]:
        left, right = ax.get_xlim()
        ax.locator_params(axis="x", nbins=max(4, round(3 * wide * (1 - share))))
        ticks = [tick for tick in ax.get_xticks() if left <= tick <= right]
        room = wide * (1 - share) / max(1, len(ticks) - 1)
        ax.set_xticks(ticks[:: 1 + (max(inches(f"{tick:g}") for tick in ticks) > room)])
        ax.set_xlim(left, left + (right - left) / (1 - share))


def beside(
    ax: Axes, at: tuple[float, float], text: str, *, tint: str = "0.25", dy: int = 0
) -> None:
    ax.annotate(
        text, at, xytext=(5, dy), textcoords="offset points", va="center", fontsize=7.5, color=tint
    )


def legend(fig: Figure, marks: Iterable[tuple[object, str, str]]) -> None:
    """Draw a legend above the figure; a mark is its word, its colour and its filling."""
    words, tints, faces = zip(*marks, strict=True)
    dots = [
        Line2D([], [], ls="", marker="o", ms=5, color=tint, mfc=face)
        for tint, face in zip(tints, faces, strict=True)
    ]
    named = [name(word) for word in words]
    fig.legend(dots, named, loc="outside upper right", ncols=len(dots), handletextpad=0.1)


def top(frame: pd.DataFrame) -> float:
    """The largest value, or end of an interval or of bounds; 1 where all are 0."""
    ends = [c for c in ("value", "ci_high", "bound_high") if c in frame]
    largest = float(frame[ends].max().max())
    return largest if largest > 0 else 1.0


def forest(
    frame: pd.DataFrame,
    *,
    label: Key,
    value: str = "value",
    low: str = "ci_low",
    high: str = "ci_high",
    panel: Key | None = None,
    digits: int = 1,
) -> Figure:
    """A dot with its interval and its number per row; one panel for each `panel`.

    A row without a value is a bar from bound_low to bound_high; if the frame has no bounds, a label
    without a value is left out.
    """
    whole = checked(frame, label, panel)
    label, panels = named(label), named(panel) if panel else None
    ends, parts = [low, high, "bound_low", "bound_high"], groups(whole, panels)
    with plt.rc_context(STYLE):
        fig, axes, places = row_panels(with_bounds(whole, value), label, list(parts))
        words = []
        for ax, part in zip(axes, parts.values(), strict=True):
            ax.set_xlabel(unit_of(part) if label == "metric" else axis_name(part))
            part = with_bounds(part, value).dropna(subset=[value, "bound_low"], how="all")
            part = part.assign(at=part[label].map(places))
            for metric, rows in part.groupby("metric", sort=False):
                tint, open_ = colour(str(metric)), find_open(rows, value)
                ax.hlines(rows["at"], rows[low], rows[high], color=tint, lw=1.6, alpha=0.55)
                ax.hlines(open_["at"], open_[ends[2]], open_[ends[3]], color=tint, lw=5, alpha=0.55)
                ax.plot(rows[value], rows["at"], "o", color=tint, ms=4.5)
            for _, row in part.iterrows():
                point = row[[value] if pd.notna(row[value]) else ends[2:]]
                words.append(" to ".join(f"{v:.{digits}f}" for v in point))
                beside(ax, (pd.concat([point, row[[high]]]).max(), row["at"]), words[-1])
        reach(fig, axes, words)
    return fig


def sweep(
    frame: pd.DataFrame,
    *,
    level: Key,
    panel: Key,
    metrics: Iterable[str] = ("pass@1", "secure@1", "secure-pass@1"),
    ordered: bool | Collection[str] = True,
) -> Figure:
    """One panel per family: each metric over the levels of one factor, in the order of the frame.

    ci_low and ci_high are drawn as whiskers; the last value of each metric, or its bounds, is
    printed beside it.
    ordered: whether a line joins the levels, or the panels in which it does.
    """
    metrics = list(metrics)
    frame = checked(frame[frame["metric"].isin(metrics)], panel, level, "metric")
    frame = frame.reindex(columns=list(dict.fromkeys([*frame, *OPTIONAL])))
    level, panel = named(level), named(panel)
    with plt.rc_context(STYLE):
        parts = groups(frame, panel)
        most = max(part[level].nunique() for part in parts.values())
        wide = max(2.0, 1.2 + 0.17 * most)
        columns = min(len(parts), max(1, int((WIDTH - 0.4) / wide)))
        tall = 1.65 + 0.8 * max(0.0, max(inches(name(x)) for x in frame[level]) - 0.7)
        fig, axes = grid_of(list(parts), columns=columns, room=0.4, wide=wide, height=tall)
        axes[0].set_ylim(0, 1.06 * top(frame))
        wide = (fig.get_figwidth() - 0.4) / columns
        for ax, (title, part) in zip(axes, parts.items(), strict=True):
            places = numbered(part[level])
            joined = ordered if isinstance(ordered, bool) else title in ordered
            for place, metric in enumerate(metrics):
                one, tint = part[part["metric"] == metric], colour(metric)
                at = one[level].map(places) + 0.09 * (place - (len(metrics) - 1) / 2)
                ax.plot(at, one["value"], "o-" if joined else "o", color=tint, ms=3.5, lw=1.4)
                open_ = find_open(one)
                if one["ci_low"].notna().any():
                    ax.vlines(at, one["ci_low"], one["ci_high"], lw=1.4, color=tint, alpha=0.4)
                if len(open_):
                    ends = (open_["bound_low"], open_["bound_high"])
                    ax.vlines(at[open_.index], *ends, lw=5, color=tint, alpha=0.4)
            _levels(ax, list(places), wide=wide)
            ax.grid(axis="x", visible=False)
        for ax in axes[::columns]:
            ax.set_ylabel(unit_of(frame) if len(metrics) > 1 else axis_name(frame))
        legend(fig, [(metric, colour(metric), colour(metric)) for metric in metrics])
        fig.supxlabel(" ")  # what `save` puts there takes room from the panels
        fig.draw_without_rendering()
        for ax, part in zip(axes, parts.values(), strict=True):
            _ends(ax, part, level, numbered(part[level]))
    return fig


def _levels(ax: Axes, levels: list[Any], *, wide: float) -> None:
    """Ticks for the levels, and room for the numbers right of the last one; wide: of the panel."""
    broken = [name(level).replace(" ", "\n") for level in levels]
    slanted = max(map(inches, broken)) > (wide - 0.5) / max(1.5, len(levels))
    ax.set_xticks(range(len(levels)), map(name, levels) if slanted else broken)
    if slanted:
        plt.setp(ax.get_xticklabels(), rotation=35, ha="right", rotation_mode="anchor")
    last, room = len(levels) - 1, 0.45 / wide
    ax.set_xlim(-0.3, last + (last + 0.3) * room / (1 - room) if last else 0.6)


def _ends(ax: Axes, part: pd.DataFrame, level: str, places: Mapping[Any, int]) -> None:
    """The last value of each metric or its bounds, moved apart where they would touch."""
    last = part.dropna(subset=["value", "bound_low"], how="all")
    last = last.sort_values(level, key=lambda keys: keys.map(places), kind="stable")
    last = last.groupby("metric", sort=False).tail(1)
    words = [" to ".join(f"{v:.1f}" for v in (cell if isinstance(cell, tuple) else [cell]))
             for cell in measures.bounded(last, "value")]  # fmt: skip
    middle = last[["bound_low", "bound_high"]].mean(axis=1)
    last = last.assign(words=words, value=last["value"].fillna(middle)).sort_values("value")
    points = 72 * ax.get_window_extent().height / ax.figure.dpi / ax.get_ylim()[1]
    floor = -3.0  # a label of 0 stands above the axis
    rows = last[[level, "metric", "value", "words"]].itertuples(index=False)
    for key, metric, value, text in rows:
        floor = max(value * points, floor + 9.5)
        at, shift = (places[key] + 0.1, value), round(floor - value * points)
        beside(ax, at, text, tint=colour(metric), dy=shift)


def dumbbell(frame: pd.DataFrame, *, label: Key, pair: str, panel: Key | None = None) -> Figure:
    """Two joined values per row: the first level of `pair` hollow, the second filled.

    Colours are those of the metrics, which are the pair or the panels. With one level a row has one
    dot. A value that is missing is a bar from bound_low to bound_high; if the frame has no bounds,
    a label without a value is left out.
    """
    frame = with_bounds(checked(frame, label, panel, pair))
    label, panels = named(label), named(panel) if panel else None
    sides = list(dict.fromkeys(frame[pair]))
    if len(sides) > 2:
        raise KitError(f"{pair} has {len(sides)} levels: {sides}. Give the rows of two.")
    with plt.rc_context(STYLE):
        parts = groups(frame, panels)
        fig, axes, places = row_panels(frame, label, list(parts), above=0.3)
        for ax, part in zip(axes, parts.values(), strict=True):
            flat = part.pivot(index=label, columns=pair, values="value").reindex(columns=sides)
            at = flat.index.map(places)
            ax.hlines(at, flat.min(axis=1), flat.max(axis=1), color="0.75", lw=1.6, zorder=1)
            for side, inside in zip(sides[::-1], ("full", "none"), strict=False):
                tint = colour(side if pair == "metric" else part["metric"].iloc[0])
                face = tint if inside == "full" else "white"
                ax.plot(flat[side], at, "o", color=tint, mfc=face, ms=5, label=side)
                open_ = find_open(part[part[pair] == side])
                above = open_[label].map(places).astype(float) + 0.12 * (1 - 2 * sides.index(side))
                if len(open_):
                    ends = (open_["bound_low"], open_["bound_high"])
                    ax.hlines(above, *ends, color=tint, lw=4, alpha=0.5)
            ax.set_xlabel((unit_of(part) if pair == "metric" else "") or axis_name(part))
            ax.margins(x=0.08)
        tints = [colour(str(side)) if pair == "metric" else "0.35" for side in sides]
        faces = ["white", tints[-1]] if len(sides) == 2 else tints
        legend(fig, zip(sides, tints, faces, strict=True))
    return fig


SMALL = 7.0  # points of the type


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
    several = frame["metric"].nunique() > 1 or not across
    keys = [*across, *(["metric"] if several else [])]
    frame, label = checked(frame, label, *keys), named(label)
    frame = frame.assign(words=[_word(cell) for cell in measures.bounded(frame, "value")])
    levels = [(_head(key), part.set_index(label)) for key, part in
              frame.groupby(keys, sort=False, dropna=False)]  # fmt: skip
    cells = {head: part["value"] for head, part in levels}
    every = list(dict.fromkeys(frame[label]))
    blocks = {group: list(rows) for group, rows in (groups or {"": every}).items()}
    rest = [key for key in every if not any(key in rows for rows in blocks.values())]
    blocks |= {"Other": rest} if rest else {}
    room = 0.15 + max(inches(name(key), SMALL) for key in every)
    flat = room + len(cells) * max(0.36, 0.04 + max(inches(key, SMALL) for key in cells))
    upright = flat > WIDTH
    bands = -(-len(cells) // int((WIDTH - room) / 0.36)) if upright else 1
    size = -(-len(cells) // bands)
    wide = room + 0.36 * size if upright else flat
    joined = [re.sub("(?<=[-_])\n", "", key).replace("\n", " ") for key in cells]
    heads = joined if upright else list(cells)
    below = max(inches(x, SMALL) if upright else 0.12 * (x.count("\n") + 1) for x in heads)
    table = pd.DataFrame(cells).set_axis(heads, axis=1)
    words = pd.DataFrame({head: part["words"] for head, part in levels}).set_axis(heads, axis=1)
    most = 100.0 if unit_of(frame) == "%" else top(frame[["value"]])
    folded = {(start, group): rows for start in range(0, len(cells), size)
              for group, rows in blocks.items()}  # fmt: skip
    with plt.rc_context(STYLE | {"axes.grid": False}):
        fig, axes = _stacked(folded, wide=wide, below=below)
        for ax, (start, group) in zip(axes, folded, strict=True):
            rows, columns = blocks[group], slice(start, start + size)
            part, said = (t.reindex(rows).iloc[:, columns] for t in (table, words))
            _block(ax, part, said.fillna("–"), group, most=most, upright=upright)
        unit = unit_of(frame) and f"values in {unit_of(frame)}"
        above_all = unit if several else axis_name(frame)
        fig.suptitle(above_all, fontsize=8.5, x=0.01, ha="left")
    return fig


def _word(cell: Any) -> str:
    """A value to one digit, bounds as whole numbers, a dash for neither."""
    if isinstance(cell, tuple):
        return "–".join(f"{end:.0f}" for end in cell)
    return "–" if np.isnan(cell) else f"{cell:.1f}"


def _stacked(
    blocks: Mapping[Any, list[Any]], *, wide: float, below: float
) -> tuple[Figure, list[Axes]]:
    """Axes for the blocks, below and beside each other; below: inches for the heads of columns."""
    stacks = _stacks(blocks, int(WIDTH / wide))
    rows = {group: 0.175 * len(keys) for group, keys in blocks.items()}
    tall = max(sum(rows[group] + below + 0.25 for group in stack) for stack in stacks)
    fig = plt.figure(figsize=(wide * len(stacks), 0.6 + tall))
    axes = []
    for part, stack in zip(fig.subfigures(1, len(stacks), squeeze=False)[0], stacks, strict=True):
        spare = tall - sum(rows[group] + below + 0.25 for group in stack)
        ratios = [*(rows[group] for group in stack), max(spare, 0.001)]
        *used, last = part.subplots(len(ratios), 1, height_ratios=ratios)
        last.set_axis_off()
        axes += used
    return fig, axes


def _stacks(blocks: Mapping[Any, list[Any]], columns: int) -> list[list[Any]]:
    """The groups in order, cut into at most `columns` stacks with the smallest maximum height."""
    names = list(blocks)
    heights = [len(blocks[g]) + 2 for g in names]

    def cut(at: tuple[int, ...]) -> list[slice]:
        return [slice(i, j) for i, j in zip((0, *at), (*at, len(names)), strict=True)]

    ways = itertools.combinations(range(1, len(names)), min(columns, len(names)) - 1)
    best = min(ways, key=lambda at: max(sum(heights[part]) for part in cut(at)))
    return [names[part] for part in cut(best)]


def _block(
    ax: Axes, part: pd.DataFrame, words: pd.DataFrame, title: str, *, most: float, upright: bool
) -> None:
    image = ax.pcolormesh(part, vmin=0, vmax=most, cmap="cividis", edgecolor="white", lw=0.6)
    ax.set_facecolor("0.93")
    for (y, x), value in np.ndenumerate(part.to_numpy()):
        shade: Any = image.norm(value)
        text, tint = words.iat[y, x], "white" if shade < 0.6 else "0.1"
        if np.isnan(value):
            tint = "0.5" if text == "–" else "0.1"
        ax.text(x + 0.5, y + 0.5, text, fontsize=SMALL, ha="center", va="center", color=tint)
    ax.invert_yaxis()
    ax.spines[:].set_visible(False)
    ax.set_title(title, fontsize=8)
    ax.set_xticks(np.arange(len(part.columns)) + 0.5, part.columns, rotation=90 if upright else 0)
    ax.tick_params(length=0, labelsize=SMALL)
    ax.set_yticks(np.arange(len(part)) + 0.5, [name(key) for key in part.index])


def _head(key: object) -> str:
    """A key with each word on its own line; secure-pass@1 counts as two words."""
    parts = key if isinstance(key, tuple) else (key,)
    words = [re.sub("(?<=[-_])(?=pass)", " ", str(part)).split(" ") for part in parts]
    return "\n".join(name(word) for word in itertools.chain(*words))
