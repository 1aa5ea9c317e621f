"""The stages of a run: generate, execute and judge many tasks; results with a known key are kept.

Each stage writes under a content key and reads only the stage before: judging again never executes,
scoring again never judges. Threads only wait for sandboxes and servers; one thread writes.
"""

import errno
import sys
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from kit.core.errors import KitError
from kit.core.records import (
    Cell,
    Evidence,
    Judgement,
    Outcome,
    Reason,
    Sample,
    Status,
    Task,
    Trial,
    Verdict,
    content_key,
)
from kit.core.store import Store, slot_of
from kit.generation.base import UNRECORDED
from kit.generation.cost import BudgetReached
from kit.run.pool import Tally, run_in_pool
from kit.run.suite import Suite
from kit.run.suites import find_announced_suites
from kit.sandbox import Sandbox

if TYPE_CHECKING:
    from kit.run.judging import Judging, Planning

HOPELESS = 20  # infrastructure failures without a success, after which the stage stops
UNANSWERED = 5  # requests without an answer, after which the stage stops
NAMED = 5  # reasons that a tally names
AT_ONCE = 500  # trials whose cached results are recorded in one transaction
FULL = (errno.ENOSPC, errno.EDQUOT)


class Work(ABC):
    """What is to be done with each of many things, such as slots or trials.

    Things of equal key share one result. `title` names the work in messages.
    """

    title: str
    workers: int
    most_failures = HOPELESS  # infrastructure failures without a success, after which it stops
    is_patient = True  # after an interrupt it waits for the calls in flight

    @abstractmethod
    def key_of(self, thing: Any) -> str: ...

    @abstractmethod
    def is_known(self, thing: Any) -> bool: ...

    @abstractmethod
    def produce(self, thing: Any) -> Any:
        """The result for a thing; a thread calls it. BudgetReached ends the work cleanly."""

    @abstractmethod
    def write(self, things: list[Any], result: Any) -> str:
        """Store the result of these things; returns the cause of an infrastructure failure."""

    def count_units(self, _thing: Any) -> int:
        return 1

    def do_all(self, things: Iterable[Any]) -> Tally:
        """Do once what is not known yet; KitError if nothing but infrastructure failures result."""
        tally = Tally()
        todo: dict[str, list[Any]] = {}
        for thing in things:
            if self.is_known(thing):
                tally.cached += self.count_units(thing)
            else:
                tally.left += self.count_units(thing)
                todo.setdefault(self.key_of(thing), []).append(thing)
        reasons = Counter[str]()
        results = run_in_pool(
            lambda group: self.produce(group[0]),
            todo.values(),
            workers=self.workers,
            title=self.title,
            patient=self.is_patient,
        )
        try:
            for group, result in results:
                failure = self.write(group, result)
                units = sum(map(self.count_units, group))
                tally.left -= units
                if failure:
                    tally.infra += units
                    reasons[failure] += units
                else:
                    tally.fresh += units
                is_stuck = tally.infra >= self.most_failures and UNRECORDED not in failure
                if is_stuck and not tally.fresh and not tally.cached:
                    raise KitError(
                        f"The first {tally.infra} attempts to {self.title} had infrastructure "
                        f"failures: {failure} Fix the cause (`kit doctor` helps) and rerun to "
                        "continue."
                    )
            ended = ""
        except BudgetReached as stop:
            ended = str(stop)
        tally.note = "; ".join(filter(None, (list_reasons(reasons), ended)))
        return tally


def list_reasons(reasons: Counter[str]) -> str:
    """The reasons with their numbers, the most frequent one first; a single one alone."""
    if len(reasons) < 2:
        return "".join(reasons)
    named = [f"{reason} ({count})" for reason, count in reasons.most_common(NAMED)]
    others = reasons.total() - sum(count for _, count in reasons.most_common(NAMED))
    if others:
        named.append(f"other reasons ({others})")
    return "; ".join(named)


def has_answer(store: Store, slot: Sample) -> bool:
    """Whether the run already has the answer to this question."""
    old = store.sample(slot_of(slot))
    if old is None or old.status.is_infrastructure_failure:
        return False
    return old.asked in ("", slot.asked)


