"""DualGauge's suite: a specification with paired functional and security tests."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
from pydantic import TypeAdapter

from kit import harness, oracle
from kit.core import form
from kit.core.errors import KitError
from kit.core.languages import EXTENSIONS, RUN
from kit.core.paths import REFERENCES, read_json
from kit.core.records import (
    Cell,
    Evidence,
    Judgement,
    Outcome,
    Sample,
    Task,
    Test,
    Trial,
    Verdict,
    cache_text,
    canonical_json,
    content_key,
    key_of,
)
from kit.core.store import Store
from kit.generation.base import Messages
from kit.harness import services
from kit.harness.planner import Planner
from kit.harness.wording import shorten_value
from kit.run.suite import LABELS, Loaded, Settings, Suite, define_option
from kit.run.suites import home_of
from kit.sandbox import Sandbox
from kit.sandbox.base import Command, Wrapped
from kit.systems.dualgauge import construction, spec
from kit.systems.dualgauge.item import LabelledProgram, expand_repeats

LABELLED = TypeAdapter(dict[str, LabelledProgram])
VARIANT = "variant"  # a kind of trial
ROUND = 20_000  # trials that are in memory at once; they take many minutes to execute


@dataclass(frozen=True)
class SpecSettings(Settings):
    """The language is a setting: each asks for the same specification."""

    language: str = define_option("python", f"Of the programs: {', '.join(RUN)}.")


@dataclass(frozen=True)
class VariantRun:
    """What a variant's trial follows: the first trial of its test, and what came of it.

    before: the verdict of the earlier runs. attack: the evidence of the test's own input.
    """

    first: Trial
    before: Verdict
    variant: Mapping[str, Any]
    attack: Evidence | None


class SpecSuite(Suite):
    """Specifications with paired tests. name: of the folder below data/suites.

    planner: a model that helps to call programs; None: parsing alone.
    """

    Settings: ClassVar[type[Settings]] = SpecSettings

    def __init__(self, name: str = "dualgauge", planner: Planner | None = None) -> None:
        self.name = name  # type: ignore[misc]
        self.planner = planner

    def load(self, path: Path | None = None) -> Loaded:
        self.folder = path or home_of(self.name)
        loaded = spec.load_items(self.folder)
        self.prompts = {task.id: task.prompt for task in loaded.tasks}
        return loaded

    def prompt(self, task: Task, slot: Sample) -> Messages:
        return spec.build_prompt(task, language=slot.language, arm=slot.arm.get("prompt", "plain"))

    def trials(
        self, tasks: Mapping[str, Task], samples: Iterable[Sample], box: Sandbox, store: Store
    ) -> Iterator[Sequence[Trial]]:
        """One trial per test and program text, then its variants in turn."""
        planner = self.planner.identity if self.planner else store.meta().get("planner", "")
        environments: dict[str, str] = {}

        def first_trials() -> Iterator[Trial]:
            for sample in samples:
                task = tasks[sample.task]
                if task.id not in environments:
                    environments[task.id] = environment_key(task, box, planner)
                for test in task.tests:
                    key = evidence_key(environments[task.id], task, test, sample)
                    yield Trial(key, (Cell(task, test, sample),))

        trials = first_trials()
        while batch := list(islice(trials, ROUND)):
            while batch:
                yield batch
                following = [self.next_trial(trial, store) for trial in batch]
                batch = [trial for trial in following if trial]

    def next_trial(self, trial: Trial, store: Store) -> Trial | None:
        """The next variant of a test, or None: variants run one after another until one fails."""
        first = trial.data.first if trial.kind == VARIANT else trial
        cell = first.cells[0]
        if len(cell.test.variants) <= trial.position:
            return None
        verdict = store.verdict(content_key(trial.key, self.identity(trial.cells[0])))
        if verdict is None or verdict.outcome is Outcome.FAIL:
            return None
        if not store.find_settled([trial.key]):
            return None
        variant = cell.test.variants[trial.position]
        attack = trial.data.attack if trial.kind == VARIANT else store.evidence(first.key)
        task, test = apply_variant(cell.task, cell.test, variant)
        cells = tuple(replace(each, task=task, test=test) for each in first.cells)
        key = content_key(first.key, VARIANT, variant, verdict.outcome)
        data = VariantRun(first, verdict, variant, attack)
        return Trial(key, cells, VARIANT, trial.position + 1, data, after=first.key)

    def execute(self, trial: Trial, box: Sandbox) -> Evidence:
        cell = trial.cells[0]
        start = harness.run_test if self.planner is None else partial(self.planner.run, home=box)
        wall_s = time_limit(cell.test)
        within = box if wall_s is None else Shortened(box, wall_s)
        sample = cell.sample
        evidence = start(within, cell.task, cell.test, sample.code, language=sample.language)
        if trial.kind == "test":
            return evidence
        tier, _, marks = evidence.isolation.rstrip(")").partition("(")
        marks = ", ".join(filter(None, (marks, f"variant {trial.data.variant['name']}")))
        return replace(evidence, isolation=f"{tier}({marks})")  # a mark that shows in every table

    def judge(self, trial: Trial, evidence: Evidence) -> Judgement:
        if trial.kind != VARIANT:
            return Judgement(tuple(self.verdict(cell, evidence) for cell in trial.cells))
        run = trial.data
        verdicts = []
        for cell in trial.cells:
            verdict = self.verdict(cell, evidence, run.attack)
            verdicts.append(join_verdicts(run.before, verdict, run.variant))
        return Judgement(tuple(verdicts))

    def verdict(self, cell: Cell, evidence: Evidence, attack: Evidence | None = None) -> Verdict:
        """Of one test of one program. attack: in a variant, the run of the test's own input."""
        language = cell.sample.language
        return oracle.judge(cell.task, cell.test, evidence, language=language, attack=attack)

    def identity(self, cell: Cell) -> str:
        """The test, what the task's tests expect (refusals depend on it), the oracle's version."""
        task, test = cell.task, cell.test
        expected = cache_text(
            task, "_hoped", lambda: canonical_json([t.expected for t in task.tests])
        )
        text = cache_text(test, "_text", lambda: canonical_json(test))
        decides = cache_text(
            test, "_decides", lambda: canonical_json(oracle.version(oracle.deciding(test)))
        )
        return key_of(text, expected, code_of(cell.sample), decides)

    def find_doubts(self, task: Task) -> list[str]:
        """Words, sentences that no test cites, and tests nearly alike, of a loaded task."""
        return construction.find_doubts(construction.read_item(self.folder / task.id))

    def version(self, task: Task) -> str:
        """Versions of the harness of each language that its references use, and of its oracles."""
        suffixes = {path.suffix for path in (self.labels / task.id).glob("*")}
        languages = {EXTENSIONS[suffix] for suffix in suffixes & EXTENSIONS.keys()}
        parts = set(map(oracle.deciding, task.tests))
        versions = list(map(harness.hash_language_sources, sorted(languages)))
        return content_key(versions, list(map(oracle.version, sorted(parts))))

    def references(
        self, tasks: Sequence[Task], folder: Path = REFERENCES
    ) -> tuple[list[Sample], pd.DataFrame]:
        """The labelled programs of these tasks; and the labels, one row per program and test.

        Raises KitError where labels.json and the task or the folder do not fit together.
        """
        samples = []
        rows: list[dict[str, Any]] = []
        for task in tasks:
            path = folder / task.id / "labels.json"
            if not path.exists():
                continue
            try:
                programs = form.validate_data(LABELLED, read_json(path))
            except form.Malformed as error:
                raise KitError(f"{path}: {error}") from None
            ids = [test.id for test in task.tests]
            for name, program in sorted(programs.items()):
                file = path.with_name(name)
                if file.suffix not in EXTENSIONS or not file.is_file():
                    raise KitError(f"{path} names {name}, which is not there.")
                samples.append(
                    Sample(
                        task.id,
                        "reference",
                        arm={"program": name},
                        code=file.read_text(),
                        language=EXTENSIONS[file.suffix],
                        label=program.kind,
                    )
                )
                unlabelled = [test for test in ids if test not in program.tests]
                if unlabelled:
                    raise KitError(f"{path}: {name} has no label for {', '.join(unlabelled)}.")
                strange = ", ".join(sorted(program.tests.keys() - ids))
                if strange:
                    raise KitError(f"{path}: {name} labels {strange}, no test of {task.id}.")
                body = {"task": task.id, "program": name, "kind_of_program": program.kind}
                for test in task.tests:
                    about = {"test": test.id, "kind": test.kind, "cwe": test.cwe}
                    rows.append({**body, **about, **program.tests[test.id].model_dump()})
        return samples, pd.DataFrame(rows, columns=LABELS)


