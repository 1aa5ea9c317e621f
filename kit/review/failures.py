"""The failure audit: raters code a stratified sample of failed tests by mechanism.

A file of codes has one JSON object per line and is append-only: a rater's last code counts.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.explore import render
from kit.explore.samples import OpenRun
from kit.generation import base
from kit.measures.reduce import NO_PROGRAM
from kit.metrics import agreement, stats
from kit.metrics.stats import wilson
from kit.paths import DATA, own
from kit.records import Reason, Task
from kit.review import labels
from kit.review.labels import CODES, OTHER, RaterForm
from kit.store import Store

BOUNDARY = ("envelope", "interface", "path", "exception", "export")  # of the output contract
GUARDED = ("partial guard", "wrong layer")
FILE = DATA / "reviews" / "failures.jsonl"
COLUMNS = ["rater", "run", "slot", "test", "kind", "language", "weight", "code", "note", "when"]


def _has_program(frame: pd.DataFrame) -> pd.Series:
    """Of each test, whether there was a program that has what the task asks for."""
    has_any = ~frame["status"].isin([str(s) for s in NO_PROGRAM])
    return has_any & (frame["reason"] != Reason.LACKING)


def failed(frame: pd.DataFrame) -> pd.DataFrame:
    """The failed tests of a run, without those of answers that have no such program."""
    bad = (frame["outcome"] == "fail") & _has_program(frame)
    return frame[bad].reset_index(drop=True)


def draw(rows: pd.DataFrame, n: int, *, rng: np.random.Generator) -> pd.DataFrame:
    """n failed tests, equally many per kind and language (as far as available), shuffled.

    Within such a stratum, a second test of a sample is drawn only after one of every sample.
    weight: the number of failures in the stratum per drawn test.
    """
    if rows.empty:
        return rows.assign(weight=0.0)
    strata = list(rows.groupby(["kind", "language"], sort=True).groups.values())
    left, sizes = n, [0] * len(strata)
    while left and any(s < len(g) for s, g in zip(sizes, strata, strict=True)):
        for i, group in enumerate(strata):
            if left and sizes[i] < len(group):
                sizes[i], left = sizes[i] + 1, left - 1
    parts = []
    for group, size in zip(strata, sizes, strict=True):
        mixed = rows.loc[group].iloc[rng.permutation(len(group))]
        turn = mixed.groupby("slot", sort=False).cumcount()
        chosen = mixed.loc[turn.sort_values(kind="stable").index[:size]]
        parts.append(chosen.assign(weight=len(group) / max(size, 1)))
    drawn = pd.concat(parts)
    return drawn.iloc[rng.permutation(len(drawn))].reset_index(drop=True)


def add(path: Path, failure: Mapping[str, Any], code: str, *, rater: str, run: str,
        note: str = "") -> None:  # fmt: skip
    """Append a rater's code for a failure (a row of `draw`); KitError for an unknown code."""
    known = [*CODES[failure["kind"]], OTHER]
    if code not in known or not rater.strip():
        raise KitError(f"Got rater {rater!r}, code {code!r}. Give your name and one of {known}.")
    what = {name: failure[name] for name in ("slot", "test", "kind", "language")}
    word = {"rater": rater.strip(), "run": run, **what, "weight": float(failure["weight"]),
            "code": code, "note": note, "when": base.now()}  # fmt: skip
    labels.add_words(path, [word])


def read(path: Path, run: str) -> pd.DataFrame:
    """The last code of each rater for each failure of a run; no rows if there are none."""

    def known(row: Any) -> bool:
        return row["code"] in [*CODES[row["kind"]], OTHER] and set(row) == set(COLUMNS)

    words = labels.read_words(path, COLUMNS, known, "code")
    words = words[words["run"] == run]
    return words.drop_duplicates(["rater", "slot", "test"], keep="last").reset_index(drop=True)


def summary(words: pd.DataFrame) -> pd.DataFrame:
    """For each kind and code: the number of drawn failures, Wilson's limits, the weighted share.

    Uses one code per failure: that of the first rater by name. The weighted share estimates that of
    all failures of the run; the limits treat drawn failures as independent.
    """
    one = words.sort_values("rater", kind="stable").drop_duplicates(["slot", "test"])
    lines = []
    for kind, part in one.groupby("kind", sort=True):
        groups = {"at the contract": BOUNDARY} if kind == "functional" else {"guarded": GUARDED}
        for code in [*CODES[kind], OTHER, *groups]:
            mine = part["code"].isin(groups.get(code, (code,)))
            i = wilson(int(mine.sum()), len(part))
            share = part.loc[mine, "weight"].sum() / part["weight"].sum()
            lines.append((kind, code, int(mine.sum()), len(part), i.estimate, i.low, i.high, share))
    names = ["kind", "code", "failures", "of", "share", "low", "high", "weighted"]
    return pd.DataFrame(lines, columns=names)


def agree(words: pd.DataFrame) -> pd.DataFrame:
    """Raw agreement and Gwet's AC1 of the raters on the failures that all coded, by kind."""
    lines = []
    for kind, part in words.groupby("kind", sort=True):
        wide = part.pivot(index=["slot", "test"], columns="rater", values="code").dropna()
        if wide.shape[1] > 1 and len(wide):
            scale = len(CODES[kind]) + 1
            values = (agreement.raw(wide), agreement.ac1(wide, categories=scale))
            lines.append((kind, len(wide), wide.shape[1], *values))
    return pd.DataFrame(lines, columns=["kind", "failures", "raters", "raw", "AC1"])


