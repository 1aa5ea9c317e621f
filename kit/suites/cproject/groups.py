"""Groups of edits that are put to the tests, and to a fuzzer: which, in what order, until when."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from kit.errors import KitError
from kit.metrics import chained
from kit.records import Evidence, Status, Trial
from kit.store import Store
from kit.suites.cproject import fuzz
from kit.suites.cproject.work import Work, by_module

SHARE = 0.01
BATCH = 10  # iterations between two looks at `until`
OURS = (Status.INFRA_ERROR, Status.NOT_RUN)


@dataclass(frozen=True)
class Doing:
    """What executes a trial, and the slots of the samples that its findings may be of."""

    run: partial[Evidence]
    slots: Mapping[int, str]


@dataclass(frozen=True)
class Groups:
    """The runs of the tests in one job. settings: of the suite. slots: function index -> slot."""

    settings: Any
    work: Work
    slots: Mapping[int, str]
    store: Store

    def trials(self) -> Iterator[Sequence[Trial]]:
        """The original, the iterations, the fuzzer; what another draw left leaves the store."""
        edits, mode = tuple(sorted(self.work.edits)), self.settings.mode
        base = self._trial("baseline", 0, (), "original", partial(self.work.baseline))
        plan = self._trial("schemata", 0, edits, "schemata", partial(self.work.plan))
        if edits:
            first = [base, plan] if mode == "schemata" or self.settings.fuzz else [base]
            yield first
            if (seen := left(self.store, first, "runs of the original were lost")) is None:
                return
            if not (passing := seen[0]["passing"]):
                name = self.work.shop.project.name
                raise KitError(f"The original of {name} passes none of its tests.")
            self.store.set_meta(modules=by_module(passing))
        self._keep("baseline", lambda _: base.key)
        self._keep("schemata", lambda _: plan.key)
        self._keep("sample", lambda t: self._key(t["position"], t["mode"]))
        if edits:
            yield from self._iterations(passing)
        if self.settings.fuzz:
            yield from self._fuzzed()

    def _trial(
        self, kind: str, number: int, chosen: Sequence[int], mode: str, run: partial[Evidence]
    ) -> Trial:
        key = self.work.key(kind, number, chosen, mode)
        return Trial(key, (), kind, number, Doing(run, self.slots))

    def _key(self, number: int, mode: str) -> str:
        return self.work.key("sample", number, self.draw(number), mode)

    def _keep(self, kind: str, wanted: Any) -> None:
        """Forget the trials of this kind that have another key than today's."""
        known = self.store.trials(kind)
        self.store.drop_trials([t["key"] for t in known if t["key"] != wanted(t)])

    def _iterations(self, passing: Sequence[str]) -> Iterator[list[Trial]]:
        how, mode = self.settings.draw, self.settings.mode
        numbers = list(range(self.settings.iterations)) if how == "sample" else [0]
        numbers = sorted(self.work.edits) if how == "alone" else numbers
        for end in range(BATCH, len(numbers) + BATCH, BATCH):
            yield [
                self._trial("sample", n, chosen, mode,
                            partial(self.work.iteration, chosen, mode, passing))
                for n in numbers[end - BATCH : end] for chosen in [self.draw(n)]
            ]  # fmt: skip
            if self._narrow(numbers[:end]):
                break

    def draw(self, number: int) -> tuple[int, ...]:
        """The edits of an iteration: the same for the same seed and number."""
        edits, how = sorted(self.work.edits), self.settings.draw
        if how != "sample" or not edits:
            return tuple(n for n in edits if how == "all" or n == number)
        size = min(len(edits), max(1, round(self.settings.share * len(self.work.rows))))
        rng = np.random.default_rng([self.settings.draw_seed, number])
        return tuple(sorted(int(n) for n in rng.choice(edits, size=size, replace=False)))

    def _narrow(self, numbers: Sequence[int]) -> bool:
        """Is the interval of the mean rate of these iterations as narrow as it is asked to be?"""
        if self.settings.until is None:
            return False
        rates = {t["position"]: t["rate"] for t in self.store.trials("sample")}
        width = chained.interval_width([rates[n] for n in numbers if n in rates])
        return bool(100 * width < self.settings.until)

    def _fuzzed(self) -> Iterator[list[Trial]]:
        """The fuzzed original, and the edits behind switches of the first iterations."""
        inputs = self.settings.fuzz
        mode = fuzz.mode(self.work.shop.project, inputs)
        plans = self.store.trials("schemata")
        modes = plans[0]["modes"] if plans else {}
        drawn = [self.draw(n) for n in range(self.settings.fuzzed)]
        behind = [tuple(i for i in one if modes.get(str(i)) == "switch") for one in drawn]
        first: list[tuple[int, ...]] = [()]
        groups = {"fuzz baseline": first, "fuzz": behind if "switch" in modes.values() else []}
        for kind, group in groups.items():
            made = [
                self._trial(kind, n, one, mode, partial(self.work.fuzz, kind, one, mode, inputs))
                for n, one in enumerate(group)
            ]
            keys = {t.position: t.key for t in made}
            yield made
            self._keep(kind, lambda t, keys=keys: keys.get(t["position"]))


def left(store: Store, trials: Sequence[Trial], what: str) -> list[Any] | None:
    """What these trials left behind; None where one was not run.

    KitError where one was lost to a failure of ours: all that follows would rest on fewer.
    """
    seen = [store.evidence(t.key) for t in trials]
    if lost := [s for s in seen if s is not None and s.status in OURS]:
        raise KitError(f"{len(lost)} {what}, for a failure on our side ({lost[0].note}). "
                       "The same command goes on.")  # fmt: skip
    return None if None in seen else [s.observed.value for s in seen if s is not None]
