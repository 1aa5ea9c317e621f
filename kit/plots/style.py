"""One look for every figure, and `save`, the only door to figures/."""

import re

import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib.figure import Figure

from kit import notes
from kit.errors import KitError
from kit.languages import LANGUAGES
from kit.paths import FIGURES

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
COLOURS = {
    "functional": "#0072B2",
    "security": "#D55E00",
    "joint": "#882E72",
    "first": "#7F7F7F",
    "second": "#0072B2",
}
AXIS = {"pass@1": "functional", "PR": "functional", "secure@1": "security", "SPR": "security"}
AXIS |= {"secure-pass@1": "joint", "secure@1_pass": "security", "SVEN-SR": "security"}


def colour(metric: str) -> str:
    """Blue for function, vermilion for security, purple for both; told apart by all eyes."""
    return COLOURS[AXIS.get(metric, "second")]


NAMES = {
    **{key: LANGUAGES[key].label for key in ("python", "cpp", "javascript", "php")},
    "sql": "SQLite",
}


def name(key: object) -> str:
    """How a reader knows a key: C++ for cpp."""
    return NAMES.get(str(key), str(key))


def save(fig: Figure, name: str) -> Figure:
    """Write figures/<name>.png and .pdf, the same bytes for the same figure, and give it back."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise KitError(f"Got the name {name!r}. Use small letters, digits and dashes: 'table-2'.")
    FIGURES.mkdir(exist_ok=True)
    with plt.rc_context(STYLE):
        fig.savefig(FIGURES / f"{name}.png", metadata={"Software": None})
        fig.savefig(FIGURES / f"{name}.pdf", metadata={"CreationDate": None, "Producer": None})
    plt.close(fig)
    notes.note("figure", name=name)
    return fig
