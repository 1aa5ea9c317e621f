"""Every notebook runs, strictly, and what it compares agrees."""

import golden
import pytest

from kit import books
from kit.paths import NOTEBOOKS

BOOKS = sorted(str(p.relative_to(NOTEBOOKS)) for p in NOTEBOOKS.rglob("*.ipynb"))


@pytest.fixture(scope="module")
def reproduced(validated, tmp_path_factory):  # noqa: ARG001 - the notebooks read its run
    rows = books.reproduce(("*",), workers=2, out_dir=tmp_path_factory.mktemp("runs"))
    return {row["notebook"]: row for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("book", BOOKS)
def test_a_notebook_runs_to_its_end_and_agrees_with_print(reproduced, book):
    row = reproduced[book]
    assert row["ok"], row["error"]
    assert row["mismatched"] == 0


@pytest.mark.slow
def test_notebooks_compare_what_they_compared(reproduced):
    seen = {b: (r["matched"], r["findings"]) for b, r in reproduced.items()}
    known = golden.known("notes")
    assert {b: seen[b] for b in known} == {
        b: (n.get("match", 0), n.get("finding", 0)) for b, n in known.items()
    }
