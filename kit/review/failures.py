"""The failure audit: raters code a stratified sample of failed tests by mechanism."""

from functools import partial
from pathlib import Path

import ipywidgets as W
import numpy as np
import pandas as pd

from kit.core.paths import DATA, path_to_write
from kit.core.records import Reason
from kit.explore import Explorer
from kit.explore.blind import draw_evenly
from kit.explore.labels import AGENT_CODES, CODES, DECIDED, OTHER, AgentCode, Mechanism
from kit.explore.rating import (
    AGREEMENT,
    LINES,
    WIDE,
    Field,
    Rating,
    RatingForm,
    RatingKind,
    measure_agreement,
)
from kit.scoring import stats
from kit.scoring.reduce import NO_PROGRAM
from kit.scoring.stats import wilson_interval

STRATUM = ["kind", "language"]
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {  # codes that the paper counts together
    "functional": {"at the contract": ("envelope", "interface", "path", "exception", "export")},
    "security": {"guarded": ("partial guard", "wrong layer")},
}
FILE = DATA / "reviews" / "failures.jsonl"
RADIO = partial(W.RadioButtons, layout=WIDE)
FAILURE = RatingKind(
    ["run", "slot", "test"],
    [
        Mechanism("code", widget=RADIO),
        AgentCode("agent", widget=RADIO),
        Field("note", widget=LINES),
    ],
    facts=["kind", "language", "weight", "actions"],
)
LIMITS = ["share", "low", "high"]


def has_program(frame: pd.DataFrame) -> pd.Series:
    """Of each test, whether there was a program that has what the task asks for."""
    return ~frame["status"].isin(NO_PROGRAM) & (frame["reason"] != Reason.LACKING)


def select_failed(frame: pd.DataFrame) -> pd.DataFrame:
    """The failed tests of a run, without those of answers that have no such program."""
    failed = (frame["outcome"] == "fail") & has_program(frame)
    return frame[failed].reset_index(drop=True)


def draw_failures(failed: pd.DataFrame, n: int, *, rng: np.random.Generator) -> pd.DataFrame:
    """n failed tests, equally many per kind and language (as far as available), shuffled.

    See `kit.explore.blind.draw_evenly`.
    """
    return draw_evenly(failed, n, by=STRATUM, rng=rng)


def limit_share(count: int, of: int) -> dict[str, float]:
    """The share with Wilson's limits."""
    share = wilson_interval(count, of)
    return {"share": share.estimate, "low": share.low, "high": share.high}


def summarize_codes(codes: pd.DataFrame) -> pd.DataFrame:
    """For each kind and code: the number of drawn failures, Wilson's limits, the weighted share.

    Uses one code per failure: that of the first rater by name. The weighted share estimates that of
    all failures of the run; the limits treat drawn failures as independent.
    """
    single = codes.sort_values("rater", kind="stable").drop_duplicates(["slot", "test"])
    rows = []
    for kind, part in single.groupby("kind", sort=True):
        groups = {code: (code,) for code in CODES[kind] | OTHER} | GROUPS[kind]
        for name, members in groups.items():
            mine = part[part["code"].isin(members)]
            row = {"kind": kind, "code": name, "failures": len(mine), "of": len(part)}
            weighted = mine["weight"].sum() / part["weight"].sum()
            rows.append(row | limit_share(len(mine), len(part)) | {"weighted": weighted})
    return pd.DataFrame(rows, columns=["kind", "code", "failures", "of", *LIMITS, "weighted"])


def summarize_agent_codes(codes: pd.DataFrame) -> pd.DataFrame:
    """For each reason why an agent handed a failing program in: its share, as in
    `summarize_codes`, over both kinds of test. No rows without a failure of an agent.
    """
    of_agents = codes[codes["actions"] > 0]
    single = of_agents.sort_values("rater", kind="stable").drop_duplicates(["slot", "test"])
    rows = []
    for code in AGENT_CODES | OTHER if len(single) else ():
        mine = single[single["agent"] == code]
        row = {"code": code, "failures": len(mine), "of": len(single)}
        weighted = mine["weight"].sum() / single["weight"].sum()
        rows.append(row | limit_share(len(mine), len(single)) | {"weighted": weighted})
    return pd.DataFrame(rows, columns=["code", "failures", "of", *LIMITS, "weighted"])


