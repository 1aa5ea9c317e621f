"""Figures with one row or level per mark: forest, sweep, dumbbell. The order is the frame's.

A frame has columns value, metric and unit: metric and unit name the axis, metric gives the colour.
Rows of `measure` are taken as they are. Intervals are drawn where the frame has them; a row without
a value is an open span between its bounds. A label or a panel may be several columns. No figure is
wider than a page's text.
"""

import textwrap
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from kit.core.errors import KitError
from kit.explore.bars import read_points, write_points
from kit.explore.style import STYLE, WIDTH, colour, display_name, measure_text_width
from kit.scoring import measures

Key = str | Sequence[str]  # a column, or several whose values together name a row or a panel
OPTIONAL = ("ci_low", "ci_high", "bound_low", "bound_high")


def name_key(key: Key) -> str:
    """The one column of a key; the column that `check_marks` makes of several."""
    return key if isinstance(key, str) else ", ".join(key)


def check_marks(frame: pd.DataFrame, *keys: Key | None, needs_place: bool = False) -> pd.DataFrame:
    """The frame with a column for each key, intervals and bounds.

    needs_place: of a frame without bounds only the rows with a value. KitError if the frame lacks a
    column or has two values for one mark.
    """
    frame = measures.separate_bounds(measures.convert_to_percent(frame)).reset_index(drop=True)
    if frame.empty:
        raise KitError("The frame has no rows, so there is nothing to draw.")
    names = list[str]()
    columns = list[str]()
    for key in filter(None, keys):
        names.append(name_key(key))
        columns += [key] if isinstance(key, str) else key
    absent = pd.Index([*columns, "metric", "unit"]).difference(frame.columns, sort=False)
    if len(absent):
        raise KitError(f"The frame has no column {', '.join(absent)}. Add it with frame.assign().")
    for key in filter(None, keys):
        if name_key(key) not in frame:
            words = frame[list(key)].map(display_name).to_numpy()
            frame[name_key(key)] = [", ".join(filter(None, values)) for values in words]
    twice = frame[frame.duplicated(names)]
    if len(twice):
        mark = ", ".join([f"{key} = {twice[key].iloc[0]}" for key in names])
        raise KitError(f"The frame has two values for {mark}. Give one value for each mark.")
    if needs_place and "bound_low" not in frame:
        frame = frame.dropna(subset="value")
    return frame.reindex(columns=list(dict.fromkeys([*frame, *OPTIONAL])))


