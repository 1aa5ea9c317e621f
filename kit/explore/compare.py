"""Compares two runs in a notebook: samples that changed quadrant, and paired tests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import ipywidgets as W
import pandas as pd

from kit.core.errors import KitError
from kit.explore import render
from kit.explore.explorer import Explorer
from kit.explore.samples import UNDECIDED
from kit.scoring import measures, stats, steps

AXES = steps.AXES
SIDES = ("first run", "second run")


def select_shown(run: Explorer) -> pd.DataFrame:
    """The samples that a run's explorer lists, one row each."""
    return run.quadrants[run.quadrants["slot"].isin(run.rows["slot"])]


def align_arms(samples: pd.DataFrame, arms: Sequence[str]) -> pd.DataFrame:
    """The samples with a column for each arm; what their run does not set is "not set"."""
    columns = samples.columns.union(arms, sort=False)
    return measures.fill_settings(samples.reindex(columns=columns), arms)


def pair_samples(first: pd.DataFrame, second: pd.DataFrame, arms: Sequence[str]) -> pd.DataFrame:
    """Pairs of samples with the same task, arm, number and (if any) name: _first and _second."""
    keys = ["task", *arms, "sample"]
    if set(first.get("program", ())) & set(second.get("program", ())):
        keys.append("program")
    sides = []
    for side in (first, second):
        columns = side[[*keys, "slot", "quadrant", *AXES.values()]]
        sides.append(columns.assign(n=side.groupby(keys, dropna=False).cumcount()))
    return sides[0].merge(sides[1], on=[*keys, "n"], suffixes=("_first", "_second"))


@dataclass(frozen=True)
class ArmPair:
    """The samples of both runs in one arm. arm: the values that tell it from the other arms."""

    arm: dict[str, Any]
    sides: tuple[pd.DataFrame, pd.DataFrame]


