"""Every notebook runs, strictly, and what it compares agrees."""

import golden
import matplotlib.pyplot as plt
import numpy as np
import pytest

from kit.core import notes
from kit.core.paths import FIGURES, NOTEBOOKS, PAPERMILL_RUNS
from kit.run import books, report

BOOKS = sorted(str(p.relative_to(NOTEBOOKS)) for p in NOTEBOOKS.rglob("*.ipynb"))


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """A row for each notebook, and the folder of the figures that they drew.

    Where `kit reproduce` ran all on this commit its rows are read: the checkout is unchanged.
    """
    commit = report.current_commit()
    rows = {
        line["notebook"]: line
        for line in notes.read_file(PAPERMILL_RUNS / "ledger.jsonl")
        if line["commit"] == commit and not line["parameters"]
    }
    if commit and not commit.endswith("+") and sorted(rows) == BOOKS:
        return rows, FIGURES
    out, drawn = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("figures")
    made = books.reproduce(("*",), workers=2, out_dir=out, figures=drawn)
    return {row["notebook"]: row for row in made}, drawn


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
def test_a_notebook_runs_to_its_end_and_agrees_with_print(reproduced, book):
    row = reproduced[0][book]
    assert row["ok"], row["error"]
    assert row["mismatched"] == 0


@pytest.mark.slow
def test_notebooks_compare_what_they_compared(reproduced):
    seen = {b: (r["matched"], r["findings"]) for b, r in reproduced[0].items()}
    known = golden.known("notes")
    assert {b: seen[b] for b in known} == {
        b: (n.get("match", 0), n.get("finding", 0)) for b, n in known.items()
    }


@pytest.mark.slow
def test_the_committed_figures_are_those_that_the_notebooks_draw(reproduced):
    drawn = {p.name: plt.imread(p) for p in reproduced[1].glob("*.png")}
    kept = {p.name: plt.imread(p) for p in FIGURES.glob("*.png")}
    assert drawn.keys() == kept.keys()
    for name, pixels in kept.items():
        assert drawn[name].shape == pixels.shape, name
        assert np.abs(drawn[name] - pixels).mean() < 0.002, name
