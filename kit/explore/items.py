"""What the items of runs, or of a published matrix, can still tell: tables and figures."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from kit.core.errors import KitError
from kit.core.paths import PUBLISHED
from kit.core.store import Store
from kit.explore.run_from_notebook import check_known, find_arms
from kit.explore.style import COLOURS, STYLE, WIDTH
from kit.run.suites import of_run, tasks_of
from kit.scoring import measures, stats, steps, worth

EXAMINEE = "examinee"
# columns of a results.csv behind those of the arms
COUNTS = "functional_passed functional functional_raised security security_raised".split()
UNSTATED = {"CWE-693"}  # what a clone's tests ask for and no prompt states
DOING_NOTHING = "trivially_safe"  # the kind of a labelled program


def read_matrix(name: str) -> pd.DataFrame:
    """The tidy table of a published matrix of counts, data/published/NAME/matrix.csv.

    A round is a sample with two tests; where it is not functional it counts as insecure too. Which
    round passed is not published: the functional ones come first.
    """
    wide = pd.read_csv(PUBLISHED / name / "matrix.csv")
    keys = ["item", "language", "weight", "prompt", "n", "metric"]
    counts = wide.melt(keys, var_name="model", value_name="passed").dropna(subset="passed")
    rows = counts.loc[counts.index.repeat(counts["n"])].reset_index(drop=True)
    sample = rows.groupby(["item", "prompt", "model", "metric"]).cumcount()
    is_functional = rows["metric"] == "functional"
    slot = rows["model"] + "|" + rows["prompt"] + "|" + rows["item"] + "|" + sample.astype(str)
    return pd.DataFrame(
        {
            "suite": name,
            "task": rows["item"],
            "model": rows["model"],
            "sample": sample,
            "test": rows["metric"],
            "kind": np.where(is_functional, "functional", "security"),
            "status": "completed",
            "outcome": np.where(sample < rows["passed"], "pass", "fail"),
            "slot": slot,
            "language": rows["language"],
            "prompt": rows["prompt"],
            "task_weight": rows["weight"],
        }
    )


def read_results(path: Path) -> pd.DataFrame:
    """The tidy table of what tests gave elsewhere: the results.csv of `kit import programs`.

    Their rule: a functional test that raised has failed, a security test that raised has found
    nothing. Ours is that a program of which every test raised passes none, and that the rule on
    headers (CWE-693), which no prompt states, is left out. A weakness that was found in one program
    of a task is a security test of all programs of this task.
    """
    try:
        results = pd.read_csv(path, keep_default_na=False)
        check_known("column", ["task", "cwes", *COUNTS], list(results))
    except OSError as error:
        raise KitError(f"{path} cannot be read ({error.strerror}). Name a results.csv.") from None
    weaknesses = [set(cwes.split()) - UNSTATED for cwes in results["cwes"]]
    of_task = pd.Series(weaknesses).groupby(results["task"]).agg(lambda sets: set().union(*sets))
    arms = results.columns[: results.columns.get_loc(COUNTS[0])]
    raised = results["functional_raised"] + results["security_raised"]
    is_dead = raised >= results["functional"] + results["security"]
    passes = results["functional_passed"].eq(results["functional"]) & ~is_dead
    rows = []
    for at, program in enumerate(results[arms].to_dict("records")):
        base = program | {"suite": path.parent.name, "slot": str(at)}
        base["status"] = "timeout" if is_dead[at] else "completed"
        outcome = "pass" if passes[at] else "fail"
        rows.append(base | {"test": "f", "kind": "functional", "cwe": "", "outcome": outcome})
        for cwe in sorted(of_task[program["task"]]) or [""]:
            outcome = "fail" if is_dead[at] or cwe in weaknesses[at] else "pass"
            rows.append(
                base | {"test": f"s {cwe}", "kind": "security", "cwe": cwe, "outcome": outcome}
            )
    return pd.DataFrame(rows)


def read_run(run: str, data: str = "") -> tuple[pd.DataFrame, pd.Series]:
    """The tidy table of a run, with sentences of failed tests; by task, how much passes vacuously.

    That is the share of its security tests that a labelled program passes that does nothing, where
    the suite has one. data: another folder of the suite's tasks.
    """
    with Store(run, write=False) as store:
        frame = store.frame()
        suite = of_run(store)
        _, labels = suite.references(list(tasks_of(store, Path(data) if data else None, suite)))
        failed = frame[frame["outcome"] == "fail"]
        sentences = pd.Series("", index=frame.index)
        for slot, tests in failed.groupby("slot")["test"]:
            explained = store.explain_tests(str(slot))
            for row, test in tests.items():
                sentences[row] = explained[test][2]
    empty = labels[labels["kind_of_program"].eq(DOING_NOTHING) & labels["kind"].eq("security")]
    vacuous = empty["label"].eq("pass").groupby(empty["task"]).mean()
    return frame.assign(sentence=sentences), vacuous


@dataclass(frozen=True)
class ItemStudy:
    """The items of one suite and everyone who answered them: `ItemStudy.of(["RUN", ...])`.

    frame: the tidy table, with the column `examinee`: the model and the settings in which answers
    to one task differ, `apart`. axis: joint, functional or secure. vacuous: by task, the share of
    security tests that a program passes that does nothing. printed: weighted rates as published.
    """

    frame: pd.DataFrame
    apart: list[str]
    axis: str
    vacuous: pd.Series
    printed: pd.DataFrame | None = None

    @classmethod
    def of(cls, sources: Sequence[str], *, axis: str = "", data: str = "") -> "ItemStudy":
        """Runs of one suite, by name or folder, a results.csv, or a published matrix by its name.

        axis: of `samples`; default: both where there are tests of both kinds.
        """
        if not sources:
            raise KitError("Nothing to study. Name a run, a results.csv or a published matrix.")
        frames = []
        shares = [pd.Series(dtype=float)]
        printed = None
        for source in sources:
            if (PUBLISHED / source / "matrix.csv").is_file():
                frame = read_matrix(source)
                printed = pd.read_csv(PUBLISHED / source / "leaderboard.csv")
            elif source.endswith(".csv"):
                frame = read_results(Path(source))
            else:
                frame, vacuous = read_run(source, data)
                shares.append(vacuous)
            frames.append(frame.assign(run=source))
        frame = pd.concat(frames, ignore_index=True)
        suites = frame["suite"].unique()
        if len(suites) > 1:
            raise KitError(f"The runs are of {', '.join(suites)}. Give runs of one suite.")
        frame, apart = find_arms(frame, "model")
        arms = frame[apart].drop_duplicates()
        names = arms.astype(str).where(arms != measures.NOT_SET)
        arms[EXAMINEE] = [", ".join(row.dropna()) for _, row in names.iterrows()]
        frame = frame.merge(arms, on=apart)
        vacuous = pd.concat(shares).groupby(level=0).first()
        chosen = axis or worth.choose_axis(measures.summarize_samples(frame))
        check_known("axis", [chosen], list(worth.AXES))
        return cls(frame, apart, chosen, vacuous, printed)

    @cached_property
    def samples(self) -> pd.DataFrame:
        """One row per sample: `summarize_samples`."""
        return measures.summarize_samples(self.frame)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per examinee (`measure_worth`); rate, headroom and smallest in %."""
        table = worth.measure_worth(self.samples, [EXAMINEE, *self.apart], self.axis)
        shares = ["rate", "headroom", "smallest"]
        return table.assign(**(100 * table[shares]))

    @cached_property
    def items(self) -> pd.DataFrame:
        """One row per item, the hardest first (`describe_items`), with its vacuous share."""
        table = worth.describe_items(self.samples, EXAMINEE, self.axis)
        return table.assign(vacuous=self.vacuous)

    def rates(self, *columns: str) -> pd.DataFrame:
        """The rate of each item with Wilson's interval by columns, in %; default: by examinee."""
        by = self._choose_columns(columns)
        table = worth.rate_items(self.samples, by, self.axis)
        shares = (100 * table[["rate", "low", "high"]]).itertuples(index=False)
        table["text"] = [f"{rate:.0f} [{low:.0f}, {high:.0f}]" for rate, low, high in shares]
        wide = table.pivot(index="task", columns=by, values="text")
        return wide.reindex(self.items.index).fillna("–").replace("nan ", "", regex=True)

    def _choose_columns(self, columns: Sequence[str], *further: str) -> list[str]:
        """These columns, or that of examinees; KitError unless samples have them."""
        check_known("column", columns, [EXAMINEE, *measures.arm_columns(self.frame), *further])
        return list(columns) or [EXAMINEE]

    @cached_property
    def shared_failures(self) -> pd.DataFrame:
        """Tests that programs failed alike, so that the key may be wrong: read these first.

        Empty for a matrix: the answers are not published.
        """
        if "sentence" not in self.frame:
            return pd.DataFrame()
        return worth.find_shared_failures(self.frame, EXAMINEE)

    @cached_property
    def rasch(self) -> worth.Rasch | None:
        """The Rasch model of all examinees; None where there are too few of them, or of items."""
        with suppress(KitError):
            passes = worth.count_passes(self.samples, [EXAMINEE], self.axis)
            return worth.fit_rasch(passes, EXAMINEE)
        return None

    def compare(self, *, first: str = "", margin: float, **options: Any) -> pd.DataFrame:
        """Each examinee against `first` (default: the best), in points: `compare_examinees`.

        margin: in points; a difference within it shall count as none.
        """
        best = self.scores.sort_values("rate", ascending=False, kind="stable")[EXAMINEE]
        first = first or best.iloc[0]
        check_known(EXAMINEE, [first], list(best))
        table = worth.compare_examinees(
            self.samples, EXAMINEE, first=first, margin=margin / 100, axis=self.axis, **options
        )
        points = ["difference", "low", "high", "smallest", "within"]
        return table.assign(**(100 * table[points]))

    def measure(self, *columns: str, n_boot: int = 5000) -> pd.DataFrame:
        """The headline scores as `kit score` has them, in per cent, by columns or `cwe`.

        Default: by examinee. text: value, interval, bounds and undecided share in words.
        """
        by = self._choose_columns(columns, "cwe")
        parts = []
        frame = self.frame if EXAMINEE in by else self.frame.drop(columns=EXAMINEE)
        of_samples = [name for name in by if name != "cwe"] or ["suite"]
        for _, group in frame.groupby(of_samples, sort=False, dropna=False):
            rng = stats.seed(Path(group["run"].iloc[0]).name)
            parts.append(measures.measure(group, by=by, rng=rng, n_boot=n_boot))
        rows = measures.select_headline(pd.concat(parts, ignore_index=True))
        texts = rows.apply(measures.format_estimate, axis=1).str.strip()
        return measures.convert_to_percent(rows.assign(text=texts))

    def pairs(
        self, column: str = EXAMINEE, *, level: float = 0.95, power: float = 0.8, n_boot: int = 5000
    ) -> pd.DataFrame:
        """Every two values of a column, on the tasks and arms of both, in points: `compare_pairs`.

        Per task the samples of all these arms are one mean. p (Holm): over all rows.
        """
        self._choose_columns([column])
        others = [] if column == EXAMINEE else [c for c in self.apart if c not in (column, "run")]
        keys = ["task", *others]
        lines = []
        for first, second in combinations(self.samples[column].unique(), 2):
            sides = [self.samples[self.samples[column] == value] for value in (first, second)]
            cells = sides[0][keys].merge(sides[1][keys]).drop_duplicates()
            sides = [side.merge(cells, on=keys) for side in sides]
            for metric in steps.list_compared(self.samples):
                name = f"{first} {second} {metric.name}"
                options: dict[str, Any] = {"level": level, "power": power, "n_boot": n_boot}
                line = steps.compare_pairs(sides[0], sides[1], metric.of, name=name, **options)
                lines.append({"from": first, "to": second, "metric": metric.name, **line})
        table = pd.DataFrame(lines, columns=["from", "to", "metric", *steps.PAIRED])
        points = ["difference", "low", "high", "bound_low", "bound_high", "smallest"]
        table = table.assign(**(100 * table[points]))
        table.insert(list(table).index("p") + 1, "p (Holm)", stats.apply_holm(table["p"]))
        return table

    @property
    def weighted_rates(self) -> pd.DataFrame:
        """The rates in %, by model and prompt, with each item's published weight."""
        rates = worth.rate_items(self.samples, ["model", "prompt", "task_weight"], self.axis)
        rates["passed"] = 100 * rates["rate"] * rates["task_weight"]
        sums = rates.groupby(["model", "prompt"])[["passed", "task_weight"]].sum()
        value = (sums["passed"] / sums["task_weight"]).rename("value").reset_index()
        return value.assign(metric="weighted secure-pass@1")

    @property
    def drawn_worth(self) -> pd.DataFrame:
        """`scores` as the rows of a forest."""
        names = {"worth": "value", "low": "ci_low", "high": "ci_high"}
        return self.scores.rename(columns=names).assign(metric="worth", unit="items")

    def draw_items(self) -> Figure:
        """The rate of each item over all samples, the hardest left, with the range of examinees."""
        single = worth.rate_items(self.samples, [EXAMINEE], self.axis)
        spans = single.groupby("task")["rate"].agg(["min", "max"]).reindex(self.items.index)
        with plt.rc_context(STYLE):
            fig, ax = plt.subplots(figsize=(WIDTH, 2.6))
            at = np.arange(len(spans))
            ax.vlines(at, 100 * spans["min"], 100 * spans["max"], "0.75", lw=1.4)
            tints = {
                "": COLOURS["joint"],
                "0 for all": COLOURS["security"],
                "100 for all": COLOURS["functional"],
                "negative": COLOURS["other"],
            }
            for remark, tint in tints.items():
                chosen = self.items["remark"].eq(remark).to_numpy()
                label = f"{remark or 'others'}: {chosen.sum()}"
                rates = 100 * self.items["rate"][chosen]
                ax.plot(at[chosen], rates, "o", ms=3.5, color=tint, label=label)
            ax.set(xlabel="items, the hardest first", ylabel="samples that pass (%)", xticks=[])
            fig.legend(loc="outside upper right", ncols=4, handletextpad=0.1)
        return fig

    def draw_information(self, *named: str) -> Figure:
        """What one answer to each item tells by ability; below it the difficulties of the items.

        A mark per examinee, with its standard error; the best, the last and those in `named` are
        written beside their marks.
        """
        model = self.rasch
        if model is None:
            raise KitError(f"A Rasch model takes {worth.LEAST_EXAMINEES} examinees. Add runs.")
        marks = model.ability.sort_values("ability")
        ends = [*marks["ability"], *model.difficulty.clip(-6, 6)]
        grid = np.linspace(min(ends) - 0.3, max(ends) + 0.3, 200)
        with plt.rc_context(STYLE):
            fig, ax = plt.subplots(figsize=(WIDTH, 3.2))
            ax.plot(grid, model.measure_information(grid), color=COLOURS["joint"])
            heights = model.measure_information(marks["ability"])
            look: dict[str, Any] = {"fmt": "o", "ms": 3, "lw": 0.7, "color": "0.35", "alpha": 0.6}
            ax.errorbar(marks["ability"], heights, xerr=marks["error"], **look)
            items = model.difficulty.clip(-6, 6)
            ax.plot(items, np.zeros(len(items)), "|", ms=9, color=COLOURS["other"])
            written = {marks.index[0], marks.index[-1], *named}
            for name, x, y in zip(marks.index, marks["ability"], heights, strict=True):
                side = -1 if name == marks.index[0] else 1  # the curve is on the other side
                at: dict[str, Any] = {
                    "xytext": (10 * side, 7),
                    "ha": "right" if side < 0 else "left",
                }
                if name in written:
                    ax.annotate(name, (x, y), textcoords="offset points", fontsize=7.5, **at)
            ax.set(xlabel="ability and difficulty (log odds)", ylabel="information")
            ax.set_ylim(bottom=0)
        return fig
