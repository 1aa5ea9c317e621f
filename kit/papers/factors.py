"""One factor at a time: the steps from its first level, with what can be said of their chance."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kit.errors import KitError
from kit.measures.steps import AXES, frame_steps
from kit.metrics import stats
from kit.papers import audit
from kit.papers.replication import ABSENT, PRINTED, run_frame


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


def _p(one: int, other: int) -> float:
    return stats.sign_test(np.repeat([1.0, -1.0], [one, other])).p
