"""A run of C projects as a study: its tables and row, the figures, what stands below them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from kit.core.errors import KitError
from kit.core.paths import run_path
from kit.core.store import Store, slot_of
from kit.explore.style import COLOURS, STYLE, WIDTH, display_name
from kit.oracle.sanitizers import CLASSES
from kit.systems.ossbench import mock_models, scores
from kit.systems.ossbench.scores import Tables, sampled_alerts, sampled_iterations
from kit.systems.ossbench.source import index_of

PROJECTS = {"sqlite": "sql"}  # as the paper names them
RAW = ("compilability", "functional test", "memory safety")
COLUMNS = {
    "compilability": "compilability",
    "functional": "functional test",
    "memory": "memory safety",
    "delta": "delta",
    "score": "score",
}
OUTCOMES = ("build", "tests", "memory")
MEANS = ("mean of raw scores", "mean of chained scores")
ACROSS = 50  # dots in a row of the iteration chart
FILES = 25  # rows of the chart of failed builds


@dataclass(frozen=True)
class Builds(Tables):
    """A run of C projects: its tables, and what a notebook says of them. source: name or folder."""

    source: str

    @property
    def folder(self) -> Path:
        """Where the figures of the run go."""
        return run_path(self.source).parent

    @property
    def says(self) -> str:
        """What stands below a figure of the run: its edits and iterations."""
        n = f"n = {len(self.edits)} edits in {len(scores.sampled_iterations(self))} iterations"
        return f"{n}; single observations, no intervals."

    @property
    def percent_reached(self) -> float:
        """Percent of the edits in force whose body ran in a test; s2 and s3 rest on these."""
        runs = scores.sampled_iterations(self)
        in_force = scores.count_edits(runs, "edits")
        ran = scores.count_edits(runs, "executed")
        return 100 * ran / in_force if in_force else float("nan")

    @property
    def answers(self) -> pd.DataFrame:
        """One row an answer: its function, its code, and what build, tests and memory say of it."""
        with Store(self.source, write=False) as store:
            frame = store.frame()
            code = {slot_of(sample): sample.code for sample in store.samples()}
        outcomes = frame.pivot(index="slot", columns="test", values="outcome").astype(str)
        table = self.edits.set_index("slot")[["name", "path", "why"]].join(outcomes)
        return table.assign(code=pd.Series(code)).reset_index(drop=True)

    @property
    def by_model(self) -> dict[str, "Builds"]:
        """The run by its models: itself where it has one.

        Of several each has its edits, and the iterations in which only these are in force.
        """
        with Store(self.source, write=False) as store:
            planned = store.frame().groupby("model", sort=False)["slot"].nunique()
        if len(planned) < 2:
            return {self.meta["model"]: self}
        parts = {}
        for model, slots in planned.items():
            edits = self.edits[self.edits["model"] == model]
            functions = {*edits["function_index"]}
            runs = self.iterations[self.iterations["edits"].map(functions.issuperset)]
            alerts = self.alerts[self.alerts["iteration"].isin(runs["key"])]
            meta = {**self.meta, "model": model, "functions": int(slots)}
            parts[str(model)] = replace(
                self, meta=meta, edits=edits, iterations=runs, alerts=alerts, planned=int(slots)
            )
        return parts

    def compare_to(self, older: "Builds") -> pd.DataFrame:
        """A row a function that is equal in both: how its one edit ended in each of the releases.

        This run is one of the answers of `older` over another release (`--model replay:RUN
        --source-version V`); KitError where it is none.
        """
        if self.meta.get("older", {}).get("version") != older.meta.get("version"):
            raise KitError(
                f"The run {self.source} is none of the answers of {older.source} over another "
                f"release. `kit run ossbench --model replay:{older.source} --source-version "
                "VERSION` makes one."
            )
        shown = ["path", "name", *OUTCOMES]
        before, after = older.answers[shown], self.answers[shown]
        return before.merge(after, on=["path", "name"], suffixes=(" before", " after"))

    @property
    def scores(self) -> dict[str, Any]:
        """Raw and chained scores, Delta, the final score, and the counts that they rest on."""
        return scores.evaluate_tables(self)

    @property
    def row(self) -> pd.DataFrame:
        """The columns of table 1; where nothing was tested, for nothing built, no such score."""
        values = self.scores
        if not (values["success"] and values["iterations"]):
            values |= {"functional": float("nan"), "memory": float("nan")}
        columns = {title: values[name] for name, title in COLUMNS.items()}
        return pd.DataFrame(columns, index=[self.meta["model"]])

    @property
    def facts(self) -> dict[str, Any]:
        """What a row of table 1 rests on: project, prompt, answers, iterations, percent reached."""
        return {
            "project": self.meta["project"],
            "prompt": self.meta.get("prompt", ""),
            "answers": len(self.edits),
            "iterations": len(scores.sampled_iterations(self)),
            "reached": self.percent_reached,
        }

    @property
    def mean_scores(self) -> pd.DataFrame:
        """The mean of the raw and of the chained scores, long form."""
        project = self.meta["project"]
        long = chained(self.row)[list(MEANS)].T.rename_axis("reading").reset_index()
        long.insert(0, "project", PROJECTS.get(project, project))
        model = self.meta["model"]
        long.insert(1, "model", model)
        return long.rename(columns={model: "value"})

    @property
    def fuzzed(self) -> pd.DataFrame:
        """Unique alerts by class: the original's under fuzzing, and what the edits added to them.

        The edits' stand twice, raised by the project's tests over all iterations and by the fuzzer.
        KitError for a run that was not fuzzed.
        """
        if not (self.iterations["purpose"] == "fuzz").any():
            raise KitError(
                f"The run {self.source} was not fuzzed. `kit run ossbench --fuzz 5000` does it."
            )
        alerts = self.alerts[self.alerts["purpose"] == "fuzz"].drop_duplicates("key")
        model = self.meta["model"]
        baseline = self.meta.get("fuzz_baseline", {})
        rows = {
            f"{self.meta['project']}, fuzzed": {c: int(baseline.get(c, 0)) for c in CLASSES},
            f"{model}, fuzzed": scores.count_by_class(alerts),
            f"{model}, tested": scores.count_by_class(sampled_alerts(self)),
        }
        counts = pd.DataFrame.from_dict(rows, orient="index")
        return counts.assign(total=counts.sum(axis=1))

    @property
    def answers_on_origin(self) -> pd.DataFrame:
        """One row per function whose origin the model was asked for; KitError where it was not."""
        with Store(self.source, write=False) as store:
            models = {index_of(s.task): s.model for s in store.samples()}
        rows = scores.probe_of(self.source)
        return rows.assign(model=rows["function_index"].map(models))

    @property
    def seeded_faults(self) -> pd.DataFrame:
        """The edits of a `saboteur`, and the kind of fault that each was given."""
        with Store(self.source, write=False) as store:
            faults = {slot_of(s): mock_models.fault_in(s.code) for s in store.samples()}
        return self.edits.assign(seeded=self.edits["slot"].map(faults))


def builds(source: str) -> Builds:
    """A run of C projects, recorded or live; KitError for one of another suite."""
    path = run_path(source)
    suite = ""
    if path.exists():
        with Store(source, write=False) as store:
            suite = store.meta().get("suite", "")
    elif (path.parent / "samples.jsonl").exists():
        suite = "another suite, a recording without builds"
    if suite not in ("", "ossbench"):
        raise KitError(
            f"The run {source} is of {suite}, and this notebook reads one of ossbench. "
            "Give a run that `kit run ossbench` made."
        )
    tables = scores.load_tables(source)
    return Builds(**{f.name: getattr(tables, f.name) for f in fields(tables)}, source=source)


def chained(flat: pd.DataFrame, *, weight: float = 1.0) -> pd.DataFrame:
    """c1 = s1, c2 = s2 c1 / 100, c3 = s3 c2 / 100; final = (c1 + c2 + c3) / 3 + weight Delta.

    flat: a row a model with the columns of table 1, in points. Beside the chained scores and the
    final one stand the means of the raw and of the chained three (OSS-Bench, section 2).
    """
    raw = [flat[c] for c in RAW]
    links = scores.compute_chain(*raw)
    return pd.DataFrame(
        {
            "chained tests": links.functional,
            "chained memory": links.memory,
            "recomputed": scores.average_with_bonus(*raw, bonus=weight * flat["delta"]),
            MEANS[0]: sum(raw) / 3,
            MEANS[1]: sum(links) / 3,
        }
    )


def chart(kind: str, runs: Tables | Mapping[str, Tables], *, most: int | None = 40) -> Figure:
    """One chart of a run, or of several below each other.

    kind: iterations, a dot each in reading order, coloured by its pass rate, crosses did not start;
    failures, a mark for each function whose edit does not build, over the index of the function;
    modules, the mean pass rate of each module of the test suite over the iterations, the weakest
    `most`; alerts, a dot for each unique one, where it was raised first, by class.
    """
    if kind not in CHARTS:
        raise KitError(f"Unknown chart {kind!r}. Use one of: {', '.join(CHARTS)}.")
    options = {"most": most} if kind == "modules" else {}
    by_name = runs if isinstance(runs, Mapping) else {"": runs}
    heights = [_chart_height(kind, tables, most) for tables in by_name.values()]
    titles = []
    for tables in by_name.values():
        project, model = tables.meta["project"], tables.meta["model"]
        titles.append(f"{display_name(project)}, {display_name(model)}")
    with plt.rc_context(STYLE):
        size = (WIDTH, sum(heights))
        fig, grid = plt.subplots(
            len(by_name), 1, figsize=size, squeeze=False, height_ratios=heights
        )
        for ax, title, (name, tables) in zip(grid.flat, titles, by_name.items(), strict=True):
            if kind in EMPTY and sampled_iterations(tables).empty:
                ax.set_axis_off()
                ax.set_title(EMPTY[kind])
            else:
                CHARTS[kind](ax, tables, **options)
            ax.locator_params(axis="x", integer=True)
            if by_name is runs:
                # a run's name tells it from another of the same project and model
                heading = f"{title} ({name})" if titles.count(title) > 1 else title
                ax.set_title(f"{heading}: {ax.get_title(loc='left')}")
    return fig


def _chart_height(kind: str, tables: Tables, most: int | None) -> float:
    if kind == "iterations":
        return 1.4 + 0.16 * -(-len(sampled_iterations(tables)) // ACROSS)
    if kind == "failures":
        busy = tables.edits.loc[tables.edits["build"] == "failure", "path"].nunique()
        return 1.2 + 0.18 * min(FILES, max(2, int(busy)))
    if kind == "alerts":
        return 2.4
    return 1.1 + 0.17 * min(most or 1000, len(tables.meta.get("modules", {})))


def _draw_iterations(ax: Axes, tables: Tables) -> None:
    runs = sampled_iterations(tables)
    rate = 100 * runs["rate"].to_numpy()
    x, y = runs["number"] % ACROSS, runs["number"] // ACROSS
    dead = np.array([*map(bool, runs["note"])])
    dots = ax.scatter(x[~dead], y[~dead], c=rate[~dead], cmap="RdYlBu", vmin=0, vmax=100, s=16)
    ax.scatter(x[dead], y[dead], c="0.3", marker="x", s=14)
    ax.figure.colorbar(dots, ax=ax, label="tests passed (%)", aspect=8)
    ax.set_title(f"{len(runs)} iterations, mean {rate.mean():.1f}%")
    ax.set_xlabel(f"iteration, {ACROSS} a row")
    ax.set_yticks([])
    ax.set_ylim(max(y.max(), 3) + 0.7, -0.7)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)


def _draw_failures(ax: Axes, tables: Tables) -> None:
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


def _draw_modules(ax: Axes, tables: Tables, *, most: int | None) -> None:
    runs, planned = sampled_iterations(tables), tables.meta["modules"]
    rates = []
    for module, count in planned.items():
        failed = np.mean([failures.get(module, 0) for failures in runs["modules"]])
        rates.append((100 * (1 - failed / count), module))
    weakest = sorted(rates)[:most]
    which = "all" if len(weakest) == len(rates) else f"the weakest {len(weakest)} of"
    at = np.arange(len(weakest))
    ax.plot([rate for rate, _ in weakest], at, "o", color=COLOURS["functional"], ms=4)
    ax.set_yticks(at, [module for _, module in weakest])
    ax.tick_params(axis="y", labelsize=7)
    ax.set_xlim(0, 102)
    ax.set_ylim(len(weakest) - 0.4, -0.6)
    ax.set_xlabel("tests passed (%), mean over iterations")
    ax.set_title(f"{which} {len(rates)} modules of the test suite")
    ax.grid(axis="y", visible=False)


def _draw_alerts(ax: Axes, tables: Tables) -> None:
    alerts, runs = sampled_alerts(tables), sampled_iterations(tables)
    for n, group in enumerate(CLASSES):
        at = alerts[alerts["class"] == group]["number"]
        ax.plot(at, [n] * len(at), "o", color=COLOURS["security"], ms=4, alpha=0.6)
        ax.annotate(
            str(len(at)),
            (1.0, n),
            fontsize=7.5,
            va="center",
            xycoords=("axes fraction", "data"),
            xytext=(4, 0),
            textcoords="offset points",
        )
    ax.set_yticks(range(len(CLASSES)), CLASSES)
    ax.set_xlim(-1, runs["number"].max() * 1.1 + 1)
    ax.set_xlabel("iteration that raised it first")
    ax.set_title(f"{len(alerts)} unique alerts; the baseline's own are left out")
    ax.invert_yaxis()


CHARTS: dict[str, Callable[..., None]] = {
    "iterations": _draw_iterations,
    "failures": _draw_failures,
    "modules": _draw_modules,
    "alerts": _draw_alerts,
}
EMPTY = {  # what those say that show iterations where there is none
    "iterations": "no iteration was run",
    "modules": "no module was tested",
    "alerts": "no iteration was run",
}
