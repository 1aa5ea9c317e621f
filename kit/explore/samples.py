"""The samples of a run: what the explorer, the page and a comparison list, count and show."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path

import pandas as pd

from kit.core.records import Finding, Sample, Task, Test
from kit.core.store import Store
from kit.explore import render
from kit.generation.base import Messages
from kit.run.suite import Suite
from kit.run.suites import of_run, question_of, tasks_of
from kit.scoring import measures
from kit.scoring.reduce import NO_PROGRAM, OF_A_TEST

QUADRANTS = {
    (True, True): "correct and secure",
    (True, False): "correct but insecure",
    (False, True): "secure but wrong",
    (False, False): "neither",
}
UNDECIDED = "undecided"
PLACES = (*QUADRANTS.values(), UNDECIDED)
# Columns that are no arm of a suite's own.
FIXED = {*OF_A_TEST, *"suite task sample domain label slot model language quadrant".split()}
MOST = 40  # values of an arm column by which samples can be chosen


def assign_quadrants(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per sample with its quadrant; undecided if one of its axes is."""
    rows = measures.summarize_samples(frame)
    axes = zip(rows["functional"], rows["secure"], strict=True)
    return rows.assign(quadrant=[QUADRANTS.get(pair, UNDECIDED) for pair in axes])


def count_quadrants(quadrants: pd.Series) -> pd.DataFrame:
    """By quadrant the number of samples, and their share in whole per cent."""
    counts = quadrants.value_counts().reindex(PLACES, fill_value=0)
    shares = 100 * counts / max(len(quadrants), 1)
    return pd.DataFrame({"samples": counts, "percent": shares.map("{:.0f} %".format)})


def find_arms_to_choose(frame: pd.DataFrame) -> list[str]:
    """The suite's own columns in which samples differ, in few values."""
    values = frame.drop(columns=FIXED, errors="ignore").nunique()
    return list(values.index[values.between(2, MOST)])


def list_samples(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per sample, by slot, in planned order; texts are untrusted.

    rows: a run's tidy table with the quadrants. answer: the name of its program, or its model and
    number. failed: the number of tests that failed, or that no program was there for.
    """
    first = rows.drop_duplicates("slot").set_index("slot")
    is_failed = rows["outcome"].eq("fail") | rows["status"].isin(list(map(str, NO_PROGRAM)))
    failed = is_failed.groupby(rows["slot"]).sum()
    answers = first["model"].str.cat(first["sample"].astype(str), sep=" #")
    if "program" in first:
        answers = first["program"].mask(first["program"].isna(), answers)
    table = first[["quadrant", "task"]].assign(answer=answers)
    if "language" in first:
        table["language"] = first["language"].fillna("")
    return table.assign(failed=failed.astype(int), tests=rows["slot"].value_counts())


@dataclass(frozen=True)
class OpenRun:
    """A run that is read, with what the pages of its samples need beside it.

    references: (task, language) -> code of the secure reference, for the diff. suite: has its tasks
    loaded; it says what a model was asked.
    """

    store: Store
    tasks: Mapping[str, Task]
    references: Mapping[tuple[str, str], str]
    suite: Suite | None = None

    @classmethod
    def of(cls, run: str, data: str = "") -> "OpenRun":
        """A run by name or folder; data: another folder of the suite's tasks."""
        store = Store(run, write=False)
        suite = of_run(store)
        tasks = list(tasks_of(store, Path(data) if data else None, suite))
        references = {}
        for sample in suite.references(tasks)[0]:
            if sample.label == "secure":
                references[sample.task, sample.language] = sample.code
        return cls(store, {task.id: task for task in tasks}, references, suite)

    @cached_property
    def findings(self) -> dict[str, list[Finding]]:
        """The findings of each sample, by slot."""
        by_slot: dict[str, list[Finding]] = {}
        names = [field.name for field in fields(Finding)]
        for row in self.store.findings().to_dict("records"):
            finding = Finding(**{name: row[name] for name in names} | {"flow": tuple(row["flow"])})
            for slot in row["slots"]:
                by_slot.setdefault(slot, []).append(finding)
        return by_slot

    def read_cells(self, slot: str, tests: Iterable[Test]) -> list[render.Row]:
        """Each of these tests of a sample, with its evidence and its verdict."""
        return [(test, *self.store.cell(slot, test.id)) for test in tests]

    def ask(self, sample: Sample) -> Messages:
        """What the model was asked for this sample; nothing without a task or a suite."""
        task = self.tasks.get(sample.task)
        if not (task and self.suite):
            return ()
        return question_of(self.store, self.suite, task, sample)

    def show_test(self, slot: str, test: str, *, quadrant: str = "") -> str:
        """One test of one sample as a page; also a test that is no longer in the task."""
        sample = self.store.sample(slot)
        if sample is None:
            return "This sample was not generated."
        task = self.tasks[sample.task]
        tests = {each.id: each for each in task.tests}
        if test:
            tests.setdefault(test, Test(test, "functional"))
        return render.make_sample_html(
            task,
            sample,
            self.read_cells(slot, tests.values()),
            test,
            reference=self.references.get((task.id, sample.language), ""),
            found=self.findings.get(slot, ()),
            quadrant=quadrant,
            question=self.ask(sample),
        )

    def show_blind(self, slot: str, test: str, *, with_evidence: bool) -> str:
        """One test of one sample as a page without the program's author and without a verdict."""
        sample = self.store.sample(slot)
        assert sample is not None
        task = self.tasks[sample.task]
        shown = Sample(task.id, "program", language=sample.language, code=sample.code)
        case = {each.id: each for each in task.tests}.get(test, Test(test, "functional"))
        evidence = self.store.cell(slot, test)[0] if with_evidence else None
        return render.make_sample_html(task, shown, [(case, evidence, None)], test, blind=True)

    def show_beside(self, slot: str, title: str, *, test: str = "") -> str:
        """One sample with all its tests, `test` in full, as a part of a page that compares."""
        sample = self.store.sample(slot)
        if sample is None:
            return "The other sample was not generated."
        rows = self.read_cells(slot, self.tasks[sample.task].tests)
        findings = self.findings.get(slot, ())
        return render.make_sample_html(
            None, sample, rows, test, title=title, found=findings, whole=False
        )
