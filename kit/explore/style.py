"""The style of all figures, and `save`, which alone writes them."""

import os
import re
import textwrap
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Text
from matplotlib.textpath import TextPath
from PIL import Image

from kit.core import notes
from kit.core.errors import KitError
from kit.core.languages import LANGUAGES
from kit.core.paths import FIGURES, PAPERMILL_RUNS, path_to_write, replace_whole, run_path
from kit.core.records import content_key

WIDTH = 17 / 2.54  # inches of a page's text; a figure is not wider
LEAST = 7.0  # points of the smallest type, at that width
# Texts in a PNG file: the hash of what the figure shows, its message, what stands below it
CONTENT, MESSAGE, BELOW = "Description", "Title", "Comment"

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
    """Blue for functional, vermilion for security, purple for both, for every k; else dark grey."""
    return COLOURS[AXIS.get(metric.partition("@")[0], "other")]


NAMES = {
    **{key: LANGUAGES[key].label for key in ("python", "cpp", "javascript", "php")},
    "sql": "SQLite",
    "sqlite": "SQLite",
    "cjson": "cJSON",
    "f1": "F1",
    "saboteur": "seeded faults",
    "–": "not stated",
}


def display_name(key: object) -> str:
    """The word for a key in figures and tables: C++ for cpp, "not stated" for a dash."""
    return NAMES.get(str(key), str(key))


def measure_text_width(text: str, size: float = STYLE["font.size"]) -> float:
    """The width of a text as drawn: that of its longest line."""
    widest = 0.0
    for line in text.split("\n"):
        if line.strip():
            widest = max(widest, TextPath((0, 0), line, size=size).get_extents().width)
    return float(widest) / 72