def apply_variant(task: Task, test: Test, variant: Mapping[str, Any]) -> tuple[Task, Test]:
    """The task and its test as a variant has them: the same attack with another input, environment
    or probes. What a variant does not name stays as it is."""
    files = dict(task.files)
    for path, text in variant.get("files", {}).items():
        files[path] = text.encode()
    added = services.read_setup({"services": variant.get("services", [])}, files)
    changes: dict[str, Any] = {}
    if variant.keys() & {"input", "input_file_path"}:
        changes["input"] = expand_repeats(variant.get("input"))
        changes["input_file"] = variant.get("input_file_path", "")
    probes = tuple(variant.get("probes", test.probes))
    return (
        replace(task, files=files, services=(*task.services, *added)),
        replace(test, probes=probes, variants=(), **changes),
    )


def join_verdicts(before: Verdict, now: Verdict, variant: Mapping[str, Any]) -> Verdict:
    """The verdict of a test after one more variant. before: the verdict of the earlier runs.

    A fail stays, an unknown stays unless the variant fails, and a pass needs both.
    """
    if before.outcome is Outcome.UNKNOWN and now.outcome is not Outcome.FAIL:
        return before
    name = str(variant["name"])
    rests_on = tuple(dict.fromkeys((*before.rests_on, *now.rests_on, f"variant {name}")))
    if now.outcome is Outcome.PASS and before.outcome is Outcome.PASS:
        return replace(
            before, sentence=f"{before.sentence} So in the variant {name!r}.", rests_on=rests_on
        )
    of_input = f" (input {shorten_value(repr(variant['input']), 60)})" if "input" in variant else ""
    sentence = f"In the variant {name!r}{of_input}: {now.sentence}"
    return replace(now, sentence=sentence, rests_on=(*now.rests_on, f"variant {name}"))


