"""OSS-Bench's suite: a model edits the functions of a C project, one task per function."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.records import Cell, Evidence, Judgement, Sample, Status, Task, Trial, content_key
from kit.core.store import Store, slot_of
from kit.core.versions import version_of
from kit.generation.base import Messages, Model
from kit.run.suite import Go, Loaded, Settings, Suite, define_option
from kit.sandbox import Limits, Sandbox
from kit.systems.ossbench import builds, extract, mock_models, scores, source, verdicts
from kit.systems.ossbench.builds import (
    SHARE,
    Sampling,
    SwitchedProject,
    TrialExecution,
    summarise_run,
)
from kit.systems.ossbench.project import CProject, open_project, pinned_package
from kit.systems.ossbench.source import ARMS, Edit, index_of
from kit.systems.ossbench.testsuite import detectable_faults
from kit.systems.ossbench.toolchain import Workshop

DECIDES = "kit.systems.ossbench.verdicts"
RELEASE = "source_version"  # in the arm of samples of another release than the pinned one


@dataclass(frozen=True)
class CProjectSettings(Settings):
    """What is asked, of which project, and how its tests are run with the answers."""

    prompt: str = define_option(
        "improve",
        "Prompt variant; paper makes the paper's demands alone, contamination executes nothing.",
        choices=ARMS,
    )
    template: str | None = define_option(
        None, "File with a prompt of yours: system, a line ---, question with {function}."
    )
    max_tokens: int | None = define_option(
        None, "Maximum tokens per answer; default: not sent.", least=1
    )
    project: str = define_option(
        "cjson", "C project: cjson, sqlite, php, or a folder with a project.py."
    )
    tests: str = define_option(
        "quick", "Test runs: quick, all, another choice of the project, or a pattern of names."
    )
    checkout: str | None = define_option(None, "Your own source tree; default: Debian's package.")
    source_version: str = define_option(
        "", "Debian source version; default: that of the recorded runs."
    )
    scale: str = define_option(
        "kit",
        "How length and changed lines are counted; paper: as its released code does.",
        choices=("kit", "paper"),
    )
    longest: int = define_option(
        256,
        "Maximum length of an edited function in tokens; --scale paper: below so many words.",
        least=10,
    )
    weights: str = define_option(
        "", "Weights of build, tests, memory and a changed line; default: equal, and 0.1."
    )
    deduction: float | None = define_option(
        None, "Points that an alert costs; default: 0.69, of SQLite 0.19.", least=0.0
    )
    least_changed: float = define_option(
        0.5, "Changed lines a function, below which a model is not ranked.", least=0.0
    )
    iterations: int = define_option(
        1000, "Number of test runs, each with a random set of edits.", least=1
    )
    until: float | None = define_option(
        None,
        "Stop at this width of the 95% interval (percentage points); default: never.",
        least=0.0,
    )
    share: float = define_option(
        SHARE, "Share of functions edited per iteration.", least=0.0, most=1.0
    )
    mode: str = define_option(
        "schemata", "How edits are compiled.", choices=("schemata", "rebuild")
    )
    full: bool = define_option(False, "Build every edit with a full rebuild.")
    only_reaching: bool = define_option(
        False, "Run only the tests that reach an edited function of the iteration."
    )
    fuzz: int = define_option(0, "Number of fuzzer inputs per fuzzed iteration.", least=0)
    fuzzed: int = define_option(20, "Number of iterations that are fuzzed.", least=1)
    draw: str = define_option(
        "sample", "Choice of edits per iteration.", choices=("sample", "all", "alone")
    )
    draw_seed: int = define_option(0, "Seed of the random sets of edits.", least=0)

    @property
    def arm(self) -> dict[str, Any]:
        """How the model was asked; what is done with its answers tells no samples apart."""
        columns = {f.name for f in fields(Settings)} | {"project"}
        if self.source_version not in ("", pinned_package(self.project).version):
            columns.add(RELEASE)
        arm = {name: value for name, value in super().arm.items() if name in columns}
        if self.template:
            arm["prompt"] = source.template_name(Path(self.template))
        return arm


class CProjectSuite(Suite):
    """Functions of a C project, to be rewritten.

    given: a project and its functions that are open already.
    """

    name = "ossbench"
    Settings: ClassVar[type[Settings]] = CProjectSettings
    limits = Limits(ptrace=True)
    language = "c"
    repeats = False  # one edit's verdict rests on many iterations; these are its repeats
    loading = ("project", "checkout", "source_version", "scale", "longest", "tests")

    def __init__(
        self,
        settings: CProjectSettings | None = None,
        given: tuple[CProject, pd.DataFrame] | None = None,
    ) -> None:
        self.settings = settings or CProjectSettings()
        scores.parse_weights(self.settings.weights)
        self.given = given
        self.older: dict[str, Any] = {}  # the release that replayed answers come from, if another

    def with_settings(self, settings: Any) -> Suite:
        return CProjectSuite(settings, self.given)

    @cached_property
    def project(self) -> CProject:
        if self.given:
            return self.given[0]
        settings = self.settings
        checkout = Path(settings.checkout) if settings.checkout else None
        return open_project(
            settings.project,
            checkout=checkout,
            version=settings.source_version,
            tests=settings.tests,
        )

    @cached_property
    def rows(self) -> dict[int, dict[Any, Any]]:
        """Function index -> its line of the project's table."""
        if self.given:
            table = self.given[1]
        else:
            tokens = (extract.TOKENS[0], self.settings.longest)
            words = self.settings.scale == "paper"
            table = extract.kept_functions(self.project, tokens=tokens, words=words)
        return {int(row["function_index"]): dict(row) for row in table.to_dict("records")}

    @property
    def variant(self) -> str:
        arm = self.settings.prompt.removeprefix("improve")
        return f"{Path(self.settings.project).name}-{arm}".strip("-")

    def about(self) -> dict[str, Any]:
        return {
            "project": self.project.name,
            "version": self.project.version,
            "faults_seen": detectable_faults(self.project),
            "older": self.older,
        }

    def model(self, spec: str) -> Model | None:
        """identity, saboteur, or hands:DIR."""
        if spec in ("identity", "saboteur") or spec.startswith("hands:"):
            return mock_models.Editor(spec)
        return None

    def load(self, path: Path | None = None) -> Loaded:
        """One task a function; a folder of tasks has no place here."""
        if path is not None:
            raise KitError("OSS-Bench reads a project's source. Use --checkout DIR, not --data.")
        name, version = self.settings.project, self.project.version
        recorded = pinned_package(name).version
        notes = []
        if not self.given and version != recorded:
            notes.append(
                f"The source of {name} is {version} here, {recorded} in the recorded runs; "
                "runs of different versions do not compare."
            )
        return Loaded(self.name, tuple(map(self._build_task, self.rows.values())), tuple(notes))

    def forecast(self, samples: int) -> str:
        """Hours of building and testing, by what these took in the last run on this machine."""
        settings = self.settings
        if settings.prompt == "contamination":
            return ""
        pace = builds.read_pace(self.project)
        if pace is None:
            return (
                "How long building and testing take is known after a first run of these tests, "
                "such as --model identity --limit 4 --iterations 1."
            )
        iterations = settings.iterations if settings.draw == "sample" else samples
        return pace.describe(samples, iterations)

    def read_settings(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Of the version that the run was made of, whichever the archive has by now."""
        settings = super().read_settings(meta)
        if settings.get("checkout"):
            return settings
        return {**settings, "source_version": meta.get("version", "")}

    def adopt_answers(self, samples: Sequence[Sample]) -> list[Sample]:
        """Answers to functions of another release are those to the same functions of this one.

        A function is the same where its file, name, text and comment are; what was answered to a
        changed function is an answer to no task of this release.
        """
        pinned = pinned_package(self.settings.project).version
        by_release: dict[str, list[Sample]] = {}
        for sample in samples:
            by_release.setdefault(sample.arm.get(RELEASE, pinned), []).append(sample)
        here = self.settings.source_version or pinned
        own_tasks = {source.function_key(row): index for index, row in self.rows.items()}
        adopted = []
        for release, group in by_release.items():
            if release == here and not self.settings.checkout:
                adopted += group
                continue
            older = replace(self.settings, source_version=release, checkout=None)
            rows = CProjectSuite(older).rows
            changes = source.compare_functions(rows.values(), self.rows.values())
            self.older = {"version": release, **changes}
            for sample in group:
                row = rows.get(index_of(sample.task))
                index = own_tasks.get(source.function_key(row)) if row else None
                if index is not None:
                    arm = {name: v for name, v in sample.arm.items() if name != RELEASE}
                    if RELEASE in self.settings.arm:
                        arm[RELEASE] = here
                    adopted.append(replace(sample, task=self._task_id(index), arm=arm))
        return adopted

    def _task_id(self, function_index: int) -> str:
        return f"{self.project.name}:{function_index:05d}"

    def _build_task(self, row: Mapping[str, Any]) -> Task:
        return Task(
            id=self._task_id(row["function_index"]),
            suite=self.name,
            prompt=row["original_function"],
            tests=verdicts.TESTS,
            title=row["name"],
            domain=row["path"],
            source=row["filepath"],
        )

    def prompt(self, task: Task, slot: Sample) -> Messages:
        template = Path(self.settings.template) if self.settings.template else None
        return source.build_messages(
            self.rows[index_of(task.id)],
            arm=slot.arm.get("prompt", "improve"),
            template=template,
        )

    def trials(
        self,
        tasks: Mapping[str, Task],
        samples: Iterable[Sample],  # noqa: ARG002
        box: Sandbox,
        store: Store,
    ) -> Iterator[Sequence[Trial]]:
        """Builds, the original's tests, iterations, the fuzzer, and what they say of each edit.

        An answer without its function has failed to build, so answers are read from the store. Of
        several answers a function the first ones are edits of one project, the second of another.
        """
        planned = [name for name in store.frame()["task"].unique() if name in tasks]
        store.set_meta(functions=len(planned), **self.about())
        groups = self._collect_answers(tasks, store)
        probe = []
        for answers in groups.values():
            probe += [s for s in answers.values() if s.arm.get("prompt") == "contamination"]
        project = self.project
        scores.keep_probe(store, probe, self.rows, project.name, project.markers)
        if probe or not groups:
            return
        shop = Workshop(box, self.project)
        store.set_meta(compiler=shop.compiler)
        rows = {index: self.rows[index] for index in map(index_of, planned)}
        for number, answers in groups.items():
            work = SwitchedProject(shop, rows, {})
            yield from self._answer_trials(tasks, answers, work, store, number)

    def _answer_trials(
        self,
        tasks: Mapping[str, Task],
        answers: Mapping[int, Sample],
        work: SwitchedProject,
        store: Store,
        number: int,
    ) -> Iterator[Sequence[Trial]]:
        """The trials of one answer for each function; number: whether the first, the second, ..."""
        slots = {index: slot_of(answer) for index, answer in answers.items()}
        edits: dict[int, Edit] = {}
        attempts = []
        for index, answer in answers.items():
            edit, reason = self._read_edit(answer)
            if edit is not None:
                edits[index] = edit
            task = tasks[answer.task]
            attempts.append(self._build_trial(work, task, answer, edit, reason, slots))
        yield attempts
        values = builds.read_observed_values(store, attempts, "edits could not be built")
        if values is None:
            return
        good = {value["function_index"] for value in values if value["build"] == "success"}
        work.edits = {index: edit for index, edit in edits.items() if index in good}
        yield from Sampling(self.settings, work, slots, store, number).trials()
        tables = scores.select_answer(scores.read_tables(store), number)
        facts = verdicts.collect_edit_facts(tables)
        yield [
            _make_verdict_trial(tasks[answer.task], answer, facts[index], slots)
            for index, answer in answers.items()
        ]

    def _collect_answers(
        self, tasks: Mapping[str, Task], store: Store
    ) -> dict[int, dict[int, Sample]]:
        """The first answer for each function, then the second; KitError where there are two."""
        groups: dict[int, dict[int, Sample]] = {}
        for sample in store.samples():
            if sample.task not in tasks or sample.status.is_infrastructure_failure:
                continue
            index = index_of(sample.task)
            answers = groups.setdefault(sample.index, {})
            if index in answers:
                raise KitError(
                    f"The run has two edits of {sample.task}, but can only build "
                    "one. Give each its own run with --run NAME."
                )
            answers[index] = sample
        return {number: dict(sorted(groups[number].items())) for number in sorted(groups)}

    def _read_edit(self, sample: Sample) -> tuple[Edit | None, str]:
        """The edit that an answer is, or the sentence that says why it is none."""
        row = self.rows[index_of(sample.task)]
        if sample.status != Status.COMPLETED:
            return None, sample.note
        beside = source.defined_in(self.project.tree / row["path"])
        text, reason = source.function_in(sample.code, row["name"], beside)
        if reason:
            return None, reason
        return Edit.of(row, text), ""

    def _build_trial(
        self,
        work: SwitchedProject,
        task: Task,
        sample: Sample,
        edit: Edit | None,
        reason: str,
        slots: Mapping[int, str],
    ) -> Trial:
        index = index_of(task.id)
        full = self.settings.full
        text = edit.text if edit else ""
        key = content_key(self.project.version, self.rows[index]["filepath"], text, reason, full)
        execution = TrialExecution(partial(work.build, sample, edit, reason, full=full), slots)
        return Trial(key, (Cell(task, task.tests[0], sample),), "build", index, execution)

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:  # noqa: ARG002 - Workshop has it
        evidence: Evidence = trial.data.run()
        return evidence

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        value = evidence.observed.value
        if evidence.status.is_infrastructure_failure or value is None:
            return Judgement(
                tuple(verdicts.of_missing_evidence(c.test.id, evidence) for c in trial.cells)
            )
        if trial.kind == "build":
            return Judgement(tuple(verdicts.of_build(value) for _ in trial.cells))
        if trial.kind == "edit":
            return Judgement(tuple(verdicts.of_edit(c.test.id, value) for c in trial.cells))
        if trial.kind == "schemata":
            return Judgement(data=value)
        if trial.kind == "coverage":
            return Judgement()
        slots = trial.data.slots
        owners = []
        for *_, edits in value["alerts"]:
            owners.append(tuple(slots[n] for n in edits if n in slots))
        findings = tuple(verdicts.alerts_to_findings(value["alerts"]))
        return Judgement((), findings, tuple(owners), summarise_run(value))

    def identity(self, cell: Cell) -> str:
        return content_key(cell.test, version_of(DECIDES, within=(DECIDES,)))

    def version(self, task: Task) -> str:
        return content_key(self.project.version, task.id, version_of(DECIDES, within=(DECIDES,)))

    def scores(
        self,
        store: Store,
        *,
        by: Sequence[str],
        k: Sequence[int],
        rng: np.random.Generator,
        n_boot: int,
    ) -> pd.DataFrame:
        """Scores of build, tests and memory, raw and chained; or what a probe counts."""
        return scores.measure_run(store, by=by, k=k, rng=rng, n_boot=n_boot)

    def selfcheck(self, tasks: Sequence[Task], go: Go) -> tuple[dict[str, Any], str]:
        result = mock_models.validate(
            self.rows, tasks, replace(self.settings, prompt="improve"), go
        )
        return result, mock_models.format_result(result)


def _make_verdict_trial(
    task: Task, sample: Sample, facts: Mapping[str, Any], slots: Mapping[int, str]
) -> Trial:
    """What the iterations say of one edit: a cell for each test but the build."""
    cells = tuple(Cell(task, test, sample) for test in task.tests if test.id != "build")
    execution = TrialExecution(partial(verdicts.build_evidence, facts), slots)
    return Trial(content_key("edit", facts), cells, "edit", index_of(task.id), execution)