@dataclass
class Generation(Work):
    """Asks for an answer to each slot."""

    store: Store
    answer: Callable[[Sample], Sample]
    workers: int
    title = "generate"
    is_patient = False

    def __post_init__(self) -> None:
        self.most_failures = max(UNANSWERED, self.workers)

    def key_of(self, slot: Sample) -> str:
        return slot_of(slot)

    def is_known(self, slot: Sample) -> bool:
        return has_answer(self.store, slot)

    def produce(self, slot: Sample) -> Sample:
        return self.answer(slot)

    def write(self, slots: list[Sample], sample: Sample) -> str:
        self.store.put_sample(replace(sample, asked=slots[0].asked))
        if sample.status != Status.INFRA_ERROR:
            return ""
        return sample.note or "no answer"


def generate_answers(
    store: Store, planned: Sequence[Sample], answer: Callable[[Sample], Sample], *, workers: int = 4
) -> Tally:
    """Generate an answer for every planned slot without one; failed requests are retried.

    answer: slot -> Sample; it may raise BudgetReached, which ends the stage cleanly. A slot with a
    key in `asked` is answered only by a sample of the same key (or of a file without keys).
    """
    return Generation(store, answer, workers).do_all(planned)


def rounds_of_trials(
    store: Store, suite: Suite, tasks: Iterable[Task], box: Sandbox
) -> Iterator[list[Trial]]:
    """The trials of all stored programs, without duplicates, round by round."""
    by_id = {t.id: t for t in tasks}
    programs = (s for s in store.samples() if s.task in by_id and s.status == Status.COMPLETED)
    for part in suite.trials(by_id, programs, box, store):
        merged: dict[str, Trial] = {}
        cells: dict[str, list[Cell]] = {}
        for trial in part:
            merged.setdefault(trial.key, trial)
            cells.setdefault(trial.key, []).extend(trial.cells)
        yield [replace(trial, cells=tuple(cells[key])) for key, trial in merged.items()]


@dataclass
class Execution(Work):
    """Executes trials and judges them. `failed`: keys of those that the machine failed."""

    store: Store
    suite: Suite
    box: Sandbox
    workers: int
    title: str = "execute"
    settled: Set[str] = frozenset()
    failed: set[str] = field(default_factory=set)

    def key_of(self, trial: Trial) -> str:
        return trial.key

    def is_known(self, trial: Trial) -> bool:
        return trial.key in self.settled

    def produce(self, trial: Trial) -> Evidence:
        return run_one(self.suite, trial, self.box)

    def write(self, trials: list[Trial], evidence: Evidence) -> str:
        (trial,) = trials
        with self.store.transaction():  # an interrupt must not leave one without the other
            self.store.put_evidence(trial.key, evidence)
            self.write_verdicts(trial, is_new=True)
        if not evidence.status.is_infrastructure_failure:
            return ""
        self.failed.add(trial.key)
        return evidence.note or "no reason given"

    def write_verdicts(self, trial: Trial, *, is_new: bool) -> None:
        record_verdicts(self.store, self.suite, [trial], evidence_is_new=is_new)

    def count_units(self, trial: Trial) -> int:
        return max(1, len(trial.cells))


def evaluate_programs(
    store: Store,
    suite: Suite,
    tasks: Sequence[Task],
    box: Sandbox,
    *,
    workers: int = 2,
    keys: Set[str] | None = None,
) -> Tally:
    """Execute and judge every trial of every stored program, except those already known.

    keys: only the trials with these, and those that their verdicts ask for.
    Infrastructure failures are executed again after the others, one at a time, before they count.
    """
    total = Tally()
    for trials in rounds_of_trials(store, suite, tasks, box):
        selected = [t for t in trials if keys is None or keys & {t.key, t.after}]
        settled = store.find_settled(t.key for t in selected)
        record_verdicts(store, suite, [t for t in selected if t.key in settled])
        execution = Execution(store, suite, box, workers, settled=settled)
        tally = execution.do_all(selected)
        if execution.failed and tally.fresh and not tally.left:
            # The load of the other trials may be the cause: the failed ones again, one at a time.
            alone = Execution(store, suite, box, 1, "execute alone")
            alone.most_failures = sys.maxsize
            second = alone.do_all([t for t in selected if t.key in execution.failed])
            tally = replace(second, fresh=tally.fresh + second.fresh, cached=tally.cached)
        total += tally
        if tally.left:
            break
    return total