def environment_key(task: Task, box: Sandbox, planner: str = "") -> str:
    """What all runs of a task share: its text, files, services, input shapes, sandbox.

    planner: the identity of a model that helps to call programs; "" for parsing alone.
    """
    inputs = [test.input for test in task.tests]
    within = (box.identity, planner) if planner else (box.identity,)
    return content_key(task.prompt, task.files, task.services, inputs, *within)


def code_of(sample: Sample) -> str:
    """The program as a part of keys."""
    return cache_text(sample, "_code", lambda: canonical_json(sample.code))


shared = cache(canonical_json)  # of the few texts that the keys of a whole run have in common


@cache
def harness_key_parts(language: str) -> tuple[str, str]:
    """What starts the programs of a language, as parts of keys."""
    return canonical_json(language), canonical_json(harness.hash_language_sources(language))


def evidence_key(environment: str, task: Task, test: Test, sample: Sample) -> str:
    """The identity of one execution: everything that can change its evidence, and nothing else."""

    def encode_input() -> str:
        recorded: list[Any] = [probe for probe in test.probes if "database" in str(probe)]
        recording = harness.choose_recording(task, test)
        if recording:
            recorded.append(recording)
        return canonical_json((test.input, test.input_file, recorded, time_limit(test)))

    text = cache_text(test, "_given", encode_input)
    parts = harness_key_parts(sample.language)
    return key_of(shared(environment), text, code_of(sample), *parts)


def time_limit(test: Test) -> float | None:
    """Seconds after which a run can only have failed: those of a top-level `ends_within`, and 1."""
    allowed = [probe["seconds"] for probe in test.probes if probe["probe"] == "ends_within"]
    return min(allowed) + 1 if allowed else None


class Shortened(Wrapped):
    """A box whose observed runs end at `wall_s`; a longer run, not a compiler's, shows no more."""

    def __init__(self, box: Sandbox, wall_s: float) -> None:
        super().__init__(box)
        self.wall_s = wall_s

    def perform(self, command: Command) -> Evidence:
        if not command.observe:
            return self.box.perform(command)
        wall_s = min(self.wall_s, command.limits.wall_s)
        return self.box.perform(replace(command, limits=replace(command.limits, wall_s=wall_s)))