def compare_raters(codes: pd.DataFrame) -> pd.DataFrame:
    """Raw agreement and AC1 of the raters on the failures that all coded, by kind, with limits."""
    rows = []
    for kind, part in codes.groupby("kind", sort=True):
        wide = part.pivot(index=["slot", "test"], columns="rater", values="code").dropna()
        categories, rng = len(CODES[kind] | OTHER), stats.seed("agreement on mechanisms")
        if measured := measure_agreement(wide, by="slot", categories=categories, rng=rng):
            rows.append({"kind": kind, "failures": len(wide), "raters": wide.shape[1], **measured})
    return pd.DataFrame(rows, columns=["kind", "failures", "raters", *AGREEMENT])


def count_partly_secure(frame: pd.DataFrame) -> pd.DataFrame:
    """The share of insecure programs that pass another security test; needs no rater.

    By language, of several models by model and language, and over all. The paper's interpretation:
    their defences do not cover every case. Wilson's limits. No rows without an insecure program.
    """
    if frame["model"].nunique() > 1:
        frame = frame.assign(language=frame["model"] + ", " + frame["language"])
    decided = (frame["kind"] == "security") & frame["outcome"].isin(DECIDED)
    tests = frame[decided & has_program(frame)]
    passed = (tests["outcome"] == "pass").groupby([tests["language"], tests["slot"]])
    programs = passed.agg(["all", "any"]).reset_index()
    insecure = programs[~programs["all"]]
    rows = []
    for language, part in [*insecure.groupby("language", sort=True), ("all", insecure)]:
        if len(part):
            row = {"language": language, "insecure": len(part), "partly": part["any"].sum()}
            rows.append(row | limit_share(int(row["partly"]), len(part)))
    return pd.DataFrame(rows, columns=["language", "insecure", "partly", *LIMITS])


def compare_with_paper(summary: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Failures at the output contract: the paper's count, out of its claims, and ours."""
    claims = printed.set_index("claim")["value"]
    count = int(claims["functional failures of the output contract"])
    of = int(claims["functional failures audited"])
    paper = {"source": "paper", "failures": count, "of": of, **limit_share(count, of)}
    ours = summary[summary["code"] == "at the contract"].assign(source="ours")
    table = pd.DataFrame([paper, *ours.to_dict("records")])
    return table[["source", "failures", "of", *LIMITS]].rename(
        columns={"failures": "at the contract"}
    )


class FailureAudit:
    """A random sample of a run's failed tests for raters to code, and the summary of the codes.

    n failures are drawn with the text `seed`. codes: the raters' file; default:
    data/reviews/failures.jsonl. data: another folder of the suite's items. failed, drawn: the run's
    failed and drawn tests; partial: its programs that are partly secure; form: a rater's widgets.
    """

    def __init__(self, run: str, *, n: int, seed: str, codes: str = "", data: str = "") -> None:
        self.run, self.path = run, Path(codes) if codes else path_to_write(FILE)
        explorer = Explorer.of(run, data=data)
        self.failed = select_failed(explorer.rows)
        self.partial = count_partly_secure(explorer.rows)
        self.drawn = draw_failures(self.failed, n, rng=stats.seed(f"{seed} {run}"))

        def draw_case(failure: Rating) -> str:
            return explorer.case(failure["slot"], failure["test"])

        listed = W.Dropdown(description="failure")
        self.form = RatingForm(FAILURE, self.path, listed, draw_case)
        actions = explorer.traces.actions.groupby("slot").size()
        counts = self.drawn["slot"].map(actions).fillna(0).astype(int)
        self.form.offer(self.drawn.assign(run=run, actions=counts), "task", "test", "cwe")

    @property
    def words(self) -> pd.DataFrame:
        """The last code of each rater for each failure."""
        codes = FAILURE.read(self.path)
        return codes[codes["run"] == self.run]

    @property
    def summary(self) -> pd.DataFrame:
        """The share of each kind and code, with Wilson's limits, and weighted to all failures."""
        return summarize_codes(self.words)

    @property
    def agent_summary(self) -> pd.DataFrame:
        """The share of each reason why an agent handed in a program that fails."""
        return summarize_agent_codes(self.words)

    @property
    def agreement(self) -> pd.DataFrame:
        """Raw agreement and Gwet's AC1 of the raters, by kind."""
        return compare_raters(self.words)

    def at_contract(self, printed: pd.DataFrame) -> pd.DataFrame:
        """Failures at the output contract: the paper's count, out of its claims, and ours."""
        return compare_with_paper(self.summary, printed)
