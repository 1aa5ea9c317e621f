"""Counts behind printed shares with the tests that they allow; one factor at a time in steps."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from kit import measures
from kit.errors import KitError
from kit.measures.steps import AXES, frame_steps
from kit.metrics import bootstrap, stats
from kit.papers import audit, published
from kit.papers.audit.relation import figure
from kit.papers.replication import ABSENT, PRINTED, run_frame

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
    for frame in found.values():
        frame["p (Holm)"] = stats.holm(frame["p"])
        frame["below alpha"] = (frame["p (Holm)"] < alpha).map({True: "yes", False: "no"})
    return found


def _p(above: int, below: int) -> float:
    return stats.sign_test(np.repeat([1.0, -1.0], [above, below])).p


@dataclass(frozen=True)
class Factor:
    """A factor of appendix E.4: its table, the column of its levels, the families, their order."""

    table: int
    column: str
    families: tuple[str, ...]
    ordered: bool

    def grouped(self, rows: pd.DataFrame, source: str = PRINTED) -> pd.DataFrame:
        """Rows of `replicate` with a first column `family`; a run's are one, named by the run.

        The levels of a run that does not have the factor are its models.
        """
        of = rows["of"] if "of" in rows else [source] * len(rows)
        names = zip(family(rows["model"], self.families), of, strict=True)
        out = rows.drop(columns="of", errors="ignore")
        out = out.mask(out == ABSENT, out["model"], axis=0)
        out.attrs = dict(rows.attrs)
        out.insert(0, "family", [n if o == PRINTED else o for n, o in names])
        return out

    def steps(
        self, source: str, rows: pd.DataFrame, *, level: str, n_boot: int = 5000,
        confidence: float = 0.95,
    ) -> pd.DataFrame:  # fmt: skip
        """`printed_steps` of `grouped` rows where source is "published", else those of the run.

        A run without a column `level` has its models as levels; its name is the first column.
        """
        if source == PRINTED:
            return printed_steps(rows, panel="family", level=level)
        frame = run_frame(source, rows.attrs["paper"])
        column = level if level in frame else "model"
        steps = frame_steps(
            frame, name=source, level=column, first=frame[column].iloc[0], n_boot=n_boot,
            confidence=confidence,
        )  # fmt: skip
        steps.insert(0, "run", source)
        return steps


FACTORS = {
    "scale": Factor(10, "size", ("qwen3", "gemma-3"), ordered=True),
    "thinking": Factor(11, "thinking", ("gpt-5", "claude", "qwen3", "nemotron"), ordered=True),
    "quantization": Factor(12, "precision", ("qwen3-8b", "llama-3.1-8b-instruct"), ordered=False),
    "specialization": Factor(
        13,
        "role",
        ("qwen2.5", "qwen3", "mistral|codestral", "llama-2|codellama"),
        ordered=False,
    ),
    "tuning": Factor(
        14, "tuning", ("qwen2.5-7b", "llama-3.1-8b", "mistral-7b", "gemma-3-4b"), ordered=False
    ),
}


def factor(name: str) -> Factor:
    """A factor by its name; KitError with those that there are."""
    if name not in FACTORS:
        raise KitError(f"Unknown factor {name!r}. Use one of: {', '.join(FACTORS)}.")
    return FACTORS[name]


def family(names: Iterable[str], starts: Iterable[str]) -> list[str]:
    """For each name the entry of `starts` that it begins with ("a|b": with a or b), or itself."""
    known = list(starts)
    found = [next((s for s in known if n.startswith(tuple(s.split("|")))), n) for n in names]
    return [f.replace("|", " / ") for f in found]


def printed_steps(rows: pd.DataFrame, *, panel: str, level: str) -> pd.DataFrame:
    """Each later level of a family against its first, from printed shares.

    Per-task results are not printed, so the pairing is lost. n is the smaller of the two numbers of
    tasks at which the rows' shares fit (the largest such number of each); p_least and p_most are
    McNemar's exact p for the most and the least overlap that the nearest counts of n allow.
    """
    sizes = audit.reconstructed(rows.drop(columns=panel))["n"].groupby("model").first()
    made = []
    for name, part in rows.groupby(panel, sort=False):
        flat = part.pivot(index="model", columns="metric", values="value")
        models = dict(part[["model", level]].drop_duplicates().itertuples(index=False))
        first, *others = models
        for other in others:
            n = int(min(sizes[first], sizes[other]))
            for metric in dict.fromkeys(part["metric"]):
                pair = flat.loc[[other, first], metric]
                ends = (np.nan, np.nan)
                if n and metric in AXES:
                    one, two = (round(x * n / 100) for x in pair)
                    ends = extremes(one, two, n)
                step = pair.iloc[0] - pair.iloc[1]
                made.append((name, models[first], models[other], metric, step, n, *ends))
    columns = [panel, "from", "to", "metric", "step", "n", "p_least", "p_most"]
    return pd.DataFrame(made, columns=columns).dropna(subset="step", ignore_index=True)


def extremes(first: int, second: int, n: int) -> tuple[float, float]:
    """The least and the greatest p of McNemar's exact test for two counts of the same n tasks.

    Of the tasks in which one holds, all may be among the other's (least p), or as few as n allows.
    """
    if not 0 <= min(first, second) <= max(first, second) <= n:
        raise KitError(f"Got {first} and {second} of {n}. Give two counts of one number of tasks.")
    both = (min(first, second), max(0, first + second - n))
    least, most = (_p(first - a, second - a) for a in both)
    return least, most
