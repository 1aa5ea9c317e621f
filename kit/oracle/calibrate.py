"""Labels against outcomes: precision, recall and F1 of the decided; coverage = decided / all.

The positive class is `pass`; `of_fail` has the same rates of `fail`.
"""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.scoring.rates import count_confusion, precision_recall_f1

COLUMNS = ("task", "program", "kind_of_program", "test", "kind", "cwe", "label", "outcome")
GROUPS = ("functional", "security", "both")


def compare_to_labels(rows: pd.DataFrame) -> dict[str, Any]:
    """Labels against outcomes: counts and rates for functional, security and both; disagreements.

    One row per program and test. An outcome that is missing or "unknown" is not decided: it changes
    the coverage and nothing else. A disagreement is a decided outcome that is not the label.
    """
    for column in COLUMNS:
        if column not in rows.columns:
            raise KitError(f"Calibration needs the columns {', '.join(COLUMNS)}; no {column!r}.")
    strange = sorted(set(rows["label"]) - {"pass", "fail"}, key=str)
    if strange:
        raise KitError(f"A label is 'pass' or 'fail'; got {strange[0]!r}. Mend labels.json.")
    result: dict[str, Any] = {}
    for group in GROUPS:
        part = rows if group == "both" else rows[rows["kind"] == group]
        result[group] = _measure_group(part)
    decided = rows["outcome"].isin(["pass", "fail"])
    wrong = rows[decided & (rows["outcome"] != rows["label"])]
    table = wrong.reindex(columns=[*COLUMNS, "sentence"]).astype(object)
    return result | {"disagreements": table.where(table.notna(), "").to_dict("records")}


def _measure_group(rows: pd.DataFrame) -> dict[str, Any]:
    tp, fp, fn, tn, unknown = count_confusion(rows, positive="pass").sum().tolist()
    n = len(rows)
    counts = {"n": n, "tp": tp, "fp": fp, "tn": tn, "fn": fn, "unknown": unknown}
    return counts | {
        "coverage": (n - unknown) / n if n else None,
        **precision_recall_f1(tp, fp, fn),
        "of_fail": precision_recall_f1(tn, fn, fp),
    }


def format_rates(result: Mapping[str, Any]) -> str:
    """The rates as a table, and below it a line for each disagreement."""
    names = ("n", "tp", "fp", "tn", "fn", "unknown", "coverage", "precision", "recall", "f1")
    lines = [" " * 12 + "".join(f"{name:>10}" for name in names)]
    for group in GROUPS:
        cells = [_format_cell(result[group][name]) for name in names]
        lines.append(f"{group:12}" + "".join(f"{cell:>10}" for cell in cells))
    for row in result["disagreements"]:
        test = f"{row['task']} {row['program']} {row['test']} {row['cwe']}".strip()
        lines.append(f"{test}: label {row['label']}, oracle {row['outcome']}. {row['sentence']}")
    return "\n".join(lines)


def _format_cell(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
