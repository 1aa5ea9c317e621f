"""How many tasks passed, were secure, were both; and every test that these counts allow."""

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from kit import measures
from kit.metrics import bootstrap, stats
from kit.papers import audit, published
from kit.papers.audit.laws import figure
from kit.papers.replication import PRINTED, run_frame

COUNTS = ["n", "passed", "secure", "joint"]


def tallies(source: str, printed: pd.DataFrame) -> pd.DataFrame:
    """n, passed, secure, joint per row of a table: reconstructed, or those of a run.

    A run counts the first sample of each task; one that our own failure spoiled is left out of n.
    """
    if source == PRINTED:
        return audit.reconstructed(printed, limit=int(figure(printed.attrs["paper"], "tasks")))
    samples = measures.samples(run_frame(source, printed.attrs["paper"]))
    keys = [k for k in published.keys(printed) if k in samples]
    first = samples[samples["counted"]].groupby([*keys, "task"], sort=False).head(1)
    axes = {"passed": "functional", "secure": "secure", "joint": "joint"}
    sure = first[keys].assign(n=1, **{c: first[a].fillna(value=False) for c, a in axes.items()})
    found = sure.groupby(keys, sort=False)[COUNTS].sum().astype(int)
    for absent in set(published.keys(printed)) - set(keys):
        found = found.set_index(pd.Index(["–"] * len(found), name=absent), append=True)
    return found


def intervals(counts: pd.DataFrame, *, n_boot: int = 5000, level: float = 0.95) -> pd.DataFrame:
    """The joint rate of each row in %, with its bootstrap (drawn, exact) and Wilson's interval."""
    made = []
    for row in counts[COUNTS].itertuples():
        hits = np.repeat([1.0, 0.0], [row.joint, row.n - row.joint])
        data = bootstrap.clusters(hits, np.arange(row.n))
        rng = stats.seed(str(row.Index))
        (drawn,) = bootstrap.bootstrap(data, rng=rng, n_boot=n_boot, level=level, within=False)
        exact = audit.resampled(row.n, row.joint, level=level)
        score = stats.wilson(row.joint, row.n, level=level)
        shares = (drawn.estimate, drawn.low, drawn.high, score.low, score.high)
        joint, *drawn_ends, low, high = (100 * x for x in shares)
        made.append((joint, *drawn_ends, *exact, low, high))
    names = ["drawn low", "drawn high", "exact low", "exact high", "Wilson low", "Wilson high"]
    return pd.DataFrame(made, columns=["joint", *names], index=counts.index)


def printed_intervals(claims: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """For each joint rate that the prose prints with an interval the four nearest n."""
    pairs = {"gpt-5-medium": "gpt-5-medium", "codestral-22b": "codestral-22b-v0.1"}
    limit = int(figure(table.attrs["paper"], "tasks"))
    made = []
    for short, model in pairs.items():
        said = claims[claims["claim"] == f"joint rate of {short} in Python"].iloc[0]
        row = table[(table["model"] == model) & (table["language"] == "python")]
        found = audit.candidates(row, said, limit=limit).head(4)
        ends = {"printed": said["value"], "from": said["ci_low"], "to": said["ci_high"]}
        made.append(found.assign(model=model, **ends))
    columns = ["model", "printed", "from", "to", "n", "joint", "low", "high", "off"]
    return pd.concat(made, ignore_index=True)[columns]


def sign_tests(counts: pd.DataFrame, *, alpha: float = 0.05) -> dict[str, pd.DataFrame]:
    """Three exact tests of each row, with Holm's p over the rows and whether it is below alpha.

    pass without joint: against joint without pass, which cannot be. function against security:
    only functional against only secure. dependence: Fisher's test of secure by functional.
    """
    n, passed, secure, joint = (counts[c] for c in COUNTS)
    lone, safe = passed - joint, secure - joint
    one_way = pd.DataFrame({"pass without joint": lone, "joint without pass": 0 * joint})
    either = pd.DataFrame({"only functional": lone, "only secure": safe})
    by = pd.DataFrame(
        {
            "secure if functional": 100 * joint / passed.where(passed > 0),
            "secure if not": 100 * safe / (n - passed).where(passed < n),
        }
    )
    cells = zip(joint, lone, safe, n - passed - safe, strict=True)
    fisher = [fisher_exact([[j, a], [b, d]]) for j, a, b, d in cells]
    by["odds ratio"] = [f.statistic for f in fisher]
    found = {"pass without joint": one_way, "function against security": either}
    for frame in found.values():
        frame["p"] = [_p(a, b) for a, b in frame.itertuples(index=False)]
    by["p"] = [f.pvalue for f in fisher]
    found["dependence"] = by
    return {name: _corrected(frame, alpha) for name, frame in found.items()}


def _p(above: int, below: int) -> float:
    return stats.sign_test(np.repeat([1.0, -1.0], [above, below])).p


def _corrected(frame: pd.DataFrame, alpha: float) -> pd.DataFrame:
    frame["p (Holm)"] = stats.holm(frame["p"])
    frame["below alpha"] = (frame["p (Holm)"] < alpha).map({True: "yes", False: "no"})
    return frame