class Comparison:
    """`Explorer.compare(other)`: pairs of samples, changed quadrants, paired tests, and code.

    Runs are paired on the task and on each arm column with a common value. pairs: one row per pair,
    with slot, quadrant, functional, secure and joint of both. said: sentences on differing columns
    and on samples that have no pair.
    """

    def __init__(self, first: Explorer, second: Explorer) -> None:
        self.first = first
        self.second = second
        one = select_shown(first)
        other = select_shown(second)
        arms = list(dict.fromkeys([*measures.arm_columns(one), *measures.arm_columns(other)]))
        one = align_arms(one, arms)
        other = align_arms(other, arms)
        self.on = [arm for arm in arms if one[arm].isin(other[arm]).any()]
        keys = ["task", *self.on]
        cells = one[keys].drop_duplicates().merge(other[keys].drop_duplicates())
        if cells.empty:
            raise KitError(
                f"The runs {first.run} and {second.run} have no task in common. "
                "Choose two runs of one suite."
            )
        self.sides = (one.merge(cells, on=keys), other.merge(cells, on=keys))
        self.pairs = pair_samples(*self.sides, self.on)
        self.said = []
        for arm in arms:
            if arm not in self.on:
                self.said.append(self._describe_arm(arm, one[arm].unique(), other[arm].unique()))
        self.said += self._describe_unpaired(first, self.sides[0], one, other)
        self.said += self._describe_unpaired(second, self.sides[1], other, one)

    def _describe_arm(self, arm: str, values: Sequence[Any], others: Sequence[Any]) -> str:
        """The sentence on an arm column in which the runs have no value in common."""
        pooled = " Each run's values are pooled." if max(len(values), len(others)) > 1 else ""
        return (
            f"Not paired on {arm}: {'; '.join(map(str, values))} in {self.first.run}, "
            f"{'; '.join(map(str, others))} in {self.second.run}.{pooled}"
        )

    def _describe_unpaired(
        self, run: Explorer, kept: pd.DataFrame, whole: pd.DataFrame, other: pd.DataFrame
    ) -> Iterator[str]:
        """Sentences on those samples of a run that are not compared, or have no pair."""
        absent = whole[~whole["slot"].isin(kept["slot"])]
        lone = absent[~absent["task"].isin(other["task"])]
        if len(absent):
            yield (
                f"Not compared: {len(absent)} of {len(whole)} samples of {run.run}; "
                f"{len(lone)} are of {lone['task'].nunique()} tasks missing in the other run, "
                f"{len(absent) - len(lone)} of arms missing there ({', '.join(self.on)})."
            )
        unpaired = len(kept) - len(self.pairs)
        if unpaired:
            yield (
                f"{unpaired} samples of {run.run} count in the rates but have no pair: "
                "the other run has no sample of the same number."
            )

    @property
    def quadrant_transitions(self) -> pd.DataFrame:
        """The number of pairs by quadrant in the first run (rows) and the second (columns)."""
        quadrants = [self.pairs["quadrant_first"], self.pairs["quadrant_second"]]
        return pd.crosstab(*quadrants, rownames=[SIDES[0]], colnames=[SIDES[1]])

    @property
    def changed_pairs(self) -> pd.DataFrame:
        """The pairs whose quadrants differ; pairs decided in both runs come first."""
        rows = self.pairs[self.pairs["quadrant_first"] != self.pairs["quadrant_second"]]
        undecided = rows[["quadrant_first", "quadrant_second"]].eq(UNDECIDED).sum(axis=1)
        return rows.loc[undecided.sort_values(kind="stable").index]

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
        runs = sorted([str(self.first.run), str(self.second.run)])
        lines = []
        for pair in self._split_by_arm():
            first = estimate_rates(self.first, pair.sides[0]["slot"])
            second = estimate_rates(self.second, pair.sides[1]["slot"])
            counts = f"{len(pair.sides[0])} and {len(pair.sides[1])}"
            for metric, axis in AXES.items():
                if metric not in first or metric not in second:
                    continue
                line = steps.compare_pairs(
                    *pair.sides,
                    axis,
                    name=" ".join(map(str, (*runs, metric, *pair.arm.values()))),
                    level=level,
                    power=power,
                    n_boot=n_boot,
                )
                front = {"metric": metric, "tasks": line["tasks"], "samples": counts}
                rates = dict(zip(SIDES, (first[metric], second[metric]), strict=True))
                front |= {"undecided": line["undecided"], **rates}
                lines.append(pair.arm | front | line)
        table = pd.DataFrame(lines)
        return table.assign(**{"p (Holm)": stats.apply_holm(table["p"])})

    def _split_by_arm(self) -> Iterator[ArmPair]:
        """The samples by those of the shared arm columns that differ."""
        both = pd.concat(self.sides, keys=SIDES, names=["run", None])
        differing = both[self.on].nunique()
        arms = measures.select_arm_columns(both[self.on])
        by = [arm for arm in arms if differing.get(arm, 0) > 1]
        parts = both.groupby(by, sort=False) if by else [((), both)]
        for values, part in parts:
            arm = dict(zip(by, values, strict=True))
            yield ArmPair(arm, (part.xs(SIDES[0], level="run"), part.xs(SIDES[1], level="run")))

    def case(self, first: str, second: str) -> str:
        """Two samples, by their slots, as HTML: their tests, and their programs side by side."""
        titles = []
        codes = []
        pages = []
        for run, slot in ((self.first, first), (self.second, second)):
            titles.append(f"{run.run}: {run.listing.table['answer'][slot]}")
            sample = run.store.sample(slot)
            codes.append(sample.code if sample else "")
            pages.append(f"<div>{run.opened.show_beside(slot, titles[-1])}</div>")
        changes = render.compare_programs(codes[0], codes[1], titles[1], first=titles[0])
        changes = render.make_panel("the two programs", changes)
        return render.page_of(f"{changes}<div class='two'>{''.join(pages)}</div>")

    @property
    def view(self) -> W.VBox:
        """Widgets: the list of changed pairs, and the page of the chosen one."""
        flips = self.changed_pairs
        options = []
        for row in flips.itertuples():
            line = f"{row.task} #{row.sample}  {row.quadrant_first} → {row.quadrant_second}"
            options.append((render.one_line(line), (row.slot_first, row.slot_second)))
        wide = W.Layout(width="100%")
        listed = W.Select(options=options, value=None, rows=8, layout=wide).add_class("kit-list")
        page = W.HTML("No sample changed quadrant.")

        def show_change(change: Any) -> None:
            page.value = self.case(*change["new"])

        listed.observe(show_change, "value")
        if options:
            listed.value = options[0][1]
        summary = W.HTML(f"{len(flips)} of {len(self.pairs)} pairs changed their quadrant")
        return W.VBox([W.HTML(render.STYLE), summary, listed, page])


def estimate_rates(run: Explorer, slots: pd.Series) -> pd.Series:
    """The estimate of each metric over these samples of a run, as `kit score` has it."""
    rows = run.rows[run.rows["slot"].isin(slots)].drop(columns="quadrant")
    scores = measures.measure(rows, by=[], rng=stats.seed("not used"), n_boot=1)
    return scores.set_index("metric")["estimate"]
