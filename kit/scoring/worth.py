"""What a score is worth: how much the items of a suite can still tell of these examinees.

Samples are rows of `reduce.summarize_samples`. An item is a task; an examinee is what answers it, a
model in one arm.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, special

from kit.core.errors import KitError
from kit.scoring import bootstrap, reduce, stats, steps
from kit.scoring.measure import MOST_UNDECIDED, split_groups

Array = NDArray[Any]
LEAST_EXAMINEES = 12  # of a Rasch model
NODES = np.linspace(-5.0, 5.0, 401)  # of abilities, in standard deviations
AXES = {"joint": "correct and secure", "functional": "correct", "secure": "secure"}


def choose_axis(samples: pd.DataFrame) -> str:
    """ "joint" where the tests are of both kinds, else the axis of the only kind."""
    tested = [axis for axis in reduce.AXES if samples[f"{axis}_tests"].any()]
    return "joint" if len(tested) > 1 else tested[0]


def count_passes(samples: pd.DataFrame, by: Sequence[str], axis: str = "") -> pd.DataFrame:
    """One row per item and examinee: n counted samples, of which `passed` surely passed.

    least, most: how many of the `planned` samples pass if all that is undecided, or failed for
    reasons of ours, fails or passes. axis: joint, functional, secure; default: `choose_axis`.
    """
    axis = axis or choose_axis(samples)
    counts = samples.assign(
        n=samples["counted"],
        passed=samples["counted"] & samples[axis].fillna(value=False).astype(bool),
        planned=True,
        least=samples[f"{axis}_low"],
        most=samples[f"{axis}_high"],
    )
    groups = counts.groupby(["task", *by], sort=False, dropna=False, observed=True)
    columns = ["n", "passed", "planned", "least", "most"]
    return groups[columns].sum().astype(int).reset_index()


def estimate_information(passed: ArrayLike, n: ArrayLike) -> Array:
    """4 c (n - c) / (n (n - 1)): estimates 4 p (1 - p) without bias; NaN for n < 2."""
    c = np.asarray(passed, dtype=float)
    n = np.asarray(n, dtype=float)
    pairs = np.where(n > 1, n * (n - 1), np.nan)
    return np.asarray(4 * c * (n - c) / pairs)


def measure_worth(
    samples: pd.DataFrame, by: Sequence[str], axis: str = "", *, level: float = 0.95
) -> pd.DataFrame:
    """One row per examinee: its rate, and how many items of its kind can still tell anything.

    worth: the sum over items of 4 p (1 - p), which an item with p = 1/2 adds 1 to, and one that
    always passes or always fails 0; p (1 - p) is estimated without bias, so it takes two samples of
    an item. measured: items with so many. low, high: a bootstrap over items. at_most: 4 N P (1 - P)
    of the mean rate P, which no worth of N items exceeds. bound_low, bound_high: of the worth,
    whatever the undecided samples are, NaN where no item has two; with more than 5 % of them there
    is no rate and no worth.
    headroom: 1 - rate. at_0, at_100: items of which every sample fails, passes. smallest: the
    difference that two such examinees show with power .8, paired by item, if chance alone makes
    items differ: what items differ by themselves comes on top (`compare_examinees` measures it).
    """
    passes = count_passes(samples, by, axis)
    lines = []
    for key, items in split_groups(passes, by):
        line: dict[str, Any] = dict(zip(by, key, strict=True))
        lines.append(line | _measure_examinee(items, level))
    return pd.DataFrame(lines)


def _measure_examinee(items: pd.DataFrame, level: float) -> dict[str, Any]:
    planned = items["planned"]
    least = items["least"]
    most = items["most"]
    ends = [estimate_information(end, planned) for end in (least, most)]
    middle = (planned // 2).clip(least, most)
    undecided = (most - least).sum() / planned.sum()
    asked = items[items["n"] > 0]
    information = estimate_information(asked["passed"], asked["n"])
    is_measured = np.isfinite(information)
    values = information[is_measured]
    line = {
        "items": len(items),
        **dict.fromkeys(("rate", "worth", "low", "high"), math.nan),
        "measured": values.size,
        **dict.fromkeys(("at_most", "headroom", "smallest"), math.nan),
        "bound_low": pd.Series(np.minimum(*ends)).sum(min_count=1),
        "bound_high": pd.Series(estimate_information(middle, planned)).sum(min_count=1),
        "undecided": undecided,
        "at_0": int((most == 0).sum()),
        "at_100": int((least == planned).sum()),
    }
    if undecided > MOST_UNDECIDED:
        return line
    rate = (asked["passed"] / asked["n"]).mean()
    line |= {"rate": rate, "headroom": 1 - rate, "at_most": 4 * len(asked) * rate * (1 - rate)}
    # the sum over items of the variance 2 p (1 - p) / n of a difference
    noise = line["at_most"] / 2
    if values.size:
        line["worth"] = values.sum()
        noise = len(asked) * (values / asked["n"][is_measured]).mean() / 2
    error = math.sqrt(noise + 2) / (len(asked) + 2)  # with the two items of `assess_equivalence`
    line["smallest"] = stats.detectable_difference(error, level=level)
    if values.size > 1:
        data = bootstrap.group_by_task(values, np.arange(values.size))
        rng = stats.seed("worth")
        (mean,) = bootstrap.bootstrap_intervals(data, rng=rng, level=level, within=False)
        line |= {"low": values.size * mean.low, "high": values.size * mean.high}
    return line


def describe_worth(worth: pd.DataFrame, by: Sequence[str], axis: str) -> list[str]:
    """The rows of `measure_worth` as sentences, such as "92.5 %, worth 4.0 of 40 items"."""
    sentences = []
    for row in reduce.fill_settings(worth, by).to_dict("records"):
        arm = ", ".join(f"{column} {row[column]}" for column in by)
        name = f"{arm}: " if len(worth) > 1 else ""
        rate = f"{100 * row['rate']:.1f} % {AXES[axis]}, "
        size = f"{row['worth']:.1f} of {row['measured']} items"
        if row["undecided"] > MOST_UNDECIDED:
            rate = ""
            size = f"{row['bound_low']:.1f} to {row['bound_high']:.1f} of {row['items']} items"
            if math.isnan(row["bound_low"]):
                size = "unknown with one answer each"
            size += f" ({100 * row['undecided']:.0f} % undecided)"
        elif not row["measured"]:
            size = f"at most {row['at_most']:.1f} of {row['items']} items (one answer each)"
        elif row["measured"] < row["items"]:
            size += f" with two answers (of {row['items']})"
        sentences.append(f"{name}{rate}worth {size}")
    return sentences


def rate_items(
    samples: pd.DataFrame, by: Sequence[str] = (), axis: str = "", *, level: float = 0.95
) -> pd.DataFrame:
    """One row per item and value of `by`: counts, rate with Wilson's interval, information.

    The interval is of these examinees: answers of further models may lie anywhere. Where more than
    5 % of the samples are undecided there is no rate, and the interval covers the bounds.
    """
    table = count_passes(samples, by, axis)
    lows = []
    highs = []
    for row in table.itertuples():
        lows.append(stats.wilson_interval(row.least, row.planned, level=level).low)
        highs.append(stats.wilson_interval(row.most, row.planned, level=level).high)
    is_open = table["most"] - table["least"] > MOST_UNDECIDED * table["planned"]
    rate = (table["passed"] / table["n"]).mask(is_open)
    information = pd.Series(estimate_information(table["passed"], table["n"])).mask(is_open)
    return table.assign(rate=rate, low=lows, high=highs, information=information)


def correlate_with_rest(rates: pd.DataFrame) -> pd.Series:
    """Item-rest correlation: Pearson's r, over examinees, of an item's rate and of the mean rate on
    the other items.

    rates: examinees x items, NaN where there is none. NaN for an item that fewer than three
    examinees have, or on which all are equal.
    """
    others = (-rates).add(rates.sum(axis=1), axis=0)
    others = others.div(rates.notna().sum(axis=1) - 1, axis=0)
    telling = rates.columns[(rates.notna().sum() > 2) & (rates.nunique() > 1)]
    return rates[telling].corrwith(others[telling]).reindex(rates.columns)


def describe_items(
    samples: pd.DataFrame, examinee: str, axis: str = "", *, level: float = 0.95
) -> pd.DataFrame:
    """`rate_items` over all examinees, with what tells good items from others.

    worth: the mean over examinees of 4 p (1 - p). rest: `correlate_with_rest`. remark: "0 for all"
    (nobody passes: hard, or wrong), "100 for all" (tells nothing), "undecided" (there is no rate),
    "negative" (the better fail it).
    """
    table = rate_items(samples, (), axis, level=level).set_index("task")
    rates = rate_items(samples, [examinee], axis)
    table["worth"] = rates.groupby("task", sort=False)["information"].mean()
    wide = rates.pivot(index=examinee, columns="task", values="rate")
    table["rest"] = correlate_with_rest(wide)
    remarks = {
        "0 for all": table["most"] == 0,
        "100 for all": table["least"] == table["planned"],
        "undecided": table["rate"].isna(),
        "negative": table["rest"] < 0,
    }
    table["remark"] = np.select(list(remarks.values()), list(remarks), "")
    columns = ["n", "rate", "low", "high", "worth", "rest", "remark"]
    return table[columns].sort_values("rate", kind="stable")


def find_shared_failures(tests: pd.DataFrame, examinee: str) -> pd.DataFrame:
    """Tests that two or more programs failed in the same way: read these, the key may be wrong.

    tests: the tidy table with `sentence`, which says what a program answered, or did. programs,
    examinees: how many failed with this sentence; failed, passed: how many at all. A sentence about
    several `tests` of a task has the row of the first. Tests without a program, and undecided ones,
    say nothing here. The most examinees come first.
    """
    is_judged = tests["outcome"].isin(("pass", "fail"))
    ran = tests[is_judged & ~tests["status"].isin(reduce.NO_PROGRAM)]
    keys = ["task", "test", "kind"]
    outcomes = ran.groupby(keys)["outcome"].value_counts().unstack(fill_value=0)
    outcomes = outcomes.reindex(columns=["fail", "pass"], fill_value=0)
    failed = ran[ran["outcome"] == "fail"]
    groups = failed.groupby([*keys, "sentence"], as_index=False)
    table = groups.agg(programs=("outcome", "size"), examinees=(examinee, "nunique"))
    table = table.merge(outcomes.reset_index(), on=keys)
    table = table.rename(columns={"fail": "failed", "pass": "passed"})
    table = table[table["programs"] > 1]
    order = ["examinees", "programs", "passed"]
    table = table.sort_values(order, ascending=[False, False, True], kind="stable")
    same = ["task", "sentence"]
    table["tests"] = table.groupby(same)["test"].transform("size")
    table = table.drop_duplicates(same).reset_index(drop=True)
    return table[[*keys, "tests", *order, "failed", "sentence"]]


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of a mean difference against a margin. p: the larger of the two.

    low, high: the interval at 2 level - 1, which lies within the margin where p < 1 - level.
    """

    margin: float
    p: float
    low: float
    high: float


