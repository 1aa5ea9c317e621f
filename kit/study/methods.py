"""A run of Java methods in the shapes of RealSec-bench's tables, and its alarms adjudicated."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from kit.generation.scripted import Scripted
from kit.oracle.adjudicate import Panel
from kit.paths import run_folder
from kit.suites.javarepo import ablation, prompting, tables
from kit.suites.javarepo.suite import JavaRepoSuite

VOTERS, CHIEF = ("credulous", "wordy", "careful"), "chief"


class Methods:
    """A run of `kit run realsec`: tables 2, 5, 6 and 7 over its own instances.

    run: a recording of data/runs, or the tidy table of a run. frame: with the category and the hops
    of each instance.
    """

    def __init__(self, run: str | pd.DataFrame) -> None:
        self._suite = JavaRepoSuite()
        self._suite.load()
        told = pd.read_csv(run_folder(run) / "tests.csv") if isinstance(run, str) else run
        self.frame = tables.described(told, list(self._suite.instances.values()))

    def scores(self, by: str, *, n_boot: int = 2000) -> pd.DataFrame:
        """pass@1, secure@1 and secure-pass@1 in % by one column, with bootstrap intervals."""
        return tables.scores(self.frame, [by], n_boot=n_boot)

    def retrieved(self, *retrievers: str) -> pd.DataFrame:
        """What each retriever shows of the first instance, as places in its repository."""
        first = self._suite.instance(self.frame["task"].iloc[0])
        return pd.Series(prompting.shown(first, retrievers), name=first.id).explode().to_frame()

    @cached_property
    def paired(self) -> tuple[pd.DataFrame, dict[str, Any]]:
        """McNemar's exact test of every arm against `origin`, and what so many tasks can show."""
        return tables.paired(self.frame)


@dataclass(frozen=True)
class Adjudicated:
    """Labelled Java methods, and what each witness concludes of them: pass or fail.

    rows: one a body that compiles. sast: an alarm; voters: the mean of their scores; judge: the
    final score; exploit: the test that attacks. judges: who they were.
    """

    rows: pd.DataFrame
    judges: Sequence[str]

    def rates(self, *, alarms: bool = True, n_boot: int = 2000) -> pd.DataFrame:
        """Precision, recall and F1 of each witness in %, over the alarms or over all bodies."""
        return ablation.table(self.rows, alarms=alarms, n_boot=n_boot)


def adjudicated(recorded: str, *, voters: str = "", final: str = "") -> Adjudicated:
    """A panel over the recorded alarms of a validation; KitError where there are none.

    voters, final: SPEC[@URL] of real models; without `final` scripted judges on this machine, which
    follow fixed rules.
    """
    suite = JavaRepoSuite()
    labels = suite.references(suite.load().tasks)[1]
    entries = ablation.load(run_folder(recorded), labels)
    with nullcontext() if final else Scripted(ablation.scripts()) as server:
        who = (voters, final) if server is None else (server.spec(*VOTERS), server.spec(CHIEF))
        rows = ablation.witnesses(entries, Panel.of(*who, {}))
    names = [f"{name} (scripted)" for name in (*VOTERS, CHIEF)]
    return Adjudicated(rows, [voters, final] if final else names)
