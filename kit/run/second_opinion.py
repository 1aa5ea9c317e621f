"""What a second oracle says beside the first, and how far the two agree."""

import pandas as pd

from kit.metrics import agreement
from kit.store import Store

TABLE = """
CREATE TABLE IF NOT EXISTS opinions (slot TEXT, test TEXT, oracle TEXT, verdict TEXT, offline TEXT,
    PRIMARY KEY (slot, test, oracle)) WITHOUT ROWID
"""
QUERY = """
SELECT slots.task, slots.model, slots.sample, o.test, t.kind, t.cwe, o.oracle AS judge,
    a.outcome AS offline_outcome, a.oracle AS offline_oracle, b.outcome AS judge_outcome,
    b.reason AS judge_reason, s.label, o.slot
FROM opinions o JOIN slots ON slots.slot = o.slot
JOIN tests t ON t.task = slots.task AND t.test = o.test
JOIN verdicts a ON a.key = o.offline JOIN verdicts b ON b.key = o.verdict
LEFT JOIN samples s ON s.slot = o.slot
ORDER BY slots.rowid, t.position, o.oracle
"""
DECIDED = ("pass", "fail")


def put(store: Store, slot: str, test: str, *, oracle: str, verdict: str, offline: str) -> None:
    """What a further oracle says of a test, beside the key of what the offline oracle said."""
    store.db.execute(TABLE)
    row = (slot, test, oracle, verdict, offline)
    store.db.execute("INSERT OR REPLACE INTO opinions VALUES (?,?,?,?,?)", row)


def frame(store: Store) -> pd.DataFrame:
    """One row per test that a judge gave an opinion on, with the offline oracle's outcome."""
    there = "SELECT 1 FROM sqlite_master WHERE name = 'opinions'"
    if store.db.execute(there).fetchone() is None:
        return pd.DataFrame()
    return pd.read_sql_query(QUERY, store.db)


def against(rows: pd.DataFrame, opinions: pd.DataFrame) -> pd.DataFrame:
    """Labelled rows (task, slot, test, label, ...) with the judge's outcome where it gave one."""
    if opinions.empty:
        return rows.iloc[:0]
    said = opinions[["slot", "test", "judge_outcome"]]
    return rows.drop(columns="outcome").merge(
        said.rename(columns={"judge_outcome": "outcome"}), on=["slot", "test"], how="inner"
    )


def beside(opinions: pd.DataFrame) -> pd.DataFrame:
    """Offline oracle and judge side by side: counts, share of agreement, kappa and AC1 by kind.

    opinions: as `frame` gives them. Agreement is over what both decided; the rest is counted.
    """
    if opinions.empty:
        return pd.DataFrame()
    parts = [("all", "all", opinions)]
    groups = opinions.groupby(["kind", "offline_oracle"], sort=True)
    parts += [(*names, rows) for names, rows in groups]
    return pd.DataFrame([{"kind": k, "offline": o, **_agreed(rows)} for k, o, rows in parts])


def _agreed(rows: pd.DataFrame) -> dict[str, float]:
    ours, judges = rows["offline_outcome"], rows["judge_outcome"]
    both = rows[ours.isin(DECIDED) & judges.isin(DECIDED)]
    pair = both[["offline_outcome", "judge_outcome"]].to_numpy()
    cells = {f"{a}/{b}": int(((ours == a) & (judges == b)).sum()) for a in DECIDED for b in DECIDED}
    counts = {"tests": len(rows), "both": len(both), **cells}
    counts |= {"only_offline": int((ours.isin(DECIDED) & ~judges.isin(DECIDED)).sum())}
    counts |= {"only_judge": int((judges.isin(DECIDED) & ~ours.isin(DECIDED)).sum())}
    if both.empty:
        return counts | dict.fromkeys(("agreement", "kappa", "ac1"), float("nan"))
    kappa = agreement.cohen_kappa(pair[:, 0], pair[:, 1])
    return counts | {"agreement": agreement.raw(pair), "kappa": kappa, "ac1": agreement.ac1(pair)}