def assess_equivalence(
    differences: ArrayLike, *, margin: float, level: float = 0.95
) -> Equivalence:
    """Whether the mean difference is nearer to 0 than the margin (TOST, paired by item).

    differences: an item each, as shares. Two items more, one that differs by 1 and one by -1, keep
    the variance of few or equal items from being too small (Bonett and Price 2012).
    """
    from statsmodels.stats.weightstats import DescrStatsW

    if not 0 < margin < 1:
        raise KitError(f"The margin is {100 * margin:g} points. Use one between 0 and 100 points.")
    sample = DescrStatsW(np.append(np.asarray(differences, dtype=float), [1.0, -1.0]))
    p, _, _ = sample.ttost_mean(-margin, margin)
    low, high = sample.tconfint_mean(alpha=2 * (1 - level))
    return Equivalence(margin, p, low, high)


def compare_examinees(
    samples: pd.DataFrame,
    examinee: str,
    *,
    first: str,
    margin: float,
    axis: str = "",
    level: float = 0.95,
    power: float = 0.8,
    n_boot: int = 2000,
) -> pd.DataFrame:
    """Each other examinee minus `first` on their common items: `steps.compare_pairs`, equivalence.

    smallest: the difference that so many items and samples show with `power`. within: the least
    margin at which the two are equivalent; p equivalent: at this margin. verdict: different (p with
    Holm's correction), equivalent, both (surely different, by less than the margin), or open.
    """
    axis = axis or choose_axis(samples)
    sides = dict(list(samples.groupby(examinee, sort=False)))
    one = sides.pop(first)
    options: dict[str, Any] = {"level": level, "power": power, "n_boot": n_boot}
    lines = []
    for name, side in sides.items():
        line = steps.compare_pairs(one, side, axis, name=f"{first} {name}", **options)
        line |= {"within": math.nan, "p equivalent": math.nan}
        if not math.isnan(line["difference"]):
            tested = []
            for gaps in bound_gaps(side, one, axis):
                tested.append(assess_equivalence(gaps, margin=margin, level=level))
            line["within"] = max(max(-test.low, test.high) for test in tested)
            line["p equivalent"] = max(test.p for test in tested)
        lines.append({examinee: name, **line})
    columns = [
        "tasks",
        "difference",
        "low",
        "high",
        "p",
        "smallest",
        "within",
        "p equivalent",
        "note",
    ]
    table = pd.DataFrame(lines, columns=[examinee, *columns])
    table.insert(table.columns.get_loc("p") + 1, "p (Holm)", stats.apply_holm(table["p"]))
    is_different = table["p (Holm)"] < 1 - level
    is_equivalent = table["p equivalent"] < 1 - level
    choices = {"both": is_different & is_equivalent, "different": is_different}
    choices["equivalent"] = is_equivalent
    verdicts = np.select(list(choices.values()), list(choices), "open")
    table.insert(table.columns.get_loc("note"), "verdict", verdicts)
    return table


