"""The tables of OSS-Bench: `| a | b |` lines; a project stands in a line of its own."""

import re
from collections.abc import Iterator

from longform import melt, pipes

TEXT = "oss-bench.txt"
SCORES = ["compilability", "functional test", "memory safety", "delta", "score"]
BUGS = ["SEGV", "spatial", "temporal", "undefined", "total"]


def medals(name: str, cells: list[str]) -> list[str]:
    """1 where the cell is marked as one of the three best; the mark of a name is its score's."""
    return [str(int("🦋" in cell)) for cell in [*cells[:4], name]]


def grain(line: dict) -> dict:
    """A baseline's 0 and 100 are printed without the two decimals (score: one) of its column."""
    if "baseline" not in line["model"] or "." in line["printed"]:
        return {"tolerance": "", "why": ""}
    half = "0.05" if line["metric"] == "score" else "0.005"
    return {"tolerance": half, "why": "the baseline against itself; the column has more decimals"}


def tables(text: str) -> Iterator[tuple[str, list]]:
    """Name and rows of every table."""
    scores, fuzzing, project = [], [], ""
    for block in (b for b in pipes(text) if b[0][0] == "Models"):
        for name, size, *cells in block[1:]:
            keys = {"model": re.sub(r" \((OpenAI|Qwen).*|🦋", "", name).strip(), "size": size}
            if not any(cells):
                project = re.search(r"{(\w+)}", name).group(1)
            elif block[0][-1] == "Total":
                fuzzing += melt(keys, BUGS, cells, "count", "3.4")
            else:
                lines = melt({"project": project} | keys, SCORES, cells, "points", "3.2")
                marks = medals(name, cells)
                scores += [r | {"marked": m} | grain(r) for r, m in zip(lines, marks, strict=True)]
    yield "table_1", scores
    yield "table_fuzzing", fuzzing