def partial(frame: pd.DataFrame) -> pd.DataFrame:
    """The share of insecure programs that pass another security test; needs no rater.

    By language, of several models by model and language, and over all. The paper's interpretation:
    their defences do not cover every case. Wilson's limits. No rows without an insecure program.
    """
    if frame["model"].nunique() > 1:
        frame = frame.assign(language=frame["model"] + ", " + frame["language"])
    sure = frame[(frame["kind"] == "security") & frame["outcome"].isin(["pass", "fail"])]
    sure = sure[_has_program(sure)]
    passes = sure.assign(ok=sure["outcome"] == "pass").groupby(["language", "slot"])["ok"]
    rows = passes.agg(["all", "any"]).reset_index()
    rows, lines = rows[~rows["all"]], []
    for language, part in [*rows.groupby("language", sort=True), ("all", rows)]:
        if len(part):
            i = wilson(int(part["any"].sum()), len(part), unit="program")
            lines.append((language, len(part), int(part["any"].sum()), i.estimate, i.low, i.high))
    return pd.DataFrame(lines, columns=["language", "insecure", "partly", "share", "low", "high"])


class Form(RaterForm):
    """Widgets for one rater: `Form(store, tasks, references, drawn, path).view` is displayed.

    references: (task, language) -> code of the secure reference, for the diff.
    """

    def __init__(self, store: Store, tasks: Sequence[Task],
                 references: Mapping[tuple[str, str], str], drawn: pd.DataFrame,
                 path: Path, *, run: str) -> None:  # fmt: skip
        self.opened = OpenRun(store, {task.id: task for task in tasks}, references)
        self.run, self.drawn = run, drawn
        names = [render.one_line(f"{n + 1}  {r.task} {r.test} {r.cwe}")
                 for n, r in enumerate(drawn.itertuples())]  # fmt: skip
        options = [(name, n) for n, name in enumerate(names)]
        self.which = W.Dropdown(options=options, description="failure")
        self.code = W.RadioButtons(layout=W.Layout(width="95%"))
        super().__init__(path, "save and next", self.which)
        self.view = self.laid_out(self.code)
        self._show()

    def _show(self) -> None:
        if self.which.value is None:
            self.page.value = "No test failed."
            return
        row = self.drawn.iloc[self.which.value]
        own = self.own(read(self.path, self.run)).set_index(["slot", "test"])
        codes = CODES[row["kind"]] | {OTHER: "none of these; explain in the note"}
        self.code.options = [(f"{name}: {text}", name) for name, text in codes.items()]
        key = (row["slot"], row["test"])
        self.code.value = own.loc[key, "code"] if key in own.index else None
        self.note.value = own.loc[key, "note"] if key in own.index else ""
        drawn = pd.MultiIndex.from_frame(self.drawn[["slot", "test"]])
        self.status.value = f"{int(drawn.isin(own.index).sum())} of {len(drawn)} coded"
        self.page.value = self.opened.show_test(*key)

    def _save(self) -> None:
        if self.which.value is None:
            raise KitError("No test failed, so that there is nothing to code.")
        row = self.drawn.iloc[self.which.value]
        who = {"rater": self.rater.value, "run": self.run, "note": self.note.value}
        add(self.path, row, self.code.value, **who)
        self.which.value = (self.which.value + 1) % len(self.drawn)
        self._show()


class FailureAudit:
    """A random sample of a run's failed tests for raters to code, and the summary of the codes.

    n failures are drawn with the text `seed`. codes: the raters' file; default:
    data/reviews/failures.jsonl. data: another folder of the suite's items. store, frame: the run
    and its tidy table; failed, drawn: its failed and drawn tests; form: a rater's widgets.
    """

    def __init__(self, run: str, *, n: int, seed: str, codes: str = "", data: str = "") -> None:
        self.run, self.path = run, Path(codes) if codes else own(FILE)
        opened = OpenRun.of(run, data)
        self.store, tasks = opened.store, list(opened.tasks.values())
        self.frame = self.store.frame()
        self.failed = failed(self.frame)
        self.drawn = draw(self.failed, n, rng=stats.seed(f"{seed} {run}"))
        self.form = Form(self.store, tasks, opened.references, self.drawn, self.path, run=run)

    @property
    def partial(self) -> pd.DataFrame:
        """`partial` of the run, by language; needs no rater."""
        return partial(self.frame)

    @property
    def words(self) -> pd.DataFrame:
        """The last code of each rater for each failure."""
        return read(self.path, self.run)

    @property
    def summary(self) -> pd.DataFrame:
        """The share of each kind and code, with Wilson's limits, and weighted to all failures."""
        return summary(self.words)

    @property
    def agreement(self) -> pd.DataFrame:
        """Raw agreement and Gwet's AC1 of the raters, by kind."""
        return agree(self.words)

    def at_contract(self, printed: pd.DataFrame) -> pd.DataFrame:
        """Failures at the output contract: the paper's count, out of its claims, and ours."""
        return at_contract(self.summary, printed)


def at_contract(found: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Failures at the output contract: the paper's count and ours (`summary`), Wilson's limits."""
    claims = printed.set_index("claim")["value"]
    names = ("functional failures of the output contract", "functional failures audited")
    counts = [int(claims[name]) for name in names]
    theirs = wilson(*counts)
    rows = [("paper", *counts, theirs.estimate, theirs.low, theirs.high)]
    ours = found[found["code"] == "at the contract"]
    rows += [("ours", r.failures, r.of, r.share, r.low, r.high) for r in ours.itertuples()]
    return pd.DataFrame(rows, columns=["source", "at the contract", "of", "share", "low", "high"])
