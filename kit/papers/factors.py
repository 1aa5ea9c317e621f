"""One factor of a model at a time: the steps between its levels, as printed or of a run."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.papers import audit, published
from kit.papers.replication import PRINTED, join_run, sign_p
from kit.scoring import measures, stats
from kit.scoring.measure import split_groups
from kit.scoring.steps import AXES, frame_steps


@dataclass(frozen=True)
class Factor:
    """A factor of appendix E.4: its table, the column of its levels, the families, their order."""

    table: int
    column: str
    families: tuple[str, ...]
    ordered: bool

    def group_by_family(self, rows: pd.DataFrame, source: str = PRINTED) -> pd.DataFrame:
        """Rows of `replicate` with a first column `match_families`.

        A run is one, named by the run, or each of its models where the levels are not the models.
        """
        of = rows["of"] if "of" in rows else pd.Series(source, rows.index)
        names = pd.Series(match_families(rows["model"], self.families), rows.index)
        levels = rows.get(self.column, rows["model"])
        own = of.where(rows["model"] == levels, of + ", " + rows["model"])
        out = rows.drop(columns="of", errors="ignore")
        out.attrs = dict(rows.attrs)
        out.insert(0, "family", names.where(of == PRINTED, own))
        return out

    def steps(
        self,
        source: str,
        rows: pd.DataFrame,
        *,
        column: str,
        n_boot: int = 5000,
        confidence: float = 0.95,
    ) -> pd.DataFrame:
        """`printed_steps` of `grouped` rows where source is "published", else those of the run.

        A run's are of the levels of its column `column`, apart for whatever else its arms differ
        in; p (Holm) is over all rows.
        """
        if source == PRINTED:
            return printed_steps(rows, panel="family", level=self.column)
        table = published.table(rows.attrs["paper"], self.table)
        run = join_run(source, table, {self.column: column})
        apart = [c for c in run.by if c != column and run.frame[c].nunique(dropna=False) > 1]
        levels = [*apart, column]
        texts = measures.fill_settings(run.frame, levels)[levels].astype(str)
        parts = []
        for values, part in split_groups(run.frame.assign(**dict(texts.items())), apart):
            part_steps = frame_steps(
                part,
                name=" ".join([source, *values]),
                level=column,
                first=part[column].iloc[0],
                n_boot=n_boot,
                confidence=confidence,
            )
            named = part_steps.assign(**dict(zip(apart, values, strict=True)))
            parts.append(named[[*apart, *part_steps]])
        steps = pd.concat(parts, ignore_index=True)
        steps["p (Holm)"] = stats.apply_holm(steps["p"])
        steps.insert(0, "run", source)
        return steps


FACTORS = {
    "scale": Factor(10, "size", ("qwen3", "gemma-3"), ordered=True),
    "thinking": Factor(11, "thinking", ("gpt-5", "claude", "qwen3", "nemotron"), ordered=True),
    "quantization": Factor(12, "precision", ("qwen3-8b", "llama-3.1-8b-instruct"), ordered=False),
    "specialization": Factor(
        13, "role", ("qwen2.5", "qwen3", "mistral|codestral", "llama-2|codellama"), ordered=False
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


def match_families(names: Iterable[str], starts: Iterable[str]) -> list[str]:
    """For each name the entry of `starts` that it begins with ("a|b": with a or b), or itself."""
    known = list(starts)
    matches = [next((s for s in known if n.startswith(tuple(s.split("|")))), n) for n in names]
    return [f.replace("|", " / ") for f in matches]


def printed_steps(rows: pd.DataFrame, *, panel: str, level: str) -> pd.DataFrame:
    """Each later level of a family against its first, from printed shares.

    Per-task results are not printed, so the pairing is unknown. n is the smaller of the largest
    numbers of tasks that fit each row's shares; p_least and p_most are McNemar's exact p for the
    largest and the smallest overlap that the nearest counts of n allow.
    """
    sizes = audit.reconstruct_counts(rows.drop(columns=panel))["n"].groupby("model").first()
    steps = []
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
                    ends = extreme_p_values(one, two, n)
                step = pair.iloc[0] - pair.iloc[1]
                steps.append((name, models[first], models[other], metric, step, n, *ends))
    columns = [panel, "from", "to", "metric", "step", "n", "p_least", "p_most"]
    return pd.DataFrame(steps, columns=columns).dropna(subset="step", ignore_index=True)


def extreme_p_values(first: int, second: int, n: int) -> tuple[float, float]:
    """The least and the greatest p of McNemar's exact test for two counts of the same n tasks.

    The tasks of the smaller count may all be among the larger's (least p), or as few as n allows.
    """
    if not 0 <= min(first, second) <= max(first, second) <= n:
        raise KitError(f"Got {first} and {second} of {n}. Give two counts of the same tasks.")
    both = (min(first, second), max(0, first + second - n))
    least, most = (sign_p(first - a, second - a) for a in both)
    return least, most
