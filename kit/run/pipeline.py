"""The stages of a run: generate, execute and judge many tasks; results with a known key are kept.

Each stage writes under a content key and reads only the stage before: judging again never executes,
scoring again never judges. Threads only wait for sandboxes and servers; one thread writes.
"""

import errno
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from kit import rings
from kit.errors import KitError
from kit.generation.cost import BudgetReached
from kit.pool import Tally, pool
from kit.records import (
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
from kit.sandbox import Sandbox
from kit.store import Store, slot_of
from kit.suite import Suite

if TYPE_CHECKING:
    from kit.run.judging import Judging, Planning

HOPELESS = 20  # infrastructure failures without a success, after which the stage stops
UNANSWERED = 5  # requests without an answer, after which the stage stops
AT_ONCE = 500  # trials whose cached results are recorded in one transaction
FULL = (errno.ENOSPC, errno.EDQUOT)
INFRASTRUCTURE = (Status.INFRA_ERROR, Status.NOT_RUN)  # no evidence about the program


def stage(
    things: Iterable[Any],
    work: Callable[[Any], Any],
    put: Callable[[list[Any], Any], str],
    *,
    key: Callable[[Any], str],
    known: Callable[[Any], bool],
    workers: int,
    title: str,
    size: Callable[[Any], int] = lambda _: 1,
    hopeless: int = HOPELESS,
    patient: bool = True,
) -> Tally:
    """Do once what is not known yet; things of equal key share a result; `size` of each is counted.

    put: writes a result for its group; returns "", or the cause of an infrastructure failure. After
    `hopeless` of these with no success KitError ends the stage; BudgetReached ends it cleanly.
    """
    tally, reasons, ended = Tally(), Counter[str](), ""
    todo: dict[str, list[Any]] = {}
    for thing in things:
        if known(thing):
            tally.cached += size(thing)
        else:
            todo.setdefault(key(thing), []).append(thing)
    try:
        for group, result in pool(
            lambda group: work(group[0]),
            list(todo.values()),
            workers=workers,
            title=title,
            patient=patient,
        ):
            failed, count = put(group, result), sum(map(size, group))
            tally.infra += bool(failed) * count
            tally.fresh += (not failed) * count
            reasons.update([failed] * bool(failed) * count)
            if tally.infra >= hopeless and not tally.fresh and not tally.cached:
                raise KitError(
                    f"The first {tally.infra} attempts to {title} had infrastructure failures: "
                    f"{failed} Fix the cause (`kit doctor` helps) and rerun to continue."
                )
    except BudgetReached as stop:
        ended = str(stop)
    tally.note = "; ".join(filter(None, (_count_reasons(reasons), ended)))
    left = sum(size(thing) for group in todo.values() for thing in group)
    tally.left = left - tally.fresh - tally.infra
    return tally


def _count_reasons(reasons: Counter[str]) -> str:
    """Each reason with its number, the most frequent one first; a single one alone."""
    if len(reasons) < 2:
        return "".join(reasons)
    return "; ".join(f"{reason} ({count})" for reason, count in reasons.most_common())


def answered(store: Store, slot: Sample) -> bool:
    """Whether the run already has the answer to this question."""
    old = store.sample(slot_of(slot))
    return old is not None and old.status not in INFRASTRUCTURE and old.asked in ("", slot.asked)


def generate(
    store: Store, planned: Sequence[Sample], answer: Callable[[Sample], Sample], *, workers: int = 4
) -> Tally:
    """Generate an answer for every planned slot without one; failed requests are retried.

    answer: slot -> Sample; it may raise BudgetReached, which ends the stage cleanly. A slot with a
    key in `asked` is answered only by a sample of the same key (or of a file without keys).
    """

    def put(group: list[Sample], sample: Sample) -> str:
        store.put_sample(replace(sample, asked=group[0].asked))
        return (sample.note or "no answer") if sample.status == Status.INFRA_ERROR else ""

    return stage(
        planned,
        answer,
        put,
        key=slot_of,
        known=partial(answered, store),
        workers=workers,
        title="generate",
        hopeless=max(UNANSWERED, workers),
        patient=False,
    )


def rounds(
    store: Store, suite: Suite, tasks: Iterable[Task], box: Sandbox
) -> Iterator[list[Trial]]:
    """The trials of all stored programs, without duplicates, round by round."""
    by_id = {t.id: t for t in tasks}
    programs = (s for s in store.samples() if s.task in by_id and s.status == Status.COMPLETED)
    for part in suite.trials(by_id, programs, box, store):
        merged: dict[str, list[Trial]] = {}
        for trial in part:
            merged.setdefault(trial.key, []).append(trial)
        yield [
            replace(group[0], cells=tuple(c for t in group for c in t.cells))
            for group in merged.values()
        ]


def evaluate(
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
    spoiled: set[str] = set()

    def put(group: list[Trial], evidence: Evidence) -> str:
        (trial,) = group
        with store.transaction():  # an interrupt must not leave one without the other
            store.put_evidence(trial.key, evidence)
            record(store, suite, trial, cached=False)
        if failed := _failure(evidence):
            spoiled.add(trial.key)
        return failed

    def go(trials: list[Trial], title: str, workers: int, hopeless: int = HOPELESS) -> Tally:
        known = store.settled(t.key for t in trials)
        recorded(store, suite, [t for t in trials if t.key in known])
        return stage(
            trials,
            lambda t: run_one(suite, t, box),
            put,
            key=lambda t: t.key,
            known=lambda t: t.key in known,
            workers=workers,
            title=title,
            hopeless=hopeless,
            size=lambda t: max(1, len(t.cells)),
        )

    for trials in rounds(store, suite, tasks, box):
        wanted = [t for t in trials if keys is None or keys & {t.key, t.after}]
        spoiled.clear()
        done = go(wanted, "execute", workers)
        if spoiled and done.fresh and not done.left:  # load may be the cause: retry with one worker
            once_more = [t for t in wanted if t.key in spoiled]
            again = go(once_more, "execute alone", 1, hopeless=sys.maxsize)
            done = replace(again, fresh=done.fresh + again.fresh, cached=done.cached)
        total += done
        if done.left:
            break
    return total


def _failure(evidence: Evidence) -> str:
    """The cause of an infrastructure failure; "" if the program was executed."""
    return (evidence.note or "no reason given") if evidence.status in INFRASTRUCTURE else ""


def repeat(
    store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox, *, times: int, workers: int = 2
) -> Tally:
    """Execute every settled trial `times` times in all, and judge each by the offline oracle.

    Repeats that the run has are not executed again. Each repeat executes equal programs once, and
    ends before the next begins, so that the machine is in another state each time.
    """
    total, settled = Tally(), store.settled()
    trials = [t for part in rounds(store, suite, tasks, box) for t in part]
    last = {(slot_of(c.sample), c.test.id): t.key for t in trials for c in t.cells}
    counted = set(last.values())  # a test counts as its last variant shows it
    trials = [t for t in trials if t.key in settled and (not t.cells or t.key in counted)]
    for number in range(times):
        done = _repeated(store, suite, trials, box, number, settled, workers)
        total += replace(done, cached=0) if number == 0 else done
    return total


def _repeated(
    store: Store,
    suite: Suite,
    trials: list[Trial],
    box: Sandbox,
    number: int,
    settled: set[str],
    workers: int,
) -> Tally:
    """One repeat of the trials; number 0 is the run's own execution."""

    def put(group: list[Trial], evidence: Evidence) -> str:
        store.put_evidence(group[0].key, evidence)
        write(group[0])
        return _failure(evidence)

    def write(trial: Trial) -> None:
        keys = verdict_keys(store, suite, trial)
        for cell, (verdict, _) in zip(trial.cells, keys, strict=True):
            slot = slot_of(cell.sample)
            store.put_repeat(slot, cell.test.id, number, evidence=trial.key, verdict=verdict)

    def known(trial: Trial) -> bool:
        if trial.key in settled:
            write(trial)
        return trial.key in settled

    if number:
        trials = [replace(t, key=content_key(t.key, "repeat", number)) for t in trials]
    return stage(
        trials,
        lambda t: run_one(suite, t, box),
        put,
        key=lambda t: t.key,
        known=known,
        workers=workers,
        title=f"repeat {number}",
        size=lambda t: len(t.cells),
    )


def run_one(suite: Suite, trial: Trial, box: Sandbox) -> Evidence:
    """One execution; a failure of the machine or the kit becomes infra_error, with its cause.

    A full disk ends the stage: every trial after it would fail too.
    """
    try:
        return suite.execute(trial, box)
    except (OSError, KitError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise
        return Evidence(Status.INFRA_ERROR, note=f"{type(error).__name__}: {error}")
    except BudgetReached:
        raise
    except Exception as error:  # one cell must not end a long run; it is printed and counted
        return Evidence(Status.INFRA_ERROR, note=_loudly("harness", trial, error))


def _loudly(part: str, trial: Trial, error: Exception) -> str:
    what = f"{trial.kind} {trial.position}"
    if trial.cells:
        what = f"{trial.cells[0].task.id} {trial.cells[0].test.id}"
    where = traceback.extract_tb(error.__traceback__)[-1]
    sentence = (
        f"The kit's {part} failed at {what}: {type(error).__name__}: "
        f"{str(error)[:200]} ({where.name}, line {where.lineno}). Please report it."
    )
    click.echo(f"kit: {sentence}", err=True)
    return sentence


def judge(store: Store, suite: Suite, tasks: Sequence[Task], box: Sandbox) -> Tally:
    """Judge the stored evidence again without executing anything."""
    tally = Tally()
    for trials in rounds(store, suite, tasks, box):
        keys = store.settled(t.key for t in trials)
        tally.fresh += recorded(store, suite, [t for t in trials if t.key in keys])
        tally.left += sum(len(t.cells) for t in trials if t.key not in keys)
    return tally


def recorded(store: Store, suite: Suite, trials: Sequence[Trial]) -> int:
    """Write the verdicts of all trials with evidence; returns the number of new ones."""
    judged = 0
    for at in range(0, len(trials), AT_ONCE):
        part = trials[at : at + AT_ONCE]
        keys = [[verdict_key(suite, trial, cell) for cell in trial.cells] for trial in part]
        decided = store.decided(chain.from_iterable(keys))
        rows = list[tuple[str, str, str, str, bool]]()
        with store.transaction():
            for trial, own in zip(part, keys, strict=True):
                if own and decided.issuperset(own):
                    rows += [
                        (slot_of(c.sample), c.test.id, trial.key, key, True)
                        for c, key in zip(trial.cells, own, strict=True)
                    ]
                else:
                    judged += record(store, suite, trial, cached=True)
            store.put_cells(rows)
    return judged


def record(store: Store, suite: Suite, trial: Trial, *, cached: bool) -> int:
    """Write the verdicts of one trial's cells; returns the number of new ones."""
    keys = verdict_keys(store, suite, trial, anew=not cached)
    store.put_cells(
        (slot_of(c.sample), c.test.id, trial.key, key, cached)
        for c, (key, _) in zip(trial.cells, keys, strict=True)
    )
    return sum(new for _, new in keys)


def verdict_keys(
    store: Store, suite: Suite, trial: Trial, *, anew: bool = False
) -> list[tuple[str, bool]]:
    """Per cell the key of the offline verdict over the stored evidence, and whether it is new.

    anew: the evidence is new, so verdicts over an earlier infrastructure failure are not kept.
    """
    keys = [verdict_key(suite, trial, cell) for cell in trial.cells]
    lacking = set(keys) if anew else set(keys) - store.decided(keys)
    if lacking or (not keys and (anew or not store.has_trial(trial.key))):
        evidence = store.evidence(trial.key)
        assert evidence is not None
        try:
            judged = suite.judge(trial, evidence)
        except Exception as error:  # as in run_one; judged again next time
            none = (Outcome.UNKNOWN, Reason.ORACLE_FAILED, _loudly("oracle", trial, error))
            judged = Judgement(tuple(Verdict(c.test.id, *none) for c in trial.cells))
        for key, verdict in zip(keys, judged.verdicts, strict=True):
            store.put_verdict(key, verdict)
        if judged.findings:
            store.put_findings(trial.key, judged.findings, judged.owners)
        if judged.data is not None:
            store.put_trial(trial.key, trial.kind, trial.position, judged.data)
    return [(key, key in lacking) for key in keys]


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

    def go(
        self, store: Store, suite: Suite, tasks: list[Task], box: Sandbox, *, workers: int = 2
    ) -> Tally:
        """Execute and judge; returns the tally of execution, with the judge's in its note."""
        if self.repeat > 1 and not suite.repeats:
            raise KitError(f"The suite {suite.name} cannot repeat tests. Leave --repeat out.")
        if self.cluster and (self.planning or self.judging or self.repeat > 1):
            raise KitError("--cluster excludes --planner, --judge and --repeat. Leave them out.")
        planner = self.planning.open(store) if self.planning else None
        if planner is not None:
            from kit.suites.spec.suite import SpecSuite

            if not isinstance(suite, SpecSuite):
                raise KitError(f"The suite {suite.name} has no planner. Leave --planner out.")
            suite = SpecSuite(suite.name, planner)
        store.set_meta(planner=planner.identity if planner else "")
        if self.cluster:
            spread: Tally = rings.load("kit.parts", "cluster")(
                store, suite, tasks, box, where=self.cluster
            )
            return spread
        tally = evaluate(store, suite, tasks, box, workers=workers)
        if self.repeat > 1:
            again = repeat(store, suite, tasks, box, times=self.repeat, workers=workers)
            tally += Tally(note=f"repeats: {again}")
        if self.judging is not None:
            tally += Tally(note=f"judge: {self.judging.go(store, suite, tasks, box)}")
        return tally
