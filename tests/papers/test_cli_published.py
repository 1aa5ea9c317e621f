import json
import re

import pytest

from kit.core.paths import NOTEBOOKS, PUBLISHED
from kit.papers import factors, published
from tests.support.commands import invoked, told


def sources():
    """Per notebook below a paper's folder, its code."""
    for path in sorted(NOTEBOOKS.rglob("*.ipynb")):
        book = json.loads(path.read_text())
        yield path, "".join("".join(c["source"]) + "\n" for c in book["cells"])


def shown(paper):
    """The tables that the notebooks of a paper read by `papers.table`."""
    found = set()
    for path, code in sources():
        if path.parent.name == paper:
            found |= set(re.findall(rf'papers\.table\("{paper}", "?(\w+)"?\)', code))
            if "papers.factor(" in code:
                found |= {str(kind.table) for kind in factors.FACTORS.values()}
    return found


@pytest.mark.parametrize(
    "path", sorted(PUBLISHED.glob("*/table_*.csv")), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_every_printed_table_has_a_notebook(path):
    assert path.stem.removeprefix("table_") in shown(path.parent.name)


@pytest.mark.parametrize("paper", published.list_papers())
def test_every_notebook_of_a_paper_ends_against_the_paper(paper):
    books = [(p, c) for p, c in sources() if p.parent.name == paper and "papers.table" in c]
    assert books
    # equal, within our interval, or raters who agree
    ways = ("agree(", "agreement(", "at_contract(", "papers.compare(", 'ours["inside"]')
    for path, code in books:
        assert any(way in code for way in ways), path


def test_check_counts_the_relations_of_a_paper_and_prints_those_that_hold_only_when_asked():
    every, some = (told("published", "check", *more, "ossbench") for more in (["--all"], []))
    (counts,) = [row for row in every["papers"] if row["paper"] == "ossbench"]
    (whole,) = [row["relations"] for row in every["papers"] if row["paper"] == "all"]
    assert whole == counts["relations"] == len(every["relations"])
    assert {row["verdict"] for row in every["relations"]} == {"match", "mismatch", "infeasible"}
    assert len(some["relations"]) == counts["mismatch"] + counts["infeasible"] > 0


def test_an_unknown_paper_is_refused():
    done = invoked("published", "check", "osbench")
    assert done.exit_code == 2
    assert "Use one of" in done.stderr
