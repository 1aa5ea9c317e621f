"""Reads the papers' printed numbers, and compares our numbers with them.

data/published/<paper>/table_<n>.csv is long form: the columns left of `metric` are the row's keys.
`printed` is the cell as the paper prints it; the tolerance is half of its last printed digit,
unless the row names another one with its reason.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from kit.core import notes
from kit.core.errors import KitError
from kit.core.paths import PUBLISHED
from kit.scoring import measures

NUMBERS = ["value", "ci_low", "ci_high", "tasks", "marked", "tolerance"]
SLACK = 1e-9  # of the arithmetic, never of a judgement


class Disagreement(Exception):
    """A recomputed number is outside the printed one's tolerance, or a listed finding is gone."""


def list_papers() -> list[str]:
    """The papers with recorded printed numbers."""
    return sorted(path.parent.name for path in PUBLISHED.glob("*/text_claims.csv"))


def list_tables(paper: str) -> list[str]:
    """The names that `table` takes: "2", "4_removed", ..., and "claims" for the prose."""
    if paper not in list_papers():
        raise KitError(f"Unknown paper {paper!r}. Use one of: {', '.join(list_papers())}.")
    names = [p.stem.removeprefix("table_") for p in (PUBLISHED / paper).glob("table_*.csv")]
    names.sort(key=lambda name: re.sub(r"\d+", lambda number: number[0].zfill(9), name))
    return [*names, "claims"]


def table(paper: str, n: int | str) -> pd.DataFrame:
    """Table `n` of a paper in long form, with `tolerance` filled in; attrs hold paper and table."""
    if str(n) not in list_tables(paper):
        allowed = ", ".join(list_tables(paper))
        raise KitError(f"{paper} has no table {str(n)!r}. Use one of: {allowed}.")
    frame = _read_table(paper, str(n)).copy()
    frame.attrs = {"paper": paper, "table": str(n)}
    return frame


@cache
def _read_table(paper: str, n: str) -> pd.DataFrame:
    name = "text_claims" if n == "claims" else f"table_{n}"
    frame = pd.read_csv(PUBLISHED / paper / f"{name}.csv", dtype=object, keep_default_na=False)
    for column in frame.columns.intersection(NUMBERS):
        frame[column] = pd.to_numeric(frame[column].replace("", None))
    half = frame["printed"].map(half_digit)
    frame["tolerance"] = frame["tolerance"].fillna(half) if "tolerance" in frame else half
    return frame


def rename_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a printed table under the names that a run has for their labels (names.toml)."""
    path = PUBLISHED / frame.attrs["paper"] / "names.toml"
    names = tomllib.loads(path.read_text("utf-8")) if path.exists() else {}
    renamed = frame.copy()
    for key in names.keys() & key_columns(frame):
        renamed[key] = frame[key].replace(names[key])
    return renamed


def half_digit(printed: str) -> float:
    """Half of the last printed digit: 0.05 for "14.8", 0.5 for "3,785" and for "nine"."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2])


def key_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that name a row: those left of `metric`."""
    return list(frame.columns[: list(frame.columns).index("metric")])


def wide(frame: pd.DataFrame, *, across: Iterable[str] = (), bounds: bool = True) -> pd.DataFrame:
    """One column a metric (below the key columns named in `across`), in the printed order.

    bounds: whether a missing value is the pair of its bounds, where the frame has these.
    """
    if bounds:
        frame = frame.assign(value=measures.insert_bounds(frame, "value"))
    columns = [*across, "metric"]
    index = [k for k in key_columns(frame) if k not in columns]
    rows, heads = (frame.set_index(names).index.unique() for names in (index, columns))
    flat = frame.pivot(index=index, columns=columns, values="value")
    return flat.reindex(index=rows, columns=heads).infer_objects()


def relation_name(paper: str, table: str, law: str, named: Mapping[str, object]) -> str:
    """The name of a relation in audits, comparisons and lists of findings."""
    where = ", ".join(f"{k}={v}" for k, v in named.items())
    return f"{paper}/{table}/{law}/{where}"


def read_findings(paper: str) -> pd.DataFrame:
    """The relations of a paper that are known not to hold, each with its numbers and reason."""
    path = PUBLISHED / paper / "expected_findings.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def read_laws(paper: str) -> list[dict[str, Any]]:
    """The entries of a paper's laws.toml."""
    laws = tomllib.loads((PUBLISHED / paper / "laws.toml").read_text(encoding="utf-8"))
    return list(laws["relation"])


