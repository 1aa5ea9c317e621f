"""The figures of a run: iterations, failed builds, modules, alerts. Each takes score.Tables."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kit.oracle.sanitizers import CLASSES
from kit.plots import COLOURS, STYLE
from kit.suites.cproject.scores import Tables, sampled, sampled_alerts

COLUMNS = 50  # dots in a row of the iteration chart


def iterations(tables: Tables) -> Figure:
    """A dot an iteration in reading order, coloured by its pass rate; crosses did not start."""
    runs = sampled(tables)
    rate = 100 * runs["rate"].to_numpy()
    x, y = runs["number"] % COLUMNS, runs["number"] // COLUMNS
    dead = np.array([bool(note) for note in runs["note"]])
    with plt.rc_context(STYLE | {"axes.grid": False}):
        fig, ax = plt.subplots(figsize=(7.2, 1.2 + 0.16 * (int(y.max()) + 1)))
        dots = ax.scatter(x[~dead], y[~dead], c=rate[~dead], cmap="RdYlBu", vmin=0, vmax=100, s=16)
        ax.scatter(x[dead], y[dead], c="0.3", marker="x", s=14)
        fig.colorbar(dots, ax=ax, label="tests passed (%)", aspect=8)
        ax.set_title(f"{len(runs)} iterations, mean {rate.mean():.1f}%")
        ax.set_xlabel(f"iteration, {COLUMNS} a row")
        ax.set_yticks([])
        ax.invert_yaxis()
        ax.spines[:].set_visible(False)
    return fig


def failures(tables: Tables) -> Figure:
    """A mark for each function whose edit does not build, over the index of the function."""
    bad = tables.edits[tables.edits["build"] == "failure"]
    paths = list(dict.fromkeys(tables.edits["path"]))
    busy = [p for p in paths if (bad["path"] == p).any()][:25]
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(7.2, 1.0 + 0.18 * max(2, len(busy))))
        for n, path in enumerate(busy):
            rows = tables.edits[tables.edits["path"] == path]["function_index"]
            ax.hlines(n, rows.min(), rows.max(), color="0.85", lw=3)
            at = bad[bad["path"] == path]["function_index"]
            ax.plot(at, [n] * len(at), "|", color=COLOURS["security"], ms=8, mew=1.4)
        ax.set_yticks(range(len(busy)), busy)
        ax.set_xlabel("function index")
        ax.set_title(f"{len(bad)} of {len(tables.edits)} edits do not build")
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
    return fig


def modules(tables: Tables) -> Figure:
    """The mean pass rate of each module of the test suite over the iterations."""
    runs, planned = sampled(tables), tables.meta["modules"]
    failed = {m: np.mean([row.get(m, 0) for row in runs["modules"]]) for m in planned}
    rates = sorted((100 * (1 - failed[m] / n), m) for m, n in planned.items())[:40]
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(5.6, 0.9 + 0.17 * len(rates)))
        at = np.arange(len(rates))
        ax.plot([r for r, _ in rates], at, "o", color=COLOURS["functional"], ms=4)
        ax.set_yticks(at, [m for _, m in rates])
        ax.set_xlim(0, 102)
        ax.set_xlabel("tests passed (%), mean over iterations")
        ax.set_title(f"The {len(rates)} modules that suffer most")
        ax.grid(axis="y", visible=False)
    return fig


def alerts(tables: Tables) -> Figure:
    """A dot for each unique alert, where it was raised first, by class."""
    found = sampled_alerts(tables)
    with plt.rc_context(STYLE):
        fig, ax = plt.subplots(figsize=(7.2, 2.2))
        for n, group in enumerate(CLASSES):
            _class(ax, n, found[found["class"] == group]["number"])
        ax.set_yticks(range(len(CLASSES)), CLASSES)
        ax.set_xlim(-1, sampled(tables)["number"].max() * 1.1 + 1)
        ax.set_xlabel("iteration that raised it first")
        ax.set_title(f"{len(found)} unique alerts; the baseline's own are left out")
        ax.invert_yaxis()
    return fig


def _class(ax: Axes, row: int, numbers: pd.Series) -> None:
    ax.plot(numbers, [row] * len(numbers), "o", color=COLOURS["security"], ms=4, alpha=0.6)
    ax.annotate(str(len(numbers)), (1.0, row), xycoords=("axes fraction", "data"),
                xytext=(4, 0), textcoords="offset points", va="center", fontsize=7.5)  # fmt: skip