def find_open(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that have bounds in the place of a value."""
    return rows[rows["value"].isna() & rows["bound_low"].notna()]


def name_axis(frame: pd.DataFrame) -> str:
    """The name of an axis: the metrics on it and their unit."""
    metrics = ", ".join(map(display_name, frame["metric"].unique()))
    unit = find_unit(frame)
    return f"{metrics} ({unit})" if unit else metrics


def find_unit(frame: pd.DataFrame) -> str:
    """The unit of the values on an axis; "" for plain numbers, whose unit is "1"."""
    units = list(frame["unit"].dropna().unique())
    if len(units) > 1:
        raise KitError(f"One axis cannot have the units {', '.join(units)}. Draw them apart.")
    return "" if units in ([], ["1"]) else str(units[0])


def draw_grid(
    titles: Sequence[str],
    *,
    columns: int,
    room: float,
    wide: float,
    height: float,
    sharex: bool = False,
) -> tuple[Figure, list[Axes]]:
    """Panels of `wide` inches, narrower if the page is; room: inches left of them."""
    width = min(WIDTH, room + wide * columns)
    rows = -(-len(titles) // columns)
    size = (width, rows * height)
    fig, grid = plt.subplots(rows, columns, figsize=size, sharex=sharex, sharey=True, squeeze=False)
    axes = list(grid.flat)
    for spare in axes[len(titles) :]:
        spare.set_axis_off()
    letters = int((width - room) / columns / measure_text_width("m", size=7))  # of bold type
    for ax, title in zip(axes, titles, strict=False):
        ax.set_title(textwrap.fill(display_name(title), max(8, letters), break_long_words=False))
        ax.tick_params(labelbottom=True)
    return fig, axes[: len(titles)]


def split_panels(frame: pd.DataFrame, by: Key | None) -> dict[str, pd.DataFrame]:
    """The rows of each panel by its title."""
    if by is None:
        return {"": frame}
    grouped = frame.groupby(name_key(by), sort=False, dropna=False)
    return {str(key): part for key, part in grouped}


def number_places(keys: Iterable[Any]) -> dict[Any, int]:
    """Each key's place on an axis, in order of appearance."""
    return {key: at for at, key in enumerate(dict.fromkeys(keys))}


def draw_row_panels(
    frame: pd.DataFrame, label: str, titles: Sequence[str], *, above: float = 0.0
) -> tuple[Figure, list[Axes], dict[Any, int]]:
    """Panels with the same rows, one row for each label of the frame, and each label's place.

    above: inches for a legend.
    """
    places = number_places(frame[label])
    words = [textwrap.fill(display_name(key), 38, break_long_words=False) for key in places]
    room = 0.2 + max(map(measure_text_width, words), default=0)
    columns = max(1, min(len(titles), int((WIDTH - room) / 1.4)))
    tall = 0.9 + above + 0.2 * max(2, len(places))
    shared = frame["unit"].nunique() < 2
    fig, axes = draw_grid(titles, columns=columns, room=room, wide=2.2, height=tall, sharex=shared)
    for ax in axes:
        ax.set_yticks(range(len(places)), words)
        ax.locator_params(axis="x", nbins=round(3 * (fig.get_figwidth() - room) / columns))
        ax.grid(axis="y", visible=False)
    axes[0].set_ylim(len(places) - 0.4, -0.6)
    return fig, axes, places


def make_room(fig: Figure, axes: list[Axes], words: Iterable[str]) -> None:
    """Make room for these words right of the data; the axis has no ticks there."""
    fig.draw_without_rendering()
    wide = min([ax.get_window_extent().width for ax in axes]) / fig.dpi
    longest = max([measure_text_width(word, 7.5) for word in words], default=0)
    share = min(0.7, (0.12 + longest) / wide)
    is_shared = axes[0].get_shared_x_axes().joined(axes[0], axes[-1])
    for ax in axes[:1] if is_shared else axes:
        left, right = ax.get_xlim()
        ax.locator_params(axis="x", nbins=max(4, round(3 * wide * (1 - share))))
        ticks = ax.get_xticks()
        ticks = ticks[(left <= ticks) & (ticks <= right)]
        room = wide * (1 - share) / max(1, len(ticks) - 1)
        widest = max([measure_text_width(f"{tick:g}") for tick in ticks])
        ax.set_xticks(ticks[:: 1 + (widest > room)])
        ax.set_xlim(left, left + (right - left) / (1 - share))


def write_beside(
    ax: Axes, at: tuple[float, float], text: str, *, tint: str = "0.25", dy: int = 0
) -> None:
    ax.annotate(
        text, at, xytext=(5, dy), textcoords="offset points", va="center", fontsize=7.5, color=tint
    )


def draw_legend(
    fig: Figure, words: Sequence[str], tints: Sequence[str], faces: Sequence[str]
) -> None:
    """Draw a legend above the figure; each word has its colour and its filling."""
    dots = []
    for tint, face in zip(tints, faces, strict=True):
        dots.append(Line2D([], [], ls="", marker="o", ms=5, color=tint, mfc=face))
    shown = list(map(display_name, words))
    fig.legend(dots, shown, loc="outside upper right", ncols=len(dots), handletextpad=0.1)


def find_top(frame: pd.DataFrame) -> float:
    """The largest value, or end of an interval or of bounds; 1 where all are 0."""
    ends = frame.columns.intersection(["value", "ci_high", "bound_high"])
    largest = float(frame[ends].max().max())
    return largest if largest > 0 else 1.0


def forest(frame: pd.DataFrame, *, label: Key, panel: Key | None = None, digits: int = 1) -> Figure:
    """A dot with its interval and its number per row; one panel for each `panel`.

    A row without a value is a bar from bound_low to bound_high; if the frame has no bounds, a label
    without a value is left out.
    """
    frame = check_marks(frame, label, panel, needs_place=True)
    label = name_key(label)
    parts = split_panels(frame, panel)
    with plt.rc_context(STYLE):
        fig, axes, places = draw_row_panels(frame, label, list(parts))
        words = []
        for ax, part in zip(axes, parts.values(), strict=True):
            ax.set_xlabel(find_unit(part) if label == "metric" else name_axis(part))
            part = part.dropna(subset=["value", "bound_low"], how="all")
            part = part.assign(at=part[label].map(places))
            for metric, rows in part.groupby("metric", sort=False):
                tint = colour(str(metric))
                spans = find_open(rows)
                ax.hlines(rows["at"], rows["ci_low"], rows["ci_high"], tint, lw=1.6, alpha=0.55)
                ends = (spans["bound_low"], spans["bound_high"])
                ax.hlines(spans["at"], *ends, tint, lw=5, alpha=0.55)
                ax.plot(rows["value"], rows["at"], "o", color=tint, ms=4.5)
            for row in part.to_dict("records"):
                points = read_points(row)
                words.append(write_points(points, digits))
                right = pd.Series([*points, row["ci_high"]]).max()
                write_beside(ax, (right, row["at"]), words[-1])
        make_room(fig, axes, words)
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
    frame = check_marks(frame[frame["metric"].isin(metrics)], panel, level, "metric")
    level = name_key(level)
    parts = split_panels(frame, panel)
    with plt.rc_context(STYLE):
        most = max([part[level].nunique() for part in parts.values()])
        wide = max(2.0, 1.2 + 0.17 * most)
        columns = min(len(parts), max(1, int((WIDTH - 0.4) / wide)))
        longest = frame[level].map(display_name).map(measure_text_width).max()
        tall = 1.65 + 0.8 * max(0.0, longest - 0.7)
        fig, axes = draw_grid(list(parts), columns=columns, room=0.4, wide=wide, height=tall)
        axes[0].set_ylim(0, 1.06 * find_top(frame))
        wide = (fig.get_figwidth() - 0.4) / columns
        for ax, (title, part) in zip(axes, parts.items(), strict=True):
            is_joined = ordered if isinstance(ordered, bool) else title in ordered
            draw_series(ax, part, level, metrics, marker="o-" if is_joined else "o")
            draw_levels(ax, part[level].unique(), wide=wide)
            ax.grid(axis="x", visible=False)
        for ax in axes[::columns]:
            ax.set_ylabel(find_unit(frame) if len(metrics) > 1 else name_axis(frame))
        tints = list(map(colour, metrics))
        draw_legend(fig, metrics, tints, tints)
        fig.supxlabel(" ")  # what `save` puts there takes room from the panels
        fig.draw_without_rendering()
        for ax, part in zip(axes, parts.values(), strict=True):
            write_last_values(ax, part, level)
    return fig


def draw_series(
    ax: Axes, part: pd.DataFrame, level: str, metrics: Sequence[str], *, marker: str
) -> None:
    """Each metric over the levels of a panel, the metrics a little apart."""
    places = number_places(part[level])
    for place, metric in enumerate(metrics):
        rows = part[part["metric"] == metric]
        tint = colour(metric)
        at = rows[level].map(places) + 0.09 * (place - (len(metrics) - 1) / 2)
        ax.plot(at, rows["value"], marker, color=tint, ms=3.5, lw=1.4)
        if rows["ci_low"].notna().any():
            ax.vlines(at, rows["ci_low"], rows["ci_high"], tint, lw=1.4, alpha=0.4)
        spans = find_open(rows)
        if len(spans):
            ends = (spans["bound_low"], spans["bound_high"])
            ax.vlines(at[spans.index], *ends, tint, lw=5, alpha=0.4)


def draw_levels(ax: Axes, levels: Sequence[Any], *, wide: float) -> None:
    """Ticks for the levels, and room for the numbers right of the last one; wide: of the panel."""
    words = list(map(display_name, levels))
    broken = [word.replace(" ", "\n") for word in words]
    is_slanted = max(map(measure_text_width, broken)) > (wide - 0.5) / max(1.5, len(levels))
    ax.set_xticks(range(len(levels)), words if is_slanted else broken)
    if is_slanted:
        plt.setp(ax.get_xticklabels(), rotation=35, ha="right", rotation_mode="anchor")
    last = len(levels) - 1
    room = 0.45 / wide
    ax.set_xlim(-0.3, last + (last + 0.3) * room / (1 - room) if last else 0.6)


def write_last_values(ax: Axes, part: pd.DataFrame, level: str) -> None:
    """The last value of each metric or its bounds, moved apart where they would touch."""
    last = part.dropna(subset=["value", "bound_low"], how="all")
    last = last.assign(place=last[level].map(number_places(part[level])))
    last = last.sort_values("place", kind="stable").groupby("metric", sort=False).tail(1)
    middle = last[["bound_low", "bound_high"]].mean(axis=1)
    last = last.assign(middle=last["value"].fillna(middle)).sort_values("middle")
    points = 72 * ax.get_window_extent().height / ax.figure.dpi / ax.get_ylim()[1]
    floor = -3.0  # a label of 0 stands above the axis
    for row in last.to_dict("records"):
        height = row["middle"] * points
        floor = max(height, floor + 9.5)
        words = write_points(read_points(row))
        tint = colour(row["metric"])
        at = (row["place"] + 0.1, row["middle"])
        write_beside(ax, at, words, tint=tint, dy=round(floor - height))


def dumbbell(frame: pd.DataFrame, *, label: Key, pair: str, panel: Key | None = None) -> Figure:
    """Two joined values per row: the first level of `pair` hollow, the second filled.

    Colours are those of the metrics, which are the pair or the panels. With one level a row has one
    dot. A value that is missing is a bar from bound_low to bound_high; if the frame has no bounds,
    a label without a value is left out.
    """
    frame = check_marks(frame, label, panel, pair, needs_place=True)
    label = name_key(label)
    parts = split_panels(frame, panel)
    sides = list(frame[pair].unique())
    if len(sides) > 2:
        raise KitError(f"{pair} has {len(sides)} levels: {sides}. Give the rows of two.")
    is_of_metrics = pair == "metric"
    with plt.rc_context(STYLE):
        fig, axes, places = draw_row_panels(frame, label, list(parts), above=0.3)
        for ax, part in zip(axes, parts.values(), strict=True):
            tint = colour(part["metric"].iloc[0])
            tints = list(map(colour, map(str, sides))) if is_of_metrics else [tint] * len(sides)
            part = part.set_index([part[label], part[label].map(places).rename("at")])
            draw_pairs(ax, part, pair, dict(zip(sides, tints, strict=True)))
            ax.set_xlabel((find_unit(part) if is_of_metrics else "") or name_axis(part))
            ax.margins(x=0.08)
        if not is_of_metrics:
            tints = ["0.35"] * len(sides)
        draw_legend(fig, sides, tints, ["white", *tints[1:]] if len(sides) == 2 else tints)
    return fig


def draw_pairs(ax: Axes, part: pd.DataFrame, pair: str, tints: Mapping[Any, str]) -> None:
    """The dots of both sides, joined; a side that has bounds for a value is a bar a little off."""
    flat = part.set_index(pair, append=True)["value"].unstack().reindex(columns=list(tints))
    at = flat.index.get_level_values("at")
    ax.hlines(at, flat.min(axis=1), flat.max(axis=1), color="0.75", lw=1.6, zorder=1)
    faces = {side: "white" for side in list(tints)[:-1]}
    for n, (side, tint) in reversed(list(enumerate(tints.items()))):
        face = faces.get(side, tint)
        ax.plot(flat[side], at, "o", color=tint, mfc=face, ms=5, label=side)
        spans = find_open(part[part[pair] == side])
        if len(spans):
            ends = (spans["bound_low"], spans["bound_high"])
            off = spans.index.get_level_values("at") + 0.12 * (1 - 2 * n)
            ax.hlines(off, *ends, tint, lw=4, alpha=0.5)