def compare(
    ours: pd.DataFrame,
    ref: str | pd.DataFrame,
    *,
    law: str = "",
    scale: float = 1.0,
    partial: bool = False,
) -> pd.DataFrame:
    """ours | paper | difference | tolerance for every printed row; raises Disagreement outside it.

    ours:    long form: the key columns of `ref`, `metric`, and `value` or `estimate`.
    ref:     "dualgauge/table_2", or a selection of what `table` gave.
    law:     the name of an audit's law; rows that it lists as findings must disagree.
    scale:   what ours is multiplied by first (100 where ours is a share and the paper prints %).
    partial: whether printed rows that ours lacks are dropped instead of refused.
    """
    if isinstance(ref, str):
        paper, _, name = ref.partition("/")
        ref = table(paper, name.removeprefix("table_").removeprefix("text_"))
    ref = ref if "why" in ref else ref.assign(why="")
    on = [*key_columns(ref), "metric"]
    both = _join_rows(_prepare_ours(ours, on, scale), ref, on, partial=partial)
    at = both.columns.get_loc("tolerance")
    both.insert(at, "difference", both["ours"] - both["paper"])
    outside = ~(both["difference"].abs() <= both["tolerance"] + SLACK)
    reasons = _find_reasons(both, ref, law)
    both["verdict"] = np.where(
        reasons != "",
        np.where(outside, "finding", "finding is gone"),
        np.where(outside, "mismatch", "match"),
    )
    both["why"] = reasons.where(reasons != "", both.pop("why"))
    counts = {str(k): int(v) for k, v in both["verdict"].value_counts().items()}
    notes.note(
        "comparison",
        paper=ref.attrs.get("paper", ""),
        table=ref.attrs.get("table", ""),
        law=law,
        rows=len(both),
        verdicts=counts,
        largest_difference=float(both["difference"].abs().max()),
    )
    wrong = both[both["verdict"].isin(["mismatch", "finding is gone"])]
    if len(wrong):
        raise Disagreement(f"{len(wrong)} of {len(both)} rows disagree:\n{wrong.to_string()}")
    return both.drop(columns="why") if (both["why"] == "").all() else both


def _prepare_ours(ours: pd.DataFrame, on: list[str], scale: float) -> pd.DataFrame:
    value = "value" if "value" in ours else "estimate"
    absent = [c for c in [*on, value] if c not in ours]
    if absent:
        raise KitError(f"Our table lacks the column {', '.join(absent)} of the printed table.")
    frame = ours[on].astype(str).assign(ours=ours[value].astype(float) * scale)
    if frame.duplicated(on).any():
        raise KitError(f"Our table has two values for one row. Keep one per {', '.join(on)}.")
    return frame


def _join_rows(
    ours: pd.DataFrame, ref: pd.DataFrame, on: list[str], *, partial: bool
) -> pd.DataFrame:
    paper = ref[[*on, "value", "tolerance", "why"]].rename(columns={"value": "paper"})
    both = paper.merge(ours, on=on, how="outer", indicator=True, sort=False)
    foreign, absent = both[both["_merge"] == "right_only"], both[both["_merge"] == "left_only"]
    if len(foreign):
        raise KitError(f"The paper prints no row for\n{foreign[on].to_string()}\nDrop these rows.")
    if len(absent) and not partial:
        raise KitError(f"Our table lacks\n{absent[on].to_string()}\nAdd them or set partial=True.")
    kept = paper.merge(ours, on=on, how="inner", sort=False)  # in the printed order
    return kept[[*on, "ours", "paper", "tolerance", "why"]]


def _find_reasons(both: pd.DataFrame, ref: pd.DataFrame, law: str) -> pd.Series:
    """The reason for each row that is listed as a finding; "" for the others."""
    if not law:
        return pd.Series("", index=both.index)
    paper, name = ref.attrs["paper"], ref.attrs["table"]
    reasons = dict(read_findings(paper)[["relation", "reason"]].itertuples(index=False))
    named = both[[*key_columns(ref), "metric"]].to_dict("records")
    return pd.Series(
        [reasons.get(relation_name(paper, name, law, k), "") for k in named], both.index
    )
