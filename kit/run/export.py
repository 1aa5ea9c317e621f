"""Writes the tidy table of a run as Parquet, CSV or JSON lines, for analysis in other tools."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import pandas as pd

from kit import measures
from kit.errors import KitError
from kit.paths import whole
from kit.store import FRAME_TYPES, Store

OF_SAMPLE = {
    "code": "str", "response": "str", "finish_reason": "str", "served_model": "str",
    "input_tokens": "Int64", "output_tokens": "Int64", "truncated": "boolean", "created": "str",
}  # fmt: skip
TYPES = {"sentence": "str", "note": "str", "evidence": "str", **OF_SAMPLE}
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def detailed(store: Store) -> pd.DataFrame:
    """The tidy table, and per row the verdict's sentence, the note and the key of its evidence.

    `code`, `response`, tokens and finish reason are the sample's, repeated on each of its rows; so
    is what the policy makes of it (`measures.applied`), which gives the printed rates again.
    """
    return pd.concat(parts(store), ignore_index=True)


def parts(store: Store) -> Iterator[pd.DataFrame]:
    """`detailed` in parts of whole samples, with equal columns and types."""
    for rows in store.frames():
        behind = pd.DataFrame(_behind(store, rows), index=rows.index, columns=list(TYPES))
        yield rows.join(measures.applied(rows)).join(behind.astype(TYPES))


def _behind(store: Store, rows: pd.DataFrame) -> list[tuple[Any, ...]]:
    cells: list[tuple[Any, ...]] = []
    for slot, mine in rows.groupby("slot", sort=False)["test"]:
        sample, known = store.sample(str(slot)), store.behind(str(slot))
        of_sample = [getattr(sample, n, None) for n in OF_SAMPLE]
        for test in mine:
            key, note, sentence = known.get(test, ("", "", ""))
            cells.append((sentence, note or (sample.note if sample else ""), key, *of_sample))
    return cells


def visible(text: str) -> str:
    """The text with control, direction and surrogate characters escaped; adds no line break."""
    return CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


Parts = Iterator[pd.DataFrame]


def _parquet(file: BinaryIO, tables: Parts, arms: pd.DataFrame) -> None:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    first = next(tables)
    types = pa.Schema.from_pandas(first, preserve_index=False)
    own = arms.drop(columns=[c for c in arms if c in FRAME_TYPES])
    for field in pa.Schema.from_pandas(own, preserve_index=False):  # over all parts
        types = types.set(types.get_field_index(field.name), field)
    with ParquetWriter(file, types) as writer:
        for rows in chain([first], tables):
            writer.write_table(pa.Table.from_pandas(rows, types, preserve_index=False))


def _cell(value: Any) -> Any:
    """A cell that a spreadsheet cannot interpret as a formula."""
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown.startswith(FORMULA) else shown


KINDS = (".parquet", ".csv", ".jsonl")


def export(run: str | Path, target: Path) -> int:
    """Write `detailed` atomically as .parquet, .csv or .jsonl; returns the number of rows."""
    if target.suffix not in KINDS:
        raise KitError(f"Cannot write '{target.name}'. Use one of: {', '.join(KINDS)}.")
    with Store(run, write=False) as store:
        if not target.parent.is_dir():
            raise KitError(f"No folder {target.parent}. Create it first, or name another target.")
        written = 0

        def counted() -> Parts:
            nonlocal written
            for rows in parts(store):
                written += len(rows)
                yield rows

        with whole(target) as file:
            if target.suffix == ".parquet":
                _parquet(file, counted(), store.arms())
            for rows in counted() if target.suffix == ".csv" else ():
                rows.map(_cell).to_csv(file, index=False, header=not file.tell())
            for rows in counted() if target.suffix == ".jsonl" else ():
                rows.to_json(file, orient="records", lines=True)
    return written
