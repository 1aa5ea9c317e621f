"""The figures of a run of C projects: iterations, failed builds, modules, alerts."""

from collections.abc import Callable, Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kit.errors import KitError
from kit.oracle.sanitizers import CLASSES
from kit.plots import COLOURS, STYLE
from kit.suites.cproject.scores import sampled, sampled_alerts
from kit.suites.cproject.tables import Tables

COLUMNS = 50  # dots in a row of the iteration chart
FILES = 25  # rows of the chart of failed builds


def chart(
    kind: str, runs: Tables | Mapping[str, Tables], *, height: float = 3.4, most: int | None = 40
) -> Figure:
    """One chart of a run, or of several below each other, a panel of `height` inches each.

    kind: iterations, a dot each in reading order, coloured by its pass rate, crosses did not start;
    failures, a mark for each function whose edit does not build, over the index of the function;
    modules, the mean pass rate of each module of the test suite over the iterations, the weakest
    `most`; alerts, a dot for each unique one, where it was raised first, by class.
    """
    if kind not in CHARTS:
        raise KitError(f"Unknown chart {kind!r}. Use one of: {', '.join(CHARTS)}.")
    options = {"most": most} if kind == "modules" else {}
    several = isinstance(runs, Mapping)
    held = runs if isinstance(runs, Mapping) else {"": runs}
    tall = height if several else max(_height(kind, tables, most) for tables in held.values())
    with plt.rc_context(STYLE):
        fig, grid = plt.subplots(len(held), 1, figsize=(7.2, tall * len(held)), squeeze=False)
        for ax, (name, tables) in zip(grid.flat, held.items(), strict=True):
            CHARTS[kind](ax, tables, **options)
            if several:
                ax.set_title(f"{name} ({tables.meta['model']}): {ax.get_title(loc='left')}")
    return fig


def _height(kind: str, tables: Tables, most: int | None) -> float:
    if kind == "iterations":
        return 1.4 + 0.16 * -(-len(sampled(tables)) // COLUMNS)
    if kind == "failures":
        busy = tables.edits.loc[tables.edits["build"] == "failure", "path"].nunique()
        return 1.2 + 0.18 * min(FILES, max(2, int(busy)))
    return 2.4 if kind == "alerts" else 1.1 + 0.17 * min(most or 1000, len(tables.meta["modules"]))


def _iterations(ax: Axes, tables: Tables) -> None:
    runs = sampled(tables)
    if runs.empty:
        return _nothing(ax, "no iteration was run")
    rate = 100 * runs["rate"].to_numpy()
    x, y = runs["number"] % COLUMNS, runs["number"] // COLUMNS
    dead = np.array([bool(note) for note in runs["note"]])
    dots = ax.scatter(x[~dead], y[~dead], c=rate[~dead], cmap="RdYlBu", vmin=0, vmax=100, s=16)
    ax.scatter(x[dead], y[dead], c="0.3", marker="x", s=14)
    ax.figure.colorbar(dots, ax=ax, label="tests passed (%)", aspect=8)
    ax.set_title(f"{len(runs)} iterations, mean {rate.mean():.1f}%")
    ax.set_xlabel(f"iteration, {COLUMNS} a row")
    ax.set_yticks([])
    ax.set_ylim(max(y.max(), 3) + 0.7, -0.7)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return None


def _failures(ax: Axes, tables: Tables) -> None:
    bad = tables.edits[tables.edits["build"] == "failure"]
    paths = list(dict.fromkeys(tables.edits["path"]))
    busy = [p for p in paths if (bad["path"] == p).any()][:FILES]
    for n, path in enumerate(busy):
        rows = tables.edits[tables.edits["path"] == path]["function_index"]
        ax.hlines(n, rows.min(), rows.max(), color="0.85", lw=3)
        at = bad[bad["path"] == path]["function_index"]
        ax.plot(at, [n] * len(at), "|", color=COLOURS["security"], ms=8, mew=1.4)
    ax.set_yticks(range(len(busy)), busy)
    ax.tick_params(axis="y", labelsize=7)
    ax.set_xlabel("function index")
    ax.set_title(f"{len(bad)} of {len(tables.edits)} edits do not build")
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)


def _modules(ax: Axes, tables: Tables, *, most: int | None) -> None:
    runs, planned = sampled(tables), tables.meta.get("modules", {})
    if runs.empty or not planned:
        return _nothing(ax, "no module was tested")
    failed = {m: np.mean([row.get(m, 0) for row in runs["modules"]]) for m in planned}
    every = sorted((100 * (1 - failed[m] / n), m) for m, n in planned.items())
    rates = every[:most]
    which = "all" if len(rates) == len(every) else f"the weakest {len(rates)} of"
    at = np.arange(len(rates))
    ax.plot([r for r, _ in rates], at, "o", color=COLOURS["functional"], ms=4)
    ax.set_yticks(at, [m for _, m in rates])
    ax.tick_params(axis="y", labelsize=7)
    ax.set_xlim(0, 102)
    ax.set_ylim(len(rates) - 0.4, -0.6)
    ax.set_xlabel("tests passed (%), mean over iterations")
    ax.set_title(f"{which} {len(every)} modules of the test suite")
    ax.grid(axis="y", visible=False)
    return None


def _alerts(ax: Axes, tables: Tables) -> None:
    found, runs = sampled_alerts(tables), sampled(tables)
    if runs.empty:
        return _nothing(ax, "no iteration was run")
    for n, group in enumerate(CLASSES):
        _class(ax, n, found[found["class"] == group]["number"])
    ax.set_yticks(range(len(CLASSES)), CLASSES)
    ax.set_xlim(-1, runs["number"].max() * 1.1 + 1)
    ax.set_xlabel("iteration that raised it first")
    ax.set_title(f"{len(found)} unique alerts; the baseline's own are left out")
    ax.invert_yaxis()
    return None


def _class(ax: Axes, row: int, numbers: pd.Series) -> None:
    ax.plot(numbers, [row] * len(numbers), "o", color=COLOURS["security"], ms=4, alpha=0.6)
    ax.annotate(str(len(numbers)), (1.0, row), xycoords=("axes fraction", "data"),
                xytext=(4, 0), textcoords="offset points", va="center", fontsize=7.5)  # fmt: skip


def _nothing(ax: Axes, why: str) -> None:
    ax.set_axis_off()
    ax.set_title(why)


CHARTS: dict[str, Callable[..., None]] = {
    "iterations": _iterations, "failures": _failures, "modules": _modules, "alerts": _alerts,
}  # fmt: skip
