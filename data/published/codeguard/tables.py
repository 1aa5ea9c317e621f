"""The tables of CodeGuard+: tab-separated lines; a model or prompt stands in its first row only."""

import re
from collections.abc import Iterator

from longform import melt, row, tabs

TEXT = "codeguard-plus.txt"
DECODED = ["pass@1", "secure@1_pass", "secure-pass@1", "SVEN-SR", "constraint rate"]
ZEROS = "the table rounds to two decimals and drops the zeros at the end"
PROMPT = re.compile(r"(CWE-\d+)[ -](\d-(?:py|c))")


def decoding(block: list, section: str) -> list:
    rows, model = [], ""
    for line in block:
        model = line[0] or model
        keys = {"model": model, "decoding": line[-6]}
        rows += melt(keys, DECODED, line[-5:], "%", section)
    return rows


def per_prompt(blocks: list, section: str) -> list:
    rows, prompt = [], ""
    for line in (line for block in blocks for line in block):
        prompt = line[0] or prompt
        keys = {"prompt": prompt, "model": line[1]}
        rows += melt(keys, DECODED[:4], line[2:], "%", section, tolerance="0.005", why=ZEROS)
    return rows


def phrases(cell: str) -> str:
    """How many key phrases a cell of constraints holds; N/A holds none."""
    return "0" if cell == "N/A" else str(max(1, cell.count('"; "') + 1))


def tables(text: str) -> Iterator[tuple[str, list]]:
    """Name and rows of every table."""
    two, three = tabs(text, "Model\tDecoding Method")
    (four,) = tabs(text, "Model\t# Prompt")
    yield "table_2", decoding(two, "5.2")
    yield "table_3", decoding(three, "5.3")
    yield "table_4", decoding(four, "5.3")
    blocks = tabs(text, "Prompt\tModel")
    yield "table_6", per_prompt(blocks, "D")
    (one,), (five,) = tabs(text, "Prompt\tPrompt Summary"), tabs(text, "Prompt\tCorrectness")
    named = ["correctness constraints", "security constraints"]
    rows = []
    for line in one:
        counts = ["0" if cell == "N/A" else "1" for cell in line[3:5]]
        for found in PROMPT.finditer(line[0]):
            keys = {"prompt": " ".join(found.groups())}
            rows += melt(keys, named, counts, "stated", "3.1", label=found.group())
    yield "table_1", rows
    named = ["correctness phrases", "positive phrases", "negative phrases"]
    rows = [
        row({"place": at, "prompt": line[0]}, metric, phrases(cell), "count", "A", label=cell)
        for at, line in enumerate(five[1:], 1)
        for metric, cell in zip(named, line[1:4], strict=True)
    ]
    yield "table_5", rows
    (footnote,) = re.findall(r"\[†\] \d+ test cases.*removed", text)
    named = [" ".join(found) for found in PROMPT.findall(footnote)]
    rows = [
        row({"place": at, "prompt": p}, "listed", "1", "count", "5.3") for at, p in enumerate(named)
    ]
    yield "table_4_removed", rows
