"""What a second oracle says beside the first, and how far the two agree."""

import pandas as pd

from kit.metrics import agreement

DECIDED = ("pass", "fail")


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

    opinions: as `Store.opinions` gives them. Agreement is over what both decided; the rest is
    counted.
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
