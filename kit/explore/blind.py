"""A blind draw of a run's verdicts: people label tests without seeing what the oracle said of them.

`blind.jsonl` is beside the run's file. What is drawn lies evenly over kind, language and verdict; a
label stands for as many tests as its stratum has for each label, its `weight`.
"""

from collections.abc import Sequence
from pathlib import Path

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import run_path
from kit.core.store import Store
from kit.explore.labels import DECIDED, KEY, LABEL
from kit.explore.rating import Rating, RatingForm
from kit.explore.samples import OpenRun
from kit.scoring import stats
from kit.scoring.reduce import NO_PROGRAM, NOT_THE_MODELS

STRATUM = ["kind", "language", "outcome"]
WITHOUT_PROGRAM = [str(status) for status in (*NO_PROGRAM, *NOT_THE_MODELS)]


def draw_evenly(
    rows: pd.DataFrame, n: int, *, by: Sequence[str], rng: np.random.Generator
) -> pd.DataFrame:
    """n tests, equally many per stratum (as far as available), shuffled.

    Within a stratum, a second test of a sample is drawn only after one of every sample. weight: the
    number of tests in the stratum per drawn test.
    """
    strata = [rows.assign(place=0, weight=0.0).iloc[:0]]
    for _, stratum in rows.groupby(list(by), sort=True):
        mixed = stratum.iloc[rng.permutation(len(stratum))]
        turns = mixed.groupby("slot", sort=False).cumcount()
        mixed = mixed.loc[turns.sort_values(kind="stable").index]
        strata.append(mixed.assign(place=range(len(mixed)), weight=len(mixed)))
    placed = pd.concat(strata)
    first = placed.sort_values("place", kind="stable").index[:n]
    drawn = placed[placed.index.isin(first)]
    weight = drawn["weight"] / drawn.groupby(list(by))["place"].transform("size")
    drawn = drawn.assign(weight=weight).drop(columns="place")
    return drawn.iloc[rng.permutation(len(drawn))].reset_index(drop=True)


def select_decided(frame: pd.DataFrame) -> pd.DataFrame:
    """The tests of a run that were executed, and that the oracle decided."""
    has_ended = ~frame["status"].isin(WITHOUT_PROGRAM)
    return frame[has_ended & frame["outcome"].isin(DECIDED)].reset_index(drop=True)


def blind_path(run: Path) -> Path:
    """The path of a run's blind labels, given its SQLite file."""
    return run.with_name("blind.jsonl")


class BlindReview(RatingForm):
    """Widgets to label n drawn tests of a run: `explorer.draw_blind(n).view`.

    The page has program, input, expectation, and evidence where the run has that of every drawn
    test; model, verdict and findings are left out.
    """

    def __init__(self, opened: OpenRun, frame: pd.DataFrame, *, n: int, seed: str) -> None:
        path = opened.store.path
        rng = stats.seed(f"{seed} {path.parent.name}")
        self.opened = opened
        self.drawn = draw_evenly(select_decided(frame), n, by=STRATUM, rng=rng)
        places = self.drawn[KEY].itertuples(index=False)
        # where that of some tests is not kept, its absence would give the verdict away
        self.shows_evidence = all(opened.store.cell(*place)[0] for place in places)
        listed = W.Dropdown(description="test")
        super().__init__(LABEL, blind_path(path), listed, self._draw_page)
        self.offer(self.drawn, "task", "test", "cwe")

    def _draw_page(self, chosen: Rating) -> str:
        slot, test = chosen["slot"], chosen["test"]
        return self.opened.show_blind(slot, test, with_evidence=self.shows_evidence)


def read_labelled(run: str) -> pd.DataFrame:
    """The tests of a run that people labelled blind, in the columns of `kit.run.validate.labelled`.

    weight: as many tests of the run does each stand for. Tests on which raters differ, or that they
    could not decide, are left out. KitError if there is none.
    """
    with Store(run, write=False) as store:
        frame = select_decided(store.frame())
    labels = LABEL.read(blind_path(run_path(run)))
    labels = labels[labels["outcome"].isin(DECIDED)]
    voices = labels.groupby(KEY)["outcome"]
    agreed = voices.first()[voices.nunique() == 1].rename("label").reset_index()
    rows = frame.drop(columns="label", errors="ignore").merge(agreed, on=KEY)
    if rows.empty:
        raise KitError(
            f"Nobody has labelled a verdict of {run}. Label some in notebooks/explore/"
            "disagreements.ipynb, or make a run of labelled programs with `kit validate`."
        )
    sizes = frame.groupby(STRATUM).size().rename("size")
    weight = rows.join(sizes, on=STRATUM)["size"] / rows.groupby(STRATUM)["test"].transform("size")
    return rows.assign(program=rows["slot"], kind_of_program="model", why="", weight=weight)