def bound_gaps(side: pd.DataFrame, one: pd.DataFrame, axis: str) -> Iterator[pd.Series]:
    """The items' differences of two sides, at their least and at their largest."""
    tables = [count_passes(samples, (), axis).set_index("task") for samples in (side, one)]
    for ends in (("least", "most"), ("most", "least")):
        rates = [table[end] / table["planned"] for table, end in zip(tables, ends, strict=True)]
        yield (rates[0] - rates[1]).dropna()


@dataclass(frozen=True)
class Rasch:
    """log odds that examinee j passes item i = ability j - difficulty i; abilities have mean 0.

    ability: with its `error`, a row per examinee. difficulty: by item; unmeasured: items that all
    samples pass or fail, which have none. spread: the standard deviation of abilities. dispersion:
    Pearson's chi-square by its degrees of freedom; beyond 1 the samples of an examinee on an item
    are alike for reasons that the model does not know, and errors are larger by its root.
    """

    ability: pd.DataFrame
    difficulty: pd.Series
    unmeasured: tuple[str, ...]
    spread: float
    dispersion: float

    def measure_information(self, ability: ArrayLike) -> Array:
        """I = sum over items of p (1 - p): what one answer to each item tells at these abilities.

        1 / sqrt(I) is the standard error of an ability from one answer to each item.
        """
        chance = special.expit(np.subtract.outer(np.asarray(ability), self.difficulty.to_numpy()))
        return np.asarray((chance * (1 - chance)).sum(axis=-1))


