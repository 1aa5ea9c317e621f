"""Makes each build of a job once, and runs an edit, the tests or a fuzzer on it.

Edits are put to the tests in groups: which ones, in what order, and until when.
"""

import contextlib
import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

import numpy as np

from kit.core import records
from kit.core.errors import KitError
from kit.core.paths import replace_whole
from kit.core.records import Evidence, Observed, Sample, Status, Trial, content_key
from kit.core.store import Store
from kit.systems.ossbench import reach, schemata, scores, testsuite, toolchain
from kit.systems.ossbench.fuzz import Fuzzer, fuzz_mode
from kit.systems.ossbench.original import Original
from kit.systems.ossbench.project import CProject
from kit.systems.ossbench.schemata import Schemata
from kit.systems.ossbench.source import Edit, differing_lines, function_key, index_of
from kit.systems.ossbench.testsuite import ProjectTests, SuiteResult
from kit.systems.ossbench.toolchain import Build, Checked, Checker, Workshop

Row = Mapping[str, Any]
T = TypeVar("T")
SHARE = 0.01
BATCH = 10  # iterations between two looks at `until`


class shared(cached_property[T]):  # noqa: N801 - a property, written as one
    """A property that is made once, whichever of several threads asks for it first."""

    lock = RLock()

    def __get__(self, instance: object, owner: type | None = None) -> T:  # type: ignore[override]
        with self.lock:
            return super().__get__(instance, owner)


@dataclass(frozen=True)
class Pace:
    """Seconds that this machine took for one edit's check, and for the tests of the original."""

    edit_s: float
    tests_s: float

    def describe(self, edits: int, iterations: int) -> str:
        """How long so many edits and iterations take, in a sentence."""
        hours = (edits * self.edit_s + iterations * self.tests_s) / 3600
        return (
            f"Building and testing take about {hours:.1f} hours here: {edits} edits at "
            f"{self.edit_s:.1f} s, {iterations} iterations at {self.tests_s:.0f} s."
        )


def read_pace(project: CProject) -> Pace | None:
    """What the last run of these tests took; None where there was none."""
    place = _place_pace(project)
    return Pace(**json.loads(place.read_text())) if place.exists() else None


def _place_pace(project: CProject) -> Path:
    names = content_key([run.name for run in project.runs])[:16]
    return toolchain.builds_folder(project) / f"pace-{names}.json"