def save(
    fig: Figure,
    name: str,
    *,
    says: str,
    title: str = "",
    run: str | Path | None = None,
    lacks: str = "",
) -> Figure:
    """Write <name>.png and .pdf, unless they show the same already; returns the figure.

    says: n, and the level and the kind of the intervals, as the text below the figure.
    title: the message of the figure, in one sentence above it.
    run: the run that is drawn, by name or folder; its figures go there. Otherwise the runner of
    notebooks decides: figures/ for a notebook with its own parameters, else a folder beside the
    executed copy; without a runner it is papermill_runs/figures.
    lacks: what this machine lacks to draw the whole figure. Such a figure is marked, and goes to
    papermill_runs/figures, so that it never replaces a whole one. KitError for type smaller than 7
    points at the width of a page. figures/README.md shows all figures of its folder.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        raise KitError(f"Got the name {name!r}. Use small letters, digits and dashes: 'table-2'.")
    folder = choose_folder(run, is_whole=not lacks)
    folder.mkdir(parents=True, exist_ok=True)
    with plt.rc_context(STYLE):
        wide = int(fig.get_figwidth() * 18)  # letters of this size in a line
        text = says + (f" Without {lacks}." if lacks else "")
        below = textwrap.fill(text, wide, break_long_words=False, break_on_hyphens=False)
        fig.supxlabel(below, x=0.005, ha="left", fontsize=LEAST, color="0.35")
        write_message(fig, title)
        check_legible(fig)
        content = content_of(fig)
        png = folder / f"{name}.png"
        pdf = folder / f"{name}.pdf"
        if not pdf.exists() or read_text(png) != content:
            words = {CONTENT: content, MESSAGE: title or name, BELOW: " ".join(below.split())}
            fig.savefig(png, metadata={"Software": None, **words})
            fig.savefig(pdf, metadata={"CreationDate": None, "Producer": None})
        if folder == FIGURES:
            replace_whole(folder / "README.md", write_overview(folder))
    plt.close(fig)
    notes.note("figure", name=name, folder=str(folder))
    return fig


def choose_folder(run: str | Path | None, *, is_whole: bool) -> Path:
    """The folder of a figure, as `save` promises."""
    if run is not None:
        return path_to_write(run_path(run).parent) / "figures"
    asked = os.environ.get(notes.FIGURES)
    return Path(asked) if asked and is_whole else PAPERMILL_RUNS / "figures"


def write_message(fig: Figure, title: str) -> None:
    """Write the message above a figure; a legend stands in a free line below it."""
    most = int(fig.get_figwidth() * 13)  # letters of the message in a line
    least = len(title) // max(1, len(textwrap.wrap(title, most))) + 8
    head = textwrap.fill(title, min(most, least), break_long_words=False)
    lines = "\n".join(filter(None, (head, fig.get_suptitle())))
    if head:
        above = 0.15 * (head.count("\n") + 1)
        fig.set_figheight(fig.get_figheight() + above)
        for legend in fig.legends:
            legend.set_bbox_to_anchor((0, 0, 1, 1 - above / fig.get_figheight()))
            lines += "\n "
    fig.suptitle(lines, x=0.005, ha="left", fontsize=9, fontweight="bold")


def read_text(png: Path, text: str = CONTENT) -> str:
    """`content_of` the figure in this file, or another text in it; "" if there is no file."""
    if not png.exists():
        return ""
    with Image.open(png) as image:
        return str(image.info.get(text, ""))


def write_overview(folder: Path) -> str:
    """A page with every figure of a folder: its message, the text below it, the picture."""
    page = "# Figures\n\n`kit reproduce` draws them and writes this page.\n"
    for png in sorted(folder.glob("*.png")):
        message = read_text(png, MESSAGE)
        page += f"\n## {message}\n\n{read_text(png, BELOW)} [PDF]({png.stem}.pdf)\n\n"
        page += f"![{message}]({png.name})\n"
    return page


def content_of(fig: Figure) -> str:
    """A hash of what a figure shows: texts, values, colours and sizes, to five digits.

    Libraries place the same content a fraction of a pixel apart from version to version.
    """
    parts: list[Any] = [write_digits(fig.get_size_inches())]
    for artist in fig.findobj():
        if isinstance(artist, Axes):
            for axis in (artist.xaxis, artist.yaxis):
                parts.append([label.get_text() for label in axis.get_ticklabels()])
        elif isinstance(artist, Text):
            type_ = (artist.get_fontsize(), str(artist.get_color()), artist.get_rotation())
            parts.append((artist.get_text(), *type_, artist.get_visible()))
        elif isinstance(artist, Line2D):
            look = f"{artist.get_color()} {artist.get_marker()} {artist.get_linestyle()}"
            parts.append((write_digits(artist.get_xydata()), look))
        elif isinstance(artist, Collection):
            shapes = [write_digits(path.vertices) for path in artist.get_paths()]
            values = artist.get_array()
            tints = (write_digits(artist.get_facecolor()), write_digits(artist.get_edgecolor()))
            parts.append((shapes, [] if values is None else write_digits(values), tints))
        elif isinstance(artist, Patch):
            shape = artist.get_path().vertices
            parts.append((write_digits(shape), write_digits(artist.get_facecolor())))
    return content_key(STYLE, parts)[:32]


def write_digits(numbers: Any) -> list[str]:
    """Numbers to five digits, so that no noise of an arithmetic changes them."""
    flat: Any = np.ma.filled(np.ma.asarray(numbers, dtype=float), np.nan).ravel()
    return [f"{round(number, 7) + 0:.5g}" for number in flat]


def check_legible(fig: Figure) -> None:
    """KitError if the smallest type is under LEAST points when the figure is WIDTH wide."""
    texts = [t for t in fig.findobj(Text) if t.get_visible() and t.get_text().strip()]
    size = min(float(t.get_fontsize()) for t in texts) * min(1.0, WIDTH / fig.get_figwidth())
    if size < LEAST:
        raise KitError(
            f"At a width of 17 cm the smallest type of this figure has {size:.1f} points. "
            f"Use larger type or a narrower figure: {LEAST:.0f} points are the least."
        )
