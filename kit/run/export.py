"""The tidy table of a run as a file that other programs read, with what stands behind each row."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from kit.errors import KitError
from kit.paths import replace_whole
from kit.store import Store

OF_SAMPLE = ("code", "response", "finish_reason", "served_model", "input_tokens", "output_tokens",
             "truncated", "created")  # fmt: skip
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def detailed(store: Store) -> pd.DataFrame:
    """The tidy table, and per row the verdict's sentence, the note and the key of its evidence.

    `code`, `response`, tokens and finish reason are the sample's, repeated on each of its rows.
    """
    rows = store.frame()
    return rows.join(pd.DataFrame(list(_behind(store, rows)), index=rows.index))


def _behind(store: Store, rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    slot, mine = "", dict.fromkeys(OF_SAMPLE)
    note = ""
    for row in rows.itertuples():
        if row.slot != slot:
            sample = store.sample(str(row.slot))
            slot, mine = str(row.slot), {n: getattr(sample, n, None) for n in OF_SAMPLE}
            note = sample.note if sample else ""
        evidence, verdict = store.cell(slot, str(row.test))
        yield {
            "sentence": verdict.sentence if verdict else "",
            "note": (evidence.note if evidence else "") or note,
            "evidence": store.evidence_key(slot, str(row.test)),
            **mine,
        }


def plain(text: Any) -> Any:
    """Text without control and direction characters, which a terminal would obey."""
    if not isinstance(text, str):
        return text
    return CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def _cell(value: Any) -> Any:
    """A cell that no spreadsheet takes for a formula."""
    shown = plain(value)
    return f"'{shown}" if isinstance(shown, str) and shown.startswith(FORMULA) else shown


WRITERS: dict[str, Callable[[pd.DataFrame], str | bytes]] = {
    ".parquet": partial(pd.DataFrame.to_parquet, index=False),
    ".csv": lambda rows: str(rows.map(_cell).to_csv(index=False)),
    ".jsonl": partial(pd.DataFrame.to_json, orient="records", lines=True),
}


def export(run: str | Path, target: Path) -> int:
    """Write `detailed` as .parquet, .csv or .jsonl, whole or not at all; the number of rows."""
    if target.suffix not in WRITERS:
        raise KitError(f"Cannot write '{target.name}'. Use one of: {', '.join(WRITERS)}.")
    with Store(run, write=False) as store:
        rows = detailed(store)
    if not target.parent.is_dir():
        raise KitError(f"No folder {target.parent}. Make it first, or name another target.")
    replace_whole(target, WRITERS[target.suffix](rows))
    return len(rows)