class SwitchedProject:
    """The original, and one build with every compilable edit behind a switch.

    rows: function index -> its line of the table. edits: those that compile, by function index.
    """

    def __init__(self, shop: Workshop, rows: Mapping[int, Row], edits: Mapping[int, Edit]) -> None:
        self.shop, self.rows, self.edits = shop, rows, edits
        self.readers = toolchain.units_by_path((r["path"], r["units"]) for r in rows.values())
        self.last = max(rows, default=0)
        self.check_seconds: list[float] = []  # of each edit, on one core

    @shared
    def checker(self) -> Checker:
        checker = Checker(self.shop, self.readers)
        _ = checker.baseline, checker.libraries  # before several threads ask for them
        return checker

    @shared
    def schemata(self) -> Schemata:
        return schemata.plan_switches(self.shop, self.edits.values())

    @shared
    def original(self) -> ProjectTests:
        suite = self._build_suite(self.shop, {})
        if suite.note:
            raise KitError(f"The original of {suite.project.name} does not build: {suite.note}")
        return suite

    @shared
    def switched(self) -> ProjectTests:
        return self._build_suite(self.shop, self.schemata.texts)

    @shared
    def fuzzers_by_purpose(self) -> dict[str, Fuzzer]:
        """The fuzzed program without any edit, and with every edit behind its switch."""
        builds: dict[str, Mapping[str, str]] = {"fuzz baseline": {}, "fuzz": self.schemata.texts}
        return {
            name: Fuzzer.build(self.shop, texts, self.readers, last=self.last)
            for name, texts in builds.items()
        }

    def _build_suite(
        self, shop: Workshop, texts: Mapping[str, str], *, marked: bool = False
    ) -> ProjectTests:
        programs, note = testsuite.build_programs(
            shop, texts, self.readers, last=self.last, marked=marked
        )
        return ProjectTests(shop, programs, note)

    @contextlib.contextmanager
    def suite(self, chosen: Sequence[int], mode: str) -> Iterator[ProjectTests]:
        """The build in which these edits can be in force: the shared one, or one of their own.

        Where no build with switches can be had at all, every iteration gets its own.
        """
        rebuilt = self.schemata.rebuilt if mode == "schemata" else self.edits
        replaced = [self.edits[n] for n in chosen if n in rebuilt]
        behind = [self.edits[n] for n in chosen if n not in rebuilt]
        if not replaced and not self.switched.note:
            yield self.switched
            return
        if behind and self.switched.note:
            replaced += behind
            behind = []
        with self.shop.open_scratch() as shop:
            yield self._build_suite(shop, schemata.render_files(shop, behind, replaced))

    def build(self, sample: Sample, edit: Edit | None, reason: str, *, full: bool) -> Evidence:
        """How the build of one edit ended; an answer without its function has not built."""
        row = self.rows[index_of(sample.task)]
        checked = Checked(Build.FAILURE, f"extraction: {reason}")
        if edit is not None:
            checker = self.checker  # which builds the original first
            start = time.perf_counter()
            checked = checker.check(edit, full=full)
            self.check_seconds.append(time.perf_counter() - start)
        status = sample.status
        if checked.build == Build.FAILURE and status == Status.COMPLETED:
            status = Status.COMPILE_ERROR
        value = {
            "function_index": row["function_index"],
            "name": row["name"],
            "path": row["path"],
            "function": function_key(row),
            "build": str(checked.build),
            "why": checked.reason,
            "changed": edit.changed_line_count if edit else 0,
            "differing": differing_lines(row["original_function"], sample.code),
        }
        return Evidence(
            status,
            note=checked.reason,
            isolation=self.shop.box.name,
            observed=Observed("value", value),
        )

    def plan(self) -> Evidence:
        """How each edit comes into force: by a switch, or why only by a rebuild."""
        modes = {str(edit.index): "switch" for edit in self.schemata.switched}
        for index, reason in self.schemata.rebuilt.items():
            modes[str(index)] = reason
        return Evidence(Status.COMPLETED, observed=Observed("value", {"modes": modes}))

    def baseline(self) -> Evidence:
        """Which tests the original passes, and how long each test run takes."""

        def run() -> Evidence:
            result = self.original.run_original()
            return self._build_evidence(result, (), "original", result.tests)

        return self._record(self.original, run)

    @shared
    def marked_tests(self) -> ProjectTests:
        """The original, in which every function says when it runs first, like an edit."""
        same = []
        for row in self.rows.values():
            same.append(Edit.of(row, row["original_function"]))
        texts = schemata.mark_functions(self.shop, same)
        return self._build_suite(self.shop, texts, marked=True)

    def coverage(self) -> Evidence:
        """Which functions each test run of the original reaches, and each test."""
        run = partial(reach.measure_reach, self.marked_tests)
        return self._record(self.marked_tests, run, *self._list_serial_runs())

    def name_coverage(self) -> str:
        """What tells one coverage from another: the functions, and how tests are told apart."""
        return content_key(sorted(self.rows), *self._list_serial_runs())

    def _record(self, suite: ProjectTests, run: Callable[[], Evidence], *more: Any) -> Evidence:
        """What the tests of a build without edits showed, run once for each build and choice."""
        programs = {name: path.parent.name for name, path in suite.programs.items()}
        parts = (programs, suite.note, self._list_runs(), testsuite.runtime_identity(), *more)
        place = self.shop.shared / f"original-{content_key(parts)}.json"
        if not place.exists():
            replace_whole(place, json.dumps(records.to_json(run())))
        return records.evidence_from(json.loads(place.read_text()))

    def _list_runs(self) -> list[Any]:
        return [(run.name, run.program, run.argv) for run in self.shop.project.runs]

    def _list_serial_runs(self) -> list[Any]:
        return [run.serial for run in self.shop.project.runs if run.serial]

    def record_pace(self, original: Original) -> None:
        """Keep what checks and tests took, for the forecast of another run."""
        if not self.check_seconds:
            return
        edit_s = sum(self.check_seconds) / len(self.check_seconds) / toolchain.CORES
        pace = Pace(edit_s, sum(original.seconds.values()) / toolchain.CORES)
        replace_whole(_place_pace(self.shop.project), json.dumps(asdict(pace)))

    def run_iteration(
        self, chosen: Sequence[int], mode: str, original: Original, *, only_reaching: bool
    ) -> Evidence:
        """The tests with these edits in force, those first that reach an edited function.

        only_reaching: tests that reach none are not run, and end as they did in the original.
        """
        reaching, others = original.plan_runs(chosen)
        narrowed: Mapping[str, Sequence[str]] = {}
        unchanged: set[str] = set()
        if only_reaching:
            plan = original.plan_tests(chosen)
            reaching, others = list(plan), []
            narrowed = original.select_narrowed(plan)
            unchanged = set(original.passing).difference(*plan.values())
        with self.suite(chosen, mode) as suite:
            result = suite.run(chosen, [*reaching, *others], tests=narrowed)
        result = replace(result, tests={**dict.fromkeys(unchanged, True), **result.tests})
        if only_reaching:
            mode = original.describe_selection(mode, chosen)
        return self._build_evidence(result, chosen, mode, original.passing)

    def fuzz(self, purpose: str, chosen: Sequence[int], mode: str, inputs: int) -> Evidence:
        result = self.fuzzers_by_purpose[purpose].run(chosen, inputs=inputs)
        return self._build_evidence(result, chosen, mode, ())

    def _build_evidence(
        self, result: SuiteResult, chosen: Sequence[int], mode: str, expected: Iterable[str]
    ) -> Evidence:
        alerts: dict[str, list[Any]] = {}
        for alert, owners in result.alerts:
            row = [alert.kind, alert.group, list(alert.frames), list(owners)]
            alerts.setdefault(alert.key, row)
        wanted = sorted(expected)
        passing: list[str] = []
        failed: list[str] = []
        for test in wanted:
            if result.tests.get(test):
                passing.append(test)
            else:
                failed.append(test)
        value = {
            "mode": mode,
            "edits": sorted(chosen),
            "executed": sorted(result.executed),
            "rate": result.pass_rate(wanted),
            "planned": len(wanted),
            "failed": failed,
            "ended": dict(result.ended),
            "note": result.note,
            "fuzzed": dict(result.fuzzed),
            "passing": [] if chosen else passing,
            "seconds": {} if chosen else dict(result.seconds),
            "alerts": list(alerts.values()),
        }
        return Evidence(
            Status.COMPLETED,
            wall_s=result.wall_s,
            isolation=self.shop.box.name,
            observed=Observed("value", value),
        )

    def key(self, purpose: str, number: int, chosen: Sequence[int], mode: str) -> str:
        """The content key of a test run: project, edits in force, runtime, sanitizers."""
        texts = [(self.edits[n].path, self.edits[n].start, self.edits[n].text) for n in chosen]
        runs = self._list_runs()
        return content_key(
            self.shop.project.version,
            self.shop.compiler,
            testsuite.runtime_identity(),
            runs,
            purpose,
            number,
            texts,
            mode,
        )


