"""Phrases that readers had to read twice stay out of what people read."""

import json
import re

import pytest

from kit.paths import NOTEBOOKS, ROOT

BANNED = re.compile(
    r"stands? to (the paper|itself)|\b(is|are) news\b|second world|Pools different|told of security"
    r"|\d not\b  |whom do the labels|have the truth back|waits for a person|doubts about"
)
PAGES = [ROOT / "README.md", *(ROOT / "kit" / "docs").glob("*.md"), *NOTEBOOKS.rglob("*.ipynb")]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_a_page_has_no_phrase_that_was_a_riddle(path):
    text = path.read_text()
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    if path.name != "changelog.md":  # it says what was
        assert BANNED.findall(text) == []
