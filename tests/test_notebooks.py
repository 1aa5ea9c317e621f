"""Every notebook runs, strictly, and what it compares agrees."""

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
