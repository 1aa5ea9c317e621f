"""The builds of one job, and the runs of the test suite with its edits in force."""

import contextlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from tqdm.auto import tqdm

from kit.errors import KitError
from kit.metrics import chained
from kit.pool import Tally
from kit.records import content_key
from kit.store import Store
from kit.suites.cproject import fuzz, record, schemata, testsuite
from kit.suites.cproject.fuzz import Fuzzer
from kit.suites.cproject.job import OssJob
from kit.suites.cproject.schemata import Schemata
from kit.suites.cproject.testsuite import Seen, Suite
from kit.suites.cproject.toolchain import Workshop

FEWEST = 10  # iterations before `until` may stop them
ORIGINAL = ("baseline", 0, (), "original")


class Lab:
    """The builds of one job: the original, and one with every compilable edit behind a switch."""

    def __init__(self, job: OssJob, shop: Workshop, store: Store) -> None:
        self.job, self.shop, self.store = job, shop, store
        self.edits = {e.index: e for e in job.compilable(store)}
        self.last = max(job.rows, default=0)

    @cached_property
    def schemata(self) -> Schemata:
        made = schemata.plan(self.shop, self.edits.values(), self.job.rows)
        modes = {e.index: "switch" for e in made.switched} | dict(made.rebuilt)
        record.put_modes(self.store, modes)
        return made

    @cached_property
    def original(self) -> Suite:
        programs, why = testsuite.build(self.shop, {}, self.job.readers, last=self.last)
        if why:
            raise KitError(f"The original of {self.job.project.name} does not build: {why}")
        return Suite(self.shop, programs)

    @cached_property
    def switched(self) -> Suite:
        texts = self.schemata.texts
        return Suite(
            self.shop, *testsuite.build(self.shop, texts, self.job.readers, last=self.last)
        )

    @contextlib.contextmanager
    def suite(self, chosen: Sequence[int], mode: str) -> Iterator[Suite]:
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
            replaced, behind = [*replaced, *behind], []
        with self.shop.scratch() as shop:
            texts = {}
            for path in sorted({e.path for e in (*behind, *replaced)}):
                kept, put = ([e for e in g if e.path == path] for g in (behind, replaced))
                texts[path] = schemata.assemble(shop, path, kept, put, self.job.rows)
            yield Suite(shop, *testsuite.build(shop, texts, self.job.readers, last=self.last))

    @cached_property
    def expected(self) -> list[str]:
        """The tests that the original passes; it is run once in the life of a run's file."""
        key = self._key(*ORIGINAL)
        if not (known := record.passing(self.store, key)):
            seen = self.original.run()
            self._put("baseline", 0, (), seen, mode="original", expected=seen.tests)
            record.put_baseline(self.store, key, seen)
            known = record.passing(self.store, key)
        if not known:
            raise KitError(f"The original of {self.job.project.name} passes none of its tests.")
        self.store.set_meta(modules=record.by_module(known))
        return known

    def _key(self, purpose: str, number: int, chosen: Sequence[int], mode: str) -> str:
        texts = [(self.edits[n].path, self.edits[n].start, self.edits[n].text) for n in chosen]
        runs = [(r.name, r.program, r.argv) for r in self.job.project.runs]
        return content_key(self.job.project.version, self.shop.compiler, testsuite.identity(), runs,
                           purpose, number, texts, mode)  # fmt: skip

    def _put(self, purpose: str, number: int, chosen: Sequence[int], seen: Seen, *, mode: str,
             expected: Any) -> None:  # fmt: skip
        key = self._key(purpose, number, chosen, mode)
        record.put_iteration(self.store, key, seen, purpose=purpose, number=number, mode=mode,
                             edits=chosen, expected=expected)  # fmt: skip

    def once(
        self, purpose: str, number: int, chosen: Sequence[int], *, mode: str | None = None
    ) -> bool:
        """One run of the suite with these edits, recorded; False if it was recorded before."""
        mode = mode or self.job.mode
        if self._key(purpose, number, chosen, mode) in record.known_iterations(self.store):
            return False
        expected = self.expected
        with self.suite(chosen, mode) as suite:
            seen = suite.run(chosen)
        self._put(purpose, number, chosen, seen, mode=mode, expected=expected)
        return True

    def iterate(self) -> Tally:
        """The sampled iterations of the job, until there are enough of them."""
        tally, edits, rates = Tally(), list(self.edits.values()), []
        if not edits:
            tally.note = "no edit compiles, so no test was run"
            return tally
        record.keep_only(
            self.store,
            "sample",
            lambda n, mode: self._key("sample", n, self.job.draw(edits, n), mode),
        )
        for number in tqdm(range(self.job.iterations), desc="iterate", disable=None, leave=False):
            fresh = self.once("sample", number, self.job.draw(edits, number))
            tally.fresh += fresh
            tally.cached += not fresh
            if self.job.until is None:
                continue
            rates = record.iterations(self.store, "sample")["rate"].head(number + 1)
            if number + 1 >= FEWEST and 100 * chained.interval_width(rates) < self.job.until:
                tally.note = f"the interval is narrower than {self.job.until:g}"
                break
        return tally

    def fuzz(self) -> Tally:
        """The fuzz target under the edits of the first iterations, after the original."""
        tally, switched = Tally(), {e.index for e in self.schemata.switched}
        parts = {"last": self.last}
        makers = {
            "fuzz baseline": lambda: Fuzzer.build(self.shop, {}, self.job.readers, **parts),
            "fuzz": lambda: Fuzzer.build(
                self.shop, dict(self.schemata.texts), self.job.readers, **parts
            ),
        }
        mode, edits = fuzz.mode(self.job.project, self.job.fuzz), list(self.edits.values())
        drawn = [self.job.draw(edits, n) for n in range(self.job.fuzzed)] if switched else []
        groups = [(n, [i for i in chosen if i in switched]) for n, chosen in enumerate(drawn)]
        for purpose, group in {"fuzz baseline": [(0, [])], "fuzz": groups}.items():
            keys = {n: self._key(purpose, n, chosen, mode) for n, chosen in group}
            record.keep_only(self.store, purpose, lambda n, _, keys=keys: keys.get(n, ""))
            known, fuzzer = record.known_iterations(self.store), None
            for number, chosen in tqdm(group, desc=purpose, disable=None, leave=False):
                if keys[number] in known:
                    tally.cached += 1
                    continue
                fuzzer = fuzzer or makers[purpose]()
                seen = fuzzer.run(chosen, inputs=self.job.fuzz)
                self._put(purpose, number, chosen, seen, mode=mode, expected=())
                tally.fresh += 1
        self.store.set_meta(fuzz_baseline=record.raised(self.store, "fuzz baseline"))
        return tally