@dataclass
class Repetition(Execution):
    """One repeat of trials that were executed before; number 0 is the run's own execution."""

    number: int = 0

    def is_known(self, trial: Trial) -> bool:
        is_settled = trial.key in self.settled
        if is_settled:
            self.write_verdicts(trial, is_new=False)
        return is_settled

    def write_verdicts(self, trial: Trial, *, is_new: bool) -> None:
        for verdict in judge_trials(self.store, self.suite, [trial], evidence_is_new=is_new):
            slot = slot_of(verdict.cell.sample)
            test = verdict.cell.test.id
            self.store.put_repeat(slot, test, self.number, evidence=trial.key, verdict=verdict.key)

    def count_units(self, trial: Trial) -> int:
        return len(trial.cells)


def repeat_trials(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, *, times: int, workers: int = 2
) -> Tally:
    """Execute every settled trial `times` times in all, and judge each by the offline oracle.

    Repeats that the run has are not executed again. Each repeat executes equal programs once, and
    ends before the next begins, so that the machine is in another state each time.
    """
    total = Tally()
    settled = store.find_settled()
    trials = list(chain.from_iterable(rounds_of_trials(store, suite, tasks, box)))
    last: dict[tuple[str, str], str] = {}  # a test counts as its last variant shows it
    for trial in trials:
        for cell in trial.cells:
            last[slot_of(cell.sample), cell.test.id] = trial.key
    counted = settled.intersection(last.values())
    trials = [t for t in trials if t.key in (counted if t.cells else settled)]
    for number in range(times):
        title = f"repeat {number}"
        repetition = Repetition(store, suite, box, workers, title, settled, number=number)
        if number == 0:
            total += replace(repetition.do_all(trials), cached=0)
        else:
            again = [replace(t, key=content_key(t.key, "repeat", number)) for t in trials]
            total += repetition.do_all(again)
    return total


