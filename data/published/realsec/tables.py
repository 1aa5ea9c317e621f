"""The tables of RealSec-bench: tab-separated lines; a group stands in one of its rows only."""

import re
from collections.abc import Iterator

from longform import melt, row, tabs

TEXT = "realsec-bench.txt"
AT_K = [f"{m}@{k}" for k in (1, 3, 5) for m in ("pass", "secure", "secure-pass")]


def grouped(block: list, key: str, section: str) -> list:
    """Rows per group and model. A group starts at its first model, wherever its label stands."""
    rows, group, label, tasks = [], "", "", ""
    first = block[1][1]
    for line in block[1:]:
        label = line[0] or label
        group = label if line[1] == first else group
        tasks = line[2] or tasks
        keys = {key: group, "model": line[1]}
        rows += melt(keys, AT_K, line[3:], "%", section, tasks=tasks)
    return rows


def arms(block: list, key: str, section: str) -> list:
    rows, arm = [], ""
    for line in block:
        average = line[0] == "Average"
        arm = arm if average else line[0] or arm
        keys = {key: arm, "model": "Average" if average else line[1]}
        rows += melt(keys, AT_K[:3], line[2:], "%", section)
    return rows


def tables(text: str) -> Iterator[tuple[str, list]]:
    """Name and rows of every table."""
    (one,), (four,) = tabs(text, "Method\tComponents"), tabs(text, "Numbers\t")
    named = ["precision", "recall", "F1", "false-positive reduction"]
    rows = [melt({"method": line[0].strip("+ ")}, named, line[3:], "%", "4.4") for line in one[1:]]
    yield "table_1", sum(rows, [])
    (two,), (five,) = tabs(text, "Vulnerability Category"), tabs(text, "Dataflow Hops")
    yield "table_2", grouped(two, "category", "5.1")
    yield "table_5", grouped(five, "hops", "C.1")
    (six,), (seven,) = tabs(text, "Method\tModel"), tabs(text, "Configuration\tModel")
    yield "table_6", arms(six, "retriever", "C.2")
    yield "table_7", arms(seven, "prompt", "C.3")
    rows = [row({"place": at}, "CWE", cwe.removeprefix("CWE-"), "id", "B.1") for at, _, cwe in four]
    yield "table_4", rows
    named = dict.fromkeys(re.findall(r"\(CWE-(\d+)\)", text))
    rows = [row({"place": at}, "CWE", cwe, "id", "B.1") for at, cwe in enumerate(named, 1)]
    yield "table_4_prose", rows
