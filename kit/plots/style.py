"""One look for every figure, and `save`, the only door of figures."""

import os
import re
import textwrap
from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from kit import notes
from kit.errors import KitError
from kit.languages import LANGUAGES
from kit.paths import PAPERMILL_RUNS, own, run_path

VARIABLE = "KIT_FIGURES"  # the folder that a runner of notebooks gives to `save`

STYLE = sns.axes_style("whitegrid") | {
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.titlesize": 9,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.6",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.92",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "savefig.dpi": 200,
}
COLOURS = {"functional": "#0072B2", "security": "#D55E00", "joint": "#882E72", "other": "#333333"}
AXIS = {"pass": "functional", "PR": "functional", "secure": "security", "SPR": "security"}
AXIS |= {"secure-pass": "joint", "SVEN-SR": "security"}


def colour(metric: str) -> str:
    """Blue for function, vermilion for security, purple for both, whatever k; else dark grey."""
    return COLOURS[AXIS.get(metric.partition("@")[0], "other")]


NAMES = {
    **{key: LANGUAGES[key].label for key in ("python", "cpp", "javascript", "php")},
    "sql": "SQLite",
}


def name(key: object) -> str:
    """How a reader knows a key: C++ for cpp."""
    return NAMES.get(str(key), str(key))


def save(fig: Figure, name: str, *, says: str, run: str | Path | None = None) -> Figure:
    """Write <name>.png and .pdf, the same bytes for the same figure, and give it back.

    says: what n is, and the level and the kind of the intervals; it stands below the figure.
    run: the run that is drawn, by name or folder; its figures go there. Else where the runner of
    notebooks says: to figures/ only from a notebook with its own parameters, beside the executed
    copy otherwise; to papermill_runs/figures where no runner is at work.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise KitError(f"Got the name {name!r}. Use small letters, digits and dashes: 'table-2'.")
    folder = Path(os.environ.get(VARIABLE) or PAPERMILL_RUNS / "figures")
    folder = folder if run is None else own(run_path(run).parent) / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        wide = int(fig.get_figwidth() * 18)  # letters of this size in a line
        text = textwrap.fill(says, wide, break_long_words=False, break_on_hyphens=False)
        fig.supxlabel(text, x=0.005, ha="left", fontsize=6.5, color="0.35")
        fig.savefig(folder / f"{name}.png", metadata={"Software": None})
        fig.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None, "Producer": None})
    plt.close(fig)
    notes.note("figure", name=name)
    return fig