def run_one(suite: Suite, trial: Trial, box: Sandbox) -> Evidence:
    """One execution; a failure of the machine or the kit becomes infra_error, with its cause.

    A full disk ends the stage: every trial after it would fail too.
    """
    from kit.harness import installs  # who prints a table runs no program

    try:
        return suite.execute(trial, installs.equip_box(box, trial.cells))
    except (OSError, KitError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        return Evidence(Status.INFRA_ERROR, note=f"{type(error).__name__}: {error}")
    except BudgetReached:
        raise
    except Exception as error:  # one cell must not end a long run; it is printed and counted
        return Evidence(Status.INFRA_ERROR, note=report_defect("harness", trial, error))


def report_defect(part: str, trial: Trial, error: Exception) -> str:
    """Print that a part of the kit failed; returns the sentence."""
    name = f"{trial.kind} {trial.position}"
    if trial.cells:
        name = f"{trial.cells[0].task.id} {trial.cells[0].test.id}"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    sentence = (
        f"The kit's {part} failed at {name}: {type(error).__name__}: "
        f"{str(error)[:200]} ({frame.name}, line {frame.lineno}). Please report it."
    )
    click.echo(f"kit: {sentence}", err=True)
    return sentence


def judge(store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox) -> Tally:
    """Judge the stored evidence again without executing anything."""
    tally = Tally()
    for trials in rounds_of_trials(store, suite, tasks, box):
        settled = store.find_settled(trial.key for trial in trials)
        executed = []
        for trial in trials:
            if trial.key in settled:
                executed.append(trial)
            else:
                tally.left += len(trial.cells)
        tally.fresh += record_verdicts(store, suite, executed)
    return tally


@dataclass(frozen=True)
class CellVerdict:
    """The key of the offline verdict on a cell, over the evidence of its trial."""

    trial: Trial
    cell: Cell
    key: str
    is_new: bool


def record_verdicts(
    store: Store, suite: Suite, trials: Sequence[Trial], *, evidence_is_new: bool = False
) -> int:
    """Write the verdicts of these trials, which have evidence; returns the number of new ones."""
    new = 0
    for start in range(0, len(trials), AT_ONCE):
        with store.transaction():
            part = trials[start : start + AT_ONCE]
            verdicts = judge_trials(store, suite, part, evidence_is_new=evidence_is_new)
            store.put_cells(
                (slot_of(v.cell.sample), v.cell.test.id, v.trial.key, v.key, not evidence_is_new)
                for v in verdicts
            )
        new += sum(verdict.is_new for verdict in verdicts)
    return new


def judge_trials(
    store: Store, suite: Suite, trials: Sequence[Trial], *, evidence_is_new: bool
) -> list[CellVerdict]:
    """Judge the stored evidence of these trials; verdicts that are known already are kept.

    evidence_is_new: verdicts over an earlier infrastructure failure are not kept.
    """
    keys = [[verdict_key(suite, trial, cell) for cell in trial.cells] for trial in trials]
    decided = set() if evidence_is_new else store.find_decided(chain.from_iterable(keys))
    verdicts = []
    for trial, its_keys in zip(trials, keys, strict=True):
        is_judged = decided.issuperset(its_keys)
        if not its_keys:
            is_judged = not evidence_is_new and store.has_trial(trial.key)
        if not is_judged:
            judge_evidence(store, suite, trial, its_keys)
        for cell, key in zip(trial.cells, its_keys, strict=True):
            verdicts.append(CellVerdict(trial, cell, key, is_new=key not in decided))
    return verdicts


def judge_evidence(store: Store, suite: Suite, trial: Trial, keys: Sequence[str]) -> None:
    """Judge the stored evidence of a trial and store all that the judgement says."""
    evidence = store.evidence(trial.key)
    assert evidence is not None
    try:
        judgement = suite.judge(trial, evidence)
    except Exception as error:  # as in run_one; judged again next time
        sentence = report_defect("oracle", trial, error)
        unknown = Verdict("", Outcome.UNKNOWN, Reason.ORACLE_FAILED, sentence)
        judgement = Judgement(tuple(replace(unknown, test=c.test.id) for c in trial.cells))
    for key, verdict in zip(keys, judgement.verdicts, strict=True):
        store.put_verdict(key, verdict)
    if judgement.findings:
        store.put_findings(trial.key, judgement.findings, judgement.owners)
    if judgement.data is not None:
        store.put_trial(trial.key, trial.kind, trial.position, judgement.data)


def verdict_key(suite: Suite, trial: Trial, cell: Cell, *more: str) -> str:
    """The identity of one judgement over one evidence. more: of a judge, its model and prompts."""
    sources = filter(None, [suite.sources])
    return content_key(trial.key, suite.identity(cell), *sources, *more)


@dataclass(frozen=True)
class Stages:
    """How a run is executed and judged: by which models (default: none), how often, and where.

    repeat: executions of each test; see `kit.run.flakes`. cluster: where to execute, if not in this
    process: local:N, tcp://HOST:PORT, slurm:JOBS, or later.
    """

    planning: "Planning | None" = None
    judging: "Judging | None" = None
    repeat: int = 1
    cluster: str = ""

    def execute_and_judge(
        self, store: Store, suite: Suite, tasks: list[Task], box: Sandbox, *, workers: int = 2
    ) -> Tally:
        """Execute and judge; returns the tally of execution, with the judge's in its note."""
        if self.repeat > 1 and not suite.repeats:
            raise KitError(f"The suite {suite.name} cannot repeat tests. Leave --repeat out.")
        if self.cluster and (self.planning or self.judging or self.repeat > 1):
            raise KitError("--cluster excludes --planner, --judge and --repeat. Leave them out.")
        planner = self.planning.open(store) if self.planning else None
        if planner is not None:
            specified = find_announced_suites()["dualgauge"].load()
            if not isinstance(suite, specified):
                raise KitError(f"The suite {suite.name} has no planner. Leave --planner out.")
            suite = specified(suite.name, planner)
        store.set_meta(planner=planner.identity if planner else "")
        from kit.harness import installs

        if installed := installs.install_for_run(box, tasks, store.samples()):
            store.set_meta(installed=installed)
        if self.cluster:
            from kit.run import cluster

            return cluster.go(store, suite, tasks, box, where=self.cluster)
        tally = evaluate_programs(store, suite, tasks, box, workers=workers)
        if self.repeat > 1:
            again = repeat_trials(store, suite, tasks, box, times=self.repeat, workers=workers)
            tally += Tally(note=f"repeats: {again}")
        if self.judging is not None:
            tally += Tally(note=f"judge: {self.judging.judge_run(store, suite, tasks, box)}")
        return tally
