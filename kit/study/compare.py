"""Two runs side by side: which samples changed their quadrant, and whether that could be chance."""

from typing import TYPE_CHECKING

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.metrics import stats
from kit.study import look, render

if TYPE_CHECKING:
    from kit.study.explore import Explorer

AXES = {"functional": "pass", "secure": "secure", "joint": "secure-pass"}


def pairs(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The samples of both runs that answer the same task: by index, and by the columns both vary.

    A column of the suite (language, prompt, program) pairs where both runs have it and share a
    value of it; models pair only where the runs have the same ones. Suffixes: _first, _second.
    """
    shared = [
        c for c in first if c in second and c in ("language", "prompt", "program", "decoding")
    ]
    keys = ["task", "sample", *(c for c in shared if set(first[c]) & set(second[c]))]
    if set(first["model"]) == set(second["model"]) and first["model"].nunique() > 1:
        keys.append("model")
    held = ["slot", "quadrant", *AXES]
    options = {"on": keys, "how": "inner", "suffixes": ("_first", "_second")}
    return first[[*keys, *held]].drop_duplicates(keys).merge(
        second[[*keys, *held]].drop_duplicates(keys), **options)  # fmt: skip


class Comparison:
    """`Explorer.compare(other)`: pairs of samples, what flipped, paired tests, the code of a flip.

    pairs: a row for each pair of samples: slot, quadrant, functional, secure and joint of both.
    """

    def __init__(self, first: "Explorer", second: "Explorer") -> None:
        self.first, self.second = first, second
        self.pairs = pairs(first.quadrants, second.quadrants)
        if self.pairs.empty:
            raise KitError(f"The runs {first.run} and {second.run} answer no task in common. "
                           "Choose two runs of one suite.")  # fmt: skip

    @property
    def moves(self) -> pd.DataFrame:
        """How many pairs went from which quadrant (rows) to which (columns)."""
        names = {"quadrant_first": "first run", "quadrant_second": "second run"}
        wide = self.pairs.rename(columns=names)
        return pd.crosstab(wide["first run"], wide["second run"])

    @property
    def flips(self) -> pd.DataFrame:
        """The pairs whose quadrant differs; what was decided in both comes first."""
        rows = self.pairs[self.pairs["quadrant_first"] != self.pairs["quadrant_second"]]
        sides = rows[["quadrant_first", "quadrant_second"]]
        return rows.loc[sides.eq("undecided").sum(axis=1).sort_values(kind="stable").index]

    def tests(self, *, level: float = 0.95, power: float = 0.8) -> pd.DataFrame:
        """McNemar's exact test for each axis, Holm over the axes, one pair of samples a task.

        That is the first pair which both runs decided. undecided: tasks without such a pair.
        smallest: the least true difference that so many tasks show with `power`, at best.
        """
        made, every = [], self.pairs["task"].nunique()
        for axis, name in AXES.items():
            both = self.pairs.dropna(subset=[f"{axis}_first", f"{axis}_second"])
            both = both.drop_duplicates("task")
            a, b = (both[f"{axis}_{side}"].astype(int).to_numpy() for side in ("first", "second"))
            n, found = len(both), stats.mcnemar(a, b)
            least = (stats.smallest_detectable_difference(n, level=level, power=power)
                     if n else np.nan)  # fmt: skip
            rates = (a.mean(), b.mean(), b.mean() - a.mean()) if n else (np.nan,) * 3
            made.append((name, n, every - n, *rates, found.first, found.second,
                         found.p if n else np.nan, least))  # fmt: skip
        names = ["metric", "tasks", "undecided", "first run", "second run", "difference",
                 "only first", "only second", "p", "smallest"]  # fmt: skip
        table = pd.DataFrame(made, columns=names)
        known = table["p"].notna()
        table.loc[known, "p (Holm)"] = stats.holm(table.loc[known, "p"])
        return table

    def case(self, first: str, second: str) -> str:
        """Two samples, by their slots, as HTML: their tests, and their programs side by side."""
        sides = [(self.first, first), (self.second, second)]
        told = [f"{run.run}: {run.listing.table.loc[slot, 'answer']}" for run, slot in sides]
        both = [run.store.sample(slot) for run, slot in sides]
        codes = [sample.code if sample else "" for sample in both]
        changes = render.panel("the two programs", render.diff(codes[0], codes[1], told[1],
                                                                first=told[0]))  # fmt: skip
        wholes = [run.other(slot, name) for (run, slot), name in zip(sides, told, strict=True)]
        return look.whole(changes + render.columns(*wholes))

    @property
    def view(self) -> W.VBox:
        """Widgets: the flips, and the page of the chosen one."""
        rows = self.flips
        lines = [look.one_line(f"{r.task} #{r.sample}  {r.quadrant_first} → {r.quadrant_second}")
                 for r in rows.itertuples()]  # fmt: skip
        values = list(zip(rows["slot_first"], rows["slot_second"], strict=True))
        listed = W.Select(options=list(zip(lines, values, strict=True)), rows=8,
                          layout=W.Layout(width="100%")).add_class("kit-list")  # fmt: skip
        page = W.HTML()

        def show() -> None:
            page.value = self.case(*listed.value) if listed.value else "Nothing flipped."

        listed.observe(lambda _: show(), "value")
        if values:
            listed.value = values[0]
        show()
        told = W.HTML(f"{len(rows)} of {len(self.pairs)} pairs changed their quadrant")
        return W.VBox([W.HTML(look.STYLE), told, listed, page])
