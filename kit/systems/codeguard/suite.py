"""CodeGuard+'s suite: a program to complete, with unit tests, exploits and static analysis."""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import SUITES
from kit.core.records import (
    Cell,
    Evidence,
    Judgement,
    Sample,
    Status,
    Task,
    Test,
    Trial,
    content_key,
)
from kit.core.store import Store
from kit.core.versions import version_of
from kit.generation.answering import with_response
from kit.generation.base import Messages, Model, Response
from kit.generation.local import PREFIXES, LocalModel
from kit.harness.box_files import list_inboxes
from kit.oracle import sast
from kit.run import clones
from kit.run.suite import LABELS, Loaded, Settings, Suite, define_option
from kit.sandbox import Limits, Sandbox
from kit.systems.codeguard import answers, execute, item, official, preset, scan, scores
from kit.systems.codeguard.decode.model import BEAMS, METHODS, DecodingModel
from kit.systems.codeguard.decode.request import DecodingSettings as Decoding
from kit.systems.codeguard.engines import measure_engines
from kit.systems.codeguard.item import KINDS, CompletionItem

HOME = SUITES / "codeguard"
SECURITY = ("both", "sast", "exploit")
NEEDED = (  # fields of task.json that a verdict cannot do without: their kind, an example
    ("title", str, '"Serve a file"'),
    ("sast", dict, '{"cwes": ["CWE-22"], "rules": {}}'),
)


@dataclass(frozen=True)
class CompletionSettings(Settings):
    """How completions are generated, and which oracle decides that they are secure."""

    max_tokens: int | None = define_option(
        None, "Tokens per completion; default: not sent.", least=1
    )
    decoding: str | None = define_option(
        None, "Decoding method of a local model; default: chat.", choices=METHODS
    )
    width: int | None = define_option(
        None, "Outputs per decoding run; default: 25 beams, or 1 sample.", least=1
    )
    beams: int | None = define_option(None, "Beams; default: as many as outputs.", least=1)
    again: int | None = define_option(
        None, "Maximum redraws per prompt if constraints are not met; default: none.", least=1
    )
    iterations: int | None = define_option(None, "Iterations of MuCoLA; default: 500.", least=1)
    prefix: str | None = define_option(
        None, "Trained prefix of SVEN; default: none.", choices=PREFIXES
    )
    preset: str | None = define_option(
        None,
        "Prompts, key phrases and numbers of the paper, for a clone of its repository (--data); "
        "decoding default: constrained.",
        choices=tuple(preset.PRESETS),
    )
    security: str = define_option("both", "Security oracle.", choices=SECURITY)
    engine: str = define_option("best", "Static analysis engine.", choices=("best", *sast.ENGINES))
    unasked = ("security", "engine")

    def __post_init__(self) -> None:
        for name, number in self.preset_numbers.items():
            if getattr(self, name, 0) is None:
                object.__setattr__(self, name, number)

    @property
    def preset_numbers(self) -> dict[str, Any]:
        """The numbers of the preset; empty without one."""
        return preset.read_numbers(self.preset, self.decoding) if self.preset else {}


