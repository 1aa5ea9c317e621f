"""Compares two runs in a notebook: samples that changed quadrant, and paired tests."""

from collections.abc import Sequence
from typing import Any

import ipywidgets as W
import pandas as pd

from kit import measures
from kit.errors import KitError
from kit.explore import render
from kit.explore.explorer import Explorer
from kit.measures import steps
from kit.metrics import stats

AXES = steps.AXES
SIDES = ("first run", "second run")


def pairs(first: pd.DataFrame, second: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Pairs of samples with the same task, arm, number and (if any) name: _first and _second."""
    keys = ["task", *on, "sample"]
    named = [set(side.get("program", ())) for side in (first, second)]
    keys += ["program"] * bool(named[0] & named[1])
    kept = ["slot", "quadrant", *AXES.values()]
    sides = [side[[*keys, *kept]].assign(n=side.groupby(keys, dropna=False).cumcount())
             for side in (first, second)]  # fmt: skip
    return sides[0].merge(sides[1], on=[*keys, "n"], suffixes=("_first", "_second"))


class Comparison:
    """`Explorer.compare(other)`: pairs of samples, changed quadrants, paired tests, and code.

    Runs are paired on the task and on each arm column with a common value. pairs: one row per pair,
    with slot, quadrant, functional, secure and joint of both. said: sentences on differing columns
    and on samples that have no pair.
    """

    def __init__(self, first: Explorer, second: Explorer) -> None:
        self.first, self.second = first, second
        whole = [run.quadrants[run.quadrants["slot"].isin(run.rows["slot"])]
                 for run in (first, second)]  # fmt: skip
        names = list(dict.fromkeys(c for side in whole for c in measures.arm_columns(side)))
        whole = [side.reindex(columns=[*side.columns.union(names, sort=False)]) for side in whole]
        whole = [measures.fill_settings(side, names) for side in whole]
        values = {c: [list(dict.fromkeys(side[c])) for side in whole] for c in names}
        self.on = [c for c in names if set(values[c][0]) & set(values[c][1])]
        cells = pd.merge(*(side[["task", *self.on]].drop_duplicates() for side in whole))
        self.sides = [side.merge(cells, on=["task", *self.on]) for side in whole]
        if cells.empty:
            raise KitError(f"The runs {first.run} and {second.run} have no task in common. "
                           "Choose two runs of one suite.")  # fmt: skip
        self.pairs = pairs(self.sides[0], self.sides[1], self.on)
        self.said = []
        for column in [c for c in values if c not in self.on]:
            texts = ["; ".join(map(str, side)) for side in values[column]]
            pooled = " Each run's values are pooled." if max(map(len, values[column])) > 1 else ""
            self.said.append(f"Not paired on {column}: {texts[0]} in {first.run}, {texts[1]} in "
                             f"{second.run}.{pooled}")  # fmt: skip
        self.said += self._not_paired(whole)

    def _not_paired(self, whole: Sequence[pd.DataFrame]) -> list[str]:
        lines = []
        for n, run in enumerate((self.first, self.second)):
            left = whole[n][~whole[n]["slot"].isin(self.sides[n]["slot"])]
            lone = left[~left["task"].isin(whole[1 - n]["task"])]
            if len(left):
                lines.append(
                    f"Not compared: {len(left)} of {len(whole[n])} samples of {run.run}; "
                    f"{len(lone)} are of {lone['task'].nunique()} tasks missing in the other run, "
                    f"{len(left) - len(lone)} of arms missing there ({', '.join(self.on)})."
                )
            if single := len(self.sides[n]) - len(self.pairs):
                lines.append(f"{single} samples of {run.run} count in the rates but have no pair: "
                             "the other run has no sample of the same number.")  # fmt: skip
        return lines

    @property
    def moves(self) -> pd.DataFrame:
        """The number of pairs by quadrant in the first run (rows) and the second (columns)."""
        names = {"quadrant_first": "first run", "quadrant_second": "second run"}
        wide = self.pairs.rename(columns=names)
        return pd.crosstab(wide["first run"], wide["second run"])

    @property
    def flips(self) -> pd.DataFrame:
        """The pairs whose quadrants differ; pairs decided in both runs come first."""
        rows = self.pairs[self.pairs["quadrant_first"] != self.pairs["quadrant_second"]]
        sides = rows[["quadrant_first", "quadrant_second"]]
        return rows.loc[sides.eq("undecided").sum(axis=1).sort_values(kind="stable").index]

    def tests(self, *, level: float = 0.95, power: float = 0.8, n_boot: int = 5000) -> pd.DataFrame:
        """Per arm and measure both runs' rates over all samples, and the difference of task means.

        The rates are those of `kit score` on the tasks of both runs; like there a rate with more
        than 5 % undecided has no point, and then the difference has none and no p. low, high: a
        paired bootstrap over tasks, then samples, around bound_low and bound_high, where all that
        is undecided counts against the difference, or for it. better, worse: tasks on which the
        second run's rate is higher, lower. p: the exact sign-flip test of the tasks' differences
        (with random signs where more than 12 differ); p (Holm): over all rows. smallest: the least
        true difference that so many tasks and samples show with `power` in one test.
        """
        both = pd.concat([s.assign(run=r) for s, r in zip(self.sides, SIDES, strict=True)])
        by = [c for c in measures.arms(both[self.on]) if c in self.on and both[c].nunique() > 1]
        group = both.groupby(by, sort=False).ngroup() if by else pd.Series(0, both.index)
        both = both.assign(group=group.to_numpy())
        rates = {}  # of each group and metric the estimate and the bounds, as `kit score` has them
        for side, run in zip(SIDES, (self.first, self.second), strict=True):
            place = both[both["run"] == side].set_index("slot")["group"]
            rows = run.rows[run.rows["slot"].isin(place.index)].drop(columns="quadrant")
            rows = rows.assign(group=rows["slot"].map(place))
            scores = measures.measure(rows, by=["group"], rng=stats.seed("not used"), n_boot=1)
            rates[side] = scores.set_index(["group", "metric"])
        lines = []
        for number, part in both.groupby("group"):
            sides = [part[part["run"] == side] for side in SIDES]
            arm = part[by].iloc[0].to_dict()
            for metric, axis in AXES.items():
                each = [rates[side].loc[(number, metric)] for side in SIDES
                        if (number, metric) in rates[side].index]  # fmt: skip
                if len(each) < len(SIDES):
                    continue
                runs = sorted(str(run.run) for run in (self.first, self.second))
                name = " ".join(map(str, (*runs, metric, *arm.values())))
                line = _row(sides, each, axis, name, level=level, power=power, n_boot=n_boot)
                lines.append({**arm, "metric": metric, **line})
        table = pd.DataFrame(lines)
        return table.assign(**{"p (Holm)": stats.holm(table["p"])})

    def case(self, first: str, second: str) -> str:
        """Two samples, by their slots, as HTML: their tests, and their programs side by side."""
        sides = [(self.first, first), (self.second, second)]
        titles = [f"{run.run}: {run.listing.table.loc[slot, 'answer']}" for run, slot in sides]
        both = [run.store.sample(slot) for run, slot in sides]
        codes = [sample.code if sample else "" for sample in both]
        changes = render.panel("the two programs", render.diff(codes[0], codes[1], titles[1],
                                                                first=titles[0]))  # fmt: skip
        wholes = [f"<div>{run.other(slot, name)}</div>"
                  for (run, slot), name in zip(sides, titles, strict=True)]  # fmt: skip
        return render.page_of(f"{changes}<div class='two'>{''.join(wholes)}</div>")

    @property
    def view(self) -> W.VBox:
        """Widgets: the list of changed pairs, and the page of the chosen one."""
        rows = self.flips
        lines = [render.one_line(f"{r.task} #{r.sample}  {r.quadrant_first} → {r.quadrant_second}")
                 for r in rows.itertuples()]  # fmt: skip
        values = list(zip(rows["slot_first"], rows["slot_second"], strict=True))
        listed = W.Select(options=list(zip(lines, values, strict=True)), rows=8,
                          layout=W.Layout(width="100%")).add_class("kit-list")  # fmt: skip
        page = W.HTML()

        def show() -> None:
            page.value = self.case(*listed.value) if listed.value else "No sample changed quadrant."

        listed.observe(lambda _: show(), "value")
        if values:
            listed.value = values[0]
        show()
        summary = W.HTML(f"{len(rows)} of {len(self.pairs)} pairs changed their quadrant")
        return W.VBox([W.HTML(render.STYLE), summary, listed, page])


def _row(
    sides: Sequence[pd.DataFrame], rates: Sequence[Any], axis: str, name: str, **options: Any
) -> dict[str, Any]:
    """One line of `Comparison.tests`: `rates` of both runs, their difference over common tasks."""
    line = steps.compare_pairs(sides[0], sides[1], axis, name=name, **options)
    return {"tasks": line.pop("tasks"), "samples": f"{len(sides[0])} and {len(sides[1])}",
            "undecided": line.pop("undecided"),
            SIDES[0]: rates[0]["estimate"], SIDES[1]: rates[1]["estimate"], **line}  # fmt: skip