def summarise_run(value: Mapping[str, Any]) -> dict[str, Any]:
    """What the store keeps of a test run: failed tests as counts by module, and as a digest."""
    failed, planned = value["failed"], value["planned"]
    facts = {n: value[n] for n in ("mode", "edits", "executed", "rate", "ended", "note")}
    if value.get("fuzzed"):
        facts["fuzzed"] = value["fuzzed"]
    digest = hashlib.sha256(json.dumps(failed).encode()).hexdigest()[:16]
    return facts | {
        "passed": planned - len(failed),
        "planned": planned,
        "digest": digest,
        "modules": by_module(failed),
    }


def by_module(tests: Iterable[str]) -> dict[str, int]:
    """How many of these tests each module (what stands before the slash) has."""
    return dict(sorted(Counter(t.partition("/")[0] for t in tests).items()))


@dataclass(frozen=True)
class TrialExecution:
    """The call that executes a trial, and the slots of the samples that findings may concern."""

    run: partial[Evidence]
    slots: Mapping[int, str]


@dataclass(frozen=True)
class Sampling:
    """The runs of the tests in one job. settings: of the suite. slots: function index -> slot.

    answer: whose edits these are, the functions' first answers (0) or later ones.
    """

    settings: Any
    work: SwitchedProject
    slots: Mapping[int, str]
    store: Store
    answer: int = 0

    @property
    def first_number(self) -> int:
        """The number of the first iteration with this answer's edits."""
        return self.answer * scores.ANSWERS_APART

    def _own_trials(self, kind: str) -> list[dict[str, Any]]:
        """The stored trials of this kind with this answer's edits."""
        apart = scores.ANSWERS_APART
        return [t for t in self.store.trials(kind) if t["position"] // apart == self.answer]

    def trials(self) -> Iterator[Sequence[Trial]]:
        """Yield trials of the original, the iterations, the fuzzer; drop those of another draw."""
        edits = tuple(sorted(self.work.edits))
        mode = self.settings.mode
        base = self._make_trial("baseline", 0, (), "original", partial(self.work.baseline))
        plan = self._make_trial(
            "schemata", self.first_number, edits, "schemata", partial(self.work.plan)
        )
        functions = self.work.name_coverage()
        coverage = self._make_trial("coverage", 0, (), functions, partial(self.work.coverage))
        if edits:
            first = [base, coverage]
            if mode == "schemata" or self.settings.fuzz:
                first.append(plan)
            yield first
            values = read_observed_values(self.store, first, "runs of the original were lost")
            if values is None:
                return
            original = Original.of(values[0], values[1])
            project = self.work.shop.project
            if not original.passing:
                raise KitError(f"The original of {project.name} passes none of its tests.")
            self.work.record_pace(original)
            tests = original.describe(project, len(self.work.rows))
            self.store.set_meta(modules=by_module(original.passing), tests=tests)
        self._drop_stale_trials("baseline", {base.key})
        self._drop_stale_trials("coverage", {coverage.key})
        self._drop_stale_trials("schemata", {plan.key})
        samples = set()
        for trial in self._own_trials("sample"):
            number = trial["position"]
            samples.add(self.work.key("sample", number, self.draw(number), trial["mode"]))
        self._drop_stale_trials("sample", samples)
        if edits:
            yield from self._plan_iterations(original)
        if self.settings.fuzz:
            yield from self._plan_fuzzing()

    def _make_trial(
        self, kind: str, number: int, chosen: Sequence[int], mode: str, run: partial[Evidence]
    ) -> Trial:
        key = self.work.key(kind, number, chosen, mode)
        return Trial(key, (), kind, number, TrialExecution(run, self.slots))

    def _drop_stale_trials(self, kind: str, keys: Collection[str]) -> None:
        """Forget the trials of this kind that have none of these keys, which are today's."""
        stored = {trial["key"] for trial in self._own_trials(kind)}
        self.store.drop_trials(sorted(stored.difference(keys)))

    def _plan_iterations(self, original: Original) -> Iterator[list[Trial]]:
        mode, only_reaching = self.settings.mode, self.settings.only_reaching
        match self.settings.draw:
            case "sample":
                numbers = list(range(self.settings.iterations))
            case "alone":
                numbers = sorted(self.work.edits)
            case _:
                numbers = [0]
        numbers = [self.first_number + n for n in numbers]
        for end in range(BATCH, len(numbers) + BATCH, BATCH):
            trials = []
            for n in numbers[end - BATCH : end]:
                chosen = self.draw(n)
                label = original.describe_selection(mode, chosen) if only_reaching else mode
                run = partial(
                    self.work.run_iteration, chosen, mode, original, only_reaching=only_reaching
                )
                trials.append(self._make_trial("sample", n, chosen, label, run))
            yield trials
            if self.settings.until is not None:  # is the mean rate known as narrowly as asked?
                rates = {t["position"]: t["rate"] for t in self._own_trials("sample")}
                width = scores.interval_width([rates[n] for n in numbers[:end] if n in rates])
                if 100 * width < self.settings.until:
                    break

    def draw(self, number: int) -> tuple[int, ...]:
        """The edits of an iteration: the same for the same seed and number."""
        edits = sorted(self.work.edits)
        if self.settings.draw == "all" or not edits:
            return tuple(edits)
        if self.settings.draw == "alone":
            index = number - self.first_number
            return (index,) if index in edits else ()
        size = min(len(edits), max(1, round(self.settings.share * len(self.work.rows))))
        rng = np.random.default_rng([self.settings.draw_seed, number])
        return tuple(sorted(int(n) for n in rng.choice(edits, size=size, replace=False)))

    def _plan_fuzzing(self) -> Iterator[list[Trial]]:
        """Yield trials of the fuzzed original and of the switched edits of the first iterations."""
        inputs = self.settings.fuzz
        mode = fuzz_mode(self.work.shop.project, inputs)
        plans = self._own_trials("schemata")
        modes = plans[0]["modes"] if plans else {}
        switched: list[tuple[int, ...]] = []
        if "switch" in modes.values():
            for n in range(self.settings.fuzzed):
                edits = self.draw(self.first_number + n)
                switched.append(tuple(i for i in edits if modes.get(str(i)) == "switch"))
        groups: dict[str, list[tuple[int, ...]]] = {"fuzz baseline": [()], "fuzz": switched}
        for kind, group in groups.items():
            trials = []
            first = self.first_number if kind == "fuzz" else 0
            for n, chosen in enumerate(group, first):
                run = partial(self.work.fuzz, kind, chosen, mode, inputs)
                trials.append(self._make_trial(kind, n, chosen, mode, run))
            yield trials
            self._drop_stale_trials(kind, {trial.key for trial in trials})


def read_observed_values(store: Store, trials: Sequence[Trial], loss: str) -> list[Any] | None:
    """The observed values of these trials; None where one was not run.

    KitError that says `loss` where one was lost to a failure of ours: all that follows would rest
    on fewer.
    """
    evidences = [store.evidence(trial.key) for trial in trials]
    present = [evidence for evidence in evidences if evidence is not None]
    lost = [evidence for evidence in present if evidence.status.is_infrastructure_failure]
    if lost:
        raise KitError(
            f"{len(lost)} {loss}, by an infrastructure failure ({lost[0].note}). Rerun to continue."
        )
    if len(present) < len(evidences):
        return None
    return [evidence.observed.value for evidence in present]