class CompletionSuite(Suite):
    """Programs in Python and C to complete.

    settings: the security oracle, its engine and, for a local model, the decoding. items: id ->
    task as read from its folder; loaded on first use.
    """

    name = "codeguard"
    Settings: ClassVar[type[Settings]] = CompletionSettings
    limits: Limits = execute.LIMITS
    labels = HOME
    completes = True
    loading = ("security", "engine", "preset")
    measured_tests = frozenset({scan.SAST})

    def __init__(self, settings: CompletionSettings | None = None) -> None:
        self.settings = settings or self.Settings()
        self._items: dict[str, CompletionItem] = {}

    @property
    def items(self) -> dict[str, CompletionItem]:
        if not self._items:
            self.load(self.data)
        return self._items

    @property
    def run_sizes(self) -> Mapping[str, int]:
        stated = self.settings.preset_numbers
        return {name: stated[name] for name in ("n", "seeds") if stated}

    def about(self) -> dict[str, Any]:
        return {} if self.labels == HOME else {"data": str(self.labels.resolve())}

    def load(self, path: Path | None = None) -> Loaded:
        named = self.settings.preset
        if named:
            path = clones.clone_of(path, preset.PRESETS[named]["source"], "data/base")
        self.labels = root = path or HOME
        problems: list[str] = []
        quarantined: list[str] = []
        self._items = {}
        if official.is_clone(root):
            loaded, problems = official.read_clone(root)
            self._items = {entry.id: entry for entry in loaded}
            if named:
                self._items = preset.select_items(named, self._items)
            for task, reason in official.read_quarantine().items():
                if task in self._items:
                    quarantined.append(task)
                    counts = f" (it counts; task_{preset.QUARANTINED}: yes)" if named else ""
                    problems.append(f"{task} is quarantined{counts}: {reason}")
        for folder in sorted(p.parent for p in root.glob("*/task.json")):
            try:
                entry = item.read_task(folder)
                for field, kind, example in NEEDED:
                    value = entry.about.get(field)
                    if not isinstance(value, kind) or field == "sast" and "cwes" not in value:
                        raise KitError(
                            f'{folder / "task.json"} has no valid "{field}". '
                            f'Write "{field}": {example} there.'
                        )
                answers.merge_constraints(entry)
            except KitError as error:
                problems.append(str(error))
                continue
            if self.settings.security == "exploit" and "exploit" not in entry.tests:
                problems.append(f"{entry.id} has no exploit test, so --security exploit skips it.")
                continue
            self._items[entry.id] = entry
        if not self._items:
            raise KitError(f"No completion tasks in {root}; it should hold <id>/task.json.")
        tasks = {task: self._build_task(entry) for task, entry in self._items.items()}
        if named:  # what the paper counts stays in, and a column says which tests misjudge
            for task in tasks:
                fact = {preset.QUARANTINED: "yes" if task in quarantined else "no"}
                tasks[task] = replace(tasks[task], facts=fact)
            quarantined = []
        self.aside = tuple(tasks.pop(task) for task in quarantined)
        return Loaded(self.name, tuple(tasks.values()), tuple(problems))

    def _build_task(self, entry: CompletionItem) -> Task:
        files = {f"{kind}.tests": text.encode() for kind, text in entry.tests.items()}
        files |= {f"fixtures/{path}": data for path, data in entry.fixtures.items()}
        tests = []
        for kind in KINDS:
            if kind in entry.tests and (kind, self.settings.security) != ("exploit", "sast"):
                cwe = entry.cwe if kind == "exploit" else ""
                tests.append(Test(kind, KINDS[kind], cwe=cwe, behavior="The test functions pass."))
        if self.settings.security != "exploit" and entry.language in item.ENDINGS:
            tests.append(scan.make_test(entry))
        return Task(
            entry.id,
            self.name,
            entry.prompt,
            tuple(tests),
            title=entry.about["title"],
            domain=entry.language,
            files=files,
            source=entry.about.get("source", ""),
        )

    def model(self, spec: str) -> Model | None:
        """A local model with the decoding method that is set. KitError for another model."""
        s = self.settings
        provider, _, name = spec.partition(":")
        if not s.decoding or s.preset and provider == "replay":  # it was decoded when recorded
            return None
        if provider != "local":
            named = f"--preset {s.preset}" if s.preset else "--decoding"
            raise KitError(
                f"{named} needs a local model, and {spec} is not local. Leave {named} out, "
                "or use --model local."
            )
        constraints = {}
        for entry in self.items.values():
            prompt = entry.prompt + answers.next_line_indentation(entry)
            constraints[prompt] = answers.merge_constraints(entry)
        source = LocalModel.read_spec(name, prefix=s.prefix or "")
        beams = Decoding.beams
        if s.decoding in BEAMS:
            beams = s.beams or s.width or beams
        iterations = s.iterations or Decoding.iterations
        patience = max(1, iterations // 10)
        settings = Decoding(
            beams=beams, iterations=iterations, patience=patience, stop=answers.STOP
        )
        return DecodingModel(
            s.decoding,
            constraints,
            settings,
            source,
            s.width,
            s.again or 0,
            as_published=bool(s.preset),
        )

    def language_of(self, task: str) -> str:
        return self.items[task].language

    def prompt(self, task: Task, slot: Sample) -> Messages:
        return answers.build_messages(self.items[task.id], raw=bool(slot.arm.get("decoding")))

    def sample(self, slot: Sample, response: Response) -> Sample:
        answered = with_response(slot, response)
        if answered.status is Status.REFUSED:
            return answered
        program = answers.assemble_program(
            self.items[slot.task],
            response.text,
            raw=bool(slot.arm.get("decoding")),
            truncated=response.truncated,
        )
        if not program:
            note = "The answer holds no completion."
            return replace(answered, status=Status.EXTRACTION_ERROR, note=note)
        return replace(answered, status=Status.COMPLETED, code=program)

    def mark_phrases(self, sample: Sample) -> str:
        """A completion as HTML with its key phrases: green if required, red if forbidden."""
        constraints = answers.merge_constraints(self.items[sample.task])
        text = html.escape(sample.response)
        for phrases, colour in (
            (constraints.positive, "#bfe5bf"),
            (constraints.negative, "#f3b7b7"),
        ):
            for phrase in map(html.escape, phrases):
                text = text.replace(phrase, f"<mark style='background:{colour}'>{phrase}</mark>")
        arm = ", ".join([sample.model, *filter(None, [sample.arm.get("decoding")])])
        heading = f"{sample.task}, {arm}, sample {sample.index}: {sample.status}"
        return f"<p><b>{html.escape(heading)}</b></p><pre>{text}</pre>"

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        """One round: a trial per program and test file, and static analysis trials per language."""
        units: list[Trial] = []
        scanned: list[tuple[Cell, CompletionItem]] = []
        for sample in samples:
            entry = self.items[sample.task]
            for test in tasks[sample.task].tests:
                cell = Cell(tasks[sample.task], test, sample)
                if test.id == scan.SAST:
                    scanned.append((cell, entry))
                else:
                    contents = (
                        entry.tests[test.id],
                        entry.fixtures,
                        entry.libraries,
                        entry.language,
                    )
                    runner = _code_version(_runner_module(entry))
                    key = content_key(test.id, contents, sample.code, box.identity, runner)
                    units.append(Trial(key, (cell,), data=entry))
        yield [*units, *scan.plan_trials(scanned, self.settings.engine, store)]

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        if trial.kind == scan.SAST:
            evidence: Evidence = trial.data(box)
            return evidence
        cell = trial.cells[0]
        if _runner_module(trial.data) == "official":
            return official.run_tests(box, trial.data, cell.sample.code)
        return execute.run_tests(box, trial.data, cell.sample.code, cell.test.id)

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        if trial.kind == scan.SAST:
            return scan.judge(trial.cells, self.items, evidence)
        kind = trial.cells[0].test.id
        if _runner_module(trial.data) == "official":
            return Judgement((official.judge_evidence(evidence),) * len(trial.cells))
        verdict = execute.judge_evidence(kind, trial.data.names(kind), evidence)
        return Judgement((verdict,) * len(trial.cells))

    def identity(self, cell: Cell) -> str:
        entry = self.items[cell.task.id]
        unit = cell.test.id in KINDS
        decides: Any = entry.tests[cell.test.id] if unit else entry.about["sast"]
        part = _code_version(_runner_module(entry) if unit else "scan")
        return content_key(cell.test, decides, entry.prompt, cell.sample.code, part)

    def version(self, task: Task) -> str:
        labelled = self._read_labelled_completions(task.id, self.labels)
        return content_key(_code_version(), list(map(vars, labelled)))

    def _read_labelled_completions(self, task: str, folder: Path) -> tuple[item.Labelled, ...]:
        if _runner_module(self.items[task]) == "official":
            return official.make_labelled_completions(self.items[task])
        if (folder / task / "completions/labels.json").exists():
            return item.read_labelled_completions(folder / task)
        return ()

    def references(
        self, tasks: Sequence[Task], folder: Path = HOME
    ) -> tuple[list[Sample], pd.DataFrame]:
        """Labelled completions, with their labels for unit and exploit tests."""
        samples = []
        rows = []
        for task in tasks:
            for completion in self._read_labelled_completions(task.id, folder):
                arm = {"program": completion.file}
                samples.append(
                    Sample(
                        task.id,
                        "reference",
                        language=self.language_of(task.id),
                        arm=arm,
                        code=task.prompt + completion.text,
                        label=completion.kind,
                    )
                )
                outcomes = {"functional": completion.functional, "exploit": completion.secure}
                for test in task.tests:
                    if test.id in outcomes:
                        row = (
                            task.id,
                            completion.file,
                            completion.kind,
                            test.id,
                            test.kind,
                            test.cwe,
                        )
                        rows.append((*row, outcomes[test.id], completion.why))
        return samples, pd.DataFrame(rows, columns=LABELS)

    def measured(
        self,
        tasks: Sequence[Task],
        samples: Sequence[Sample],
        rows: pd.DataFrame,
        box: Sandbox,
        store: Store,
    ) -> tuple[dict[str, Any], str]:
        """Every engine measured against the labels and compared with the exploit tests.

        For a clone: the official tests' verdicts on correct programs and on empty bodies. With the
        setting security="exploit" no engine is measured, so that authors of labels see no rates.
        """
        if any(_runner_module(self.items[t.id]) == "official" for t in tasks):
            return official.report_misjudgements(rows)
        if self.settings.security == "exploit":
            return {}, ""
        engines = measure_engines(self.items, tasks, samples, box, store)
        return engines.as_records(), engines.text()

    def scores(
        self,
        store: Store,
        *,
        by: Sequence[str],
        k: Sequence[int],
        rng: np.random.Generator,
        n_boot: int,
    ) -> pd.DataFrame:
        facts = scores.collect_sample_facts(store, self.items)
        return scores.measure_samples(store.frame(), facts, by=by, k=k, rng=rng, n_boot=n_boot)


def _runner_module(entry: CompletionItem) -> str:
    """The module that runs the task's tests: "official", or "execute"."""
    return "official" if "official" in entry.about else "execute"


def _code_version(part: str = "execute") -> str:
    """Version of the code that runs tests ("execute", "official") or reads findings ("scan")."""
    places = ("kit/systems/codeguard/inbox", *list_inboxes())
    rooms = (f"kit.systems.codeguard.{part}", "kit.systems.codeguard.item", "kit.harness")
    return version_of(f"kit.systems.codeguard.{part}", within=rooms, placed=places)