def fit_rasch(passes: pd.DataFrame, examinee: str) -> Rasch:
    """The Rasch model of `count_passes` by marginal maximum likelihood; abilities are normal.

    Where a sample is undecided, the examinee counts as not asked for the item; without any item
    that has a difficulty it has no ability. The integral is a sum over NODES; abilities are their
    means given the data (Bock and Aitkin 1981). KitError for fewer than LEAST_EXAMINEES.
    """
    decided = passes[passes["least"] == passes["most"]]
    wide = decided.pivot(index=examinee, columns="task", values=["passed", "n"]).fillna(0)
    rates = wide["passed"].sum() / wide["n"].sum()
    telling = rates.index[rates.between(0, 1, inclusive="neither")]
    wide = wide[wide["n"][telling].any(axis=1)]
    if len(wide) < LEAST_EXAMINEES or telling.empty:
        raise KitError(
            f"Got {len(wide)} examinees and {len(telling)} items that some pass and some fail. A "
            f"Rasch model needs {LEAST_EXAMINEES} examinees and one item: add runs of more models."
        )
    passed = wide["passed"][telling].to_numpy(dtype=float)
    n = wide["n"][telling].to_numpy(dtype=float)
    begin = np.append(-special.logit(rates[telling].to_numpy(dtype=float)), 0.0)
    limits = [(-20.0, 20.0)] * len(telling) + [(-5.0, 3.0)]
    fit = optimize.minimize(
        _deviate, begin, (passed, n), jac=True, method="L-BFGS-B", bounds=limits
    )
    if not fit.success:
        raise KitError(f"The Rasch model did not converge ({fit.message}). Leave out rare items.")
    difficulty = fit.x[:-1]
    spread = float(np.exp(fit.x[-1]))
    nodes = spread * NODES
    _, posterior = _weigh_nodes(nodes, difficulty, passed, n)
    ability = posterior @ nodes
    chance = special.expit(ability[:, None] - difficulty)
    expected = n * chance * (1 - chance)
    residuals = (passed - n * chance) ** 2 / np.where(n > 0, expected, 1)
    freedom = max(1, int((n > 0).sum()) - len(telling) - len(wide))
    dispersion = residuals[n > 0].sum() / freedom
    error = np.sqrt(max(1.0, dispersion) / expected.sum(axis=1))
    abilities = pd.DataFrame({"ability": ability, "error": error}, index=wide.index)
    unmeasured = tuple(rates.index.difference(telling))
    return Rasch(abilities, pd.Series(difficulty, telling), unmeasured, spread, dispersion)


def _weigh_nodes(nodes: Array, difficulty: Array, passed: Array, n: Array) -> tuple[Array, Array]:
    """Each examinee's log likelihood, and its posterior weight of each node."""
    eta = nodes[:, None] - difficulty
    prior = -(NODES**2) / 2
    logs = passed @ eta.T - n @ np.logaddexp(0, eta).T + prior - special.logsumexp(prior)
    whole = special.logsumexp(logs, axis=1)
    return whole, np.exp(logs - whole[:, None])


def _deviate(parameters: Array, passed: Array, n: Array) -> tuple[float, Array]:
    """Minus the log likelihood and its gradient; parameters: difficulties, then the log spread."""
    difficulty = parameters[:-1]
    nodes = np.exp(parameters[-1]) * NODES
    whole, posterior = _weigh_nodes(nodes, difficulty, passed, n)
    chance = special.expit(nodes[:, None] - difficulty)
    by_item = (posterior.T @ n) * chance - posterior.T @ passed
    slope = (by_item.sum(axis=1) * nodes).sum()
    return -whole.sum(), np.append(-by_item.sum(axis=0), slope)
