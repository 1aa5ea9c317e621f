"""The tidy table of a run as a file that other programs read."""

from functools import partial
from pathlib import Path

import pandas as pd

from kit.errors import KitError
from kit.store import frame


def export(run: str | Path, target: Path) -> int:
    """Write the tidy table as .parquet, .csv or .jsonl, atomically; returns the number of rows."""
    writers = {
        ".parquet": partial(pd.DataFrame.to_parquet, index=False),
        ".csv": partial(pd.DataFrame.to_csv, index=False),
        ".jsonl": partial(pd.DataFrame.to_json, orient="records", lines=True),
    }
    if target.suffix not in writers:
        raise KitError(f"Cannot write '{target.name}'. Use one of: {', '.join(writers)}.")
    rows = frame(run)
    if not target.parent.is_dir():
        raise KitError(f"No folder {target.parent}. Make it first, or name another target.")
    part = target.with_name(target.name + ".part")
    try:
        writers[target.suffix](rows, part)
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return len(rows)
