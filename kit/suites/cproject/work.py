"""The builds of one job, each made once, and what is run on them: an edit, the tests, a fuzzer."""

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import Any, TypeVar

from kit.errors import KitError
from kit.oracle.sanitizers import Alert
from kit.records import Evidence, Observed, Sample, Status, content_key
from kit.suites.cproject import check, schemata, testsuite
from kit.suites.cproject.check import Build, Checked, Checker
from kit.suites.cproject.edit import Edit
from kit.suites.cproject.fuzz import Fuzzer
from kit.suites.cproject.schemata import Schemata
from kit.suites.cproject.testsuite import Seen, Suite
from kit.suites.cproject.toolchain import Workshop

Row = Mapping[str, Any]
T = TypeVar("T")


class shared(cached_property[T]):  # noqa: N801 - a property, written as one
    """A property that is made once, whichever of several threads asks for it first."""

    lock = RLock()

    def __get__(self, instance: object, owner: type | None = None) -> T:  # type: ignore[override]
        with self.lock:
            return super().__get__(instance, owner)


class Work:
    """The original, and one build with every compilable edit behind a switch.

    rows: function index -> its line of the table. edits: those that compile, by function index.
    """

    def __init__(self, shop: Workshop, rows: Mapping[int, Row], edits: Mapping[int, Edit]) -> None:
        self.shop, self.rows, self.edits = shop, rows, edits
        self.readers = check.readers((r["path"], r["units"]) for r in rows.values())
        self.last = max(rows, default=0)

    @shared
    def checker(self) -> Checker:
        made = Checker(self.shop, self.readers)
        made.begin()
        return made

    @shared
    def schemata(self) -> Schemata:
        return schemata.plan(self.shop, self.edits.values(), self.rows)

    @shared
    def original(self) -> Suite:
        programs, why = self._build({}, self.shop)
        if why:
            raise KitError(f"The original of {self.shop.project.name} does not build: {why}")
        return Suite(self.shop, programs)

    @shared
    def switched(self) -> Suite:
        return Suite(self.shop, *self._build(self.schemata.texts, self.shop))

    @shared
    def fuzzers(self) -> dict[str, Fuzzer]:
        """The fuzzed program without any edit, and with every edit behind its switch."""
        texts = {"fuzz baseline": {}, "fuzz": dict(self.schemata.texts) if self.edits else {}}
        return {
            name: Fuzzer.build(self.shop, text, self.readers, last=self.last)
            for name, text in texts.items()
        }

    def _build(self, texts: Mapping[str, str], shop: Workshop) -> tuple[dict[str, Any], str]:
        return testsuite.build(shop, texts, self.readers, last=self.last)

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
                texts[path] = schemata.assemble(shop, path, kept, put, self.rows)
            yield Suite(shop, *self._build(texts, shop))

    def build(self, sample: Sample, edit: Edit | None, why: str, *, full: bool) -> Evidence:
        """How the build of one edit ended; an answer without its function has not built."""
        row = self.rows[index_of(sample.task)]
        checked = Checked(Build.FAILURE, f"extraction: {why}")
        if edit is not None:
            checked = (self.checker.check_full if full else self.checker.check)(edit)
        status = sample.status
        if checked.build == Build.FAILURE and status == Status.COMPLETED:
            status = Status.COMPILE_ERROR
        value = {n: row[n] for n in ("function_index", "name", "path")} | {
            "build": str(checked.build), "why": checked.why, "changed": edit.changed if edit else 0,
        }  # fmt: skip
        return Evidence(status, note=checked.why, isolation=self.shop.box.name,
                        observed=Observed("value", value))  # fmt: skip

    def plan(self) -> Evidence:
        """How each edit comes into force: by a switch, or why only by a rebuild."""
        modes = {str(e.index): "switch" for e in self.schemata.switched}
        modes |= {str(n): why for n, why in self.schemata.rebuilt.items()}
        return Evidence(Status.COMPLETED, observed=Observed("value", {"modes": modes}))

    def baseline(self) -> Evidence:
        seen = self.original.run()
        return self._evidence(seen, (), "original", seen.tests)

    def iteration(self, chosen: Sequence[int], mode: str, expected: Iterable[str]) -> Evidence:
        """The tests with these edits in force; `expected` are those that the original passes."""
        with self.suite(chosen, mode) as suite:
            return self._evidence(suite.run(chosen), chosen, mode, expected)

    def fuzz(self, purpose: str, chosen: Sequence[int], mode: str, inputs: int) -> Evidence:
        seen = self.fuzzers[purpose].run(chosen, inputs=inputs)
        return self._evidence(seen, chosen, mode, ())

    def _evidence(
        self, seen: Seen, chosen: Sequence[int], mode: str, expected: Iterable[str]
    ) -> Evidence:
        alerts: dict[str, tuple[Alert, tuple[int, ...]]] = {}
        for alert, owners in seen.alerts:
            alerts.setdefault(alert.key, (alert, owners))
        wanted = sorted(expected)
        failed = [t for t in wanted if not seen.tests.get(t, False)]
        value = {
            "mode": mode, "edits": sorted(chosen), "executed": sorted(seen.executed),
            "rate": seen.rate(wanted), "planned": len(wanted), "failed": failed,
            "ended": dict(seen.ended), "note": seen.note,
            "passing": sorted(t for t in wanted if seen.tests.get(t)) if not chosen else [],
            "alerts": [[a.kind, a.group, list(a.frames), sorted(set(owners))]
                       for a, owners in alerts.values()],
        }  # fmt: skip
        return Evidence(Status.COMPLETED, wall_s=seen.wall_s, isolation=self.shop.box.name,
                        observed=Observed("value", value))  # fmt: skip

    def key(self, purpose: str, number: int, chosen: Sequence[int], mode: str) -> str:
        """Of a run of the tests: what is tested, with what in force, and what watches."""
        texts = [(self.edits[n].path, self.edits[n].start, self.edits[n].text) for n in chosen]
        runs = [(r.name, r.program, r.argv) for r in self.shop.project.runs]
        return content_key(self.shop.project.version, self.shop.compiler, testsuite.identity(),
                           runs, purpose, number, texts, mode)  # fmt: skip


def index_of(task_id: str) -> int:
    """The function's number in the table: that of cjson:00012 is 12."""
    return int(task_id.rpartition(":")[2])


def told(value: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a run of the tests: the failed ones as counts by module, and as a digest."""
    failed, planned = value["failed"], value["planned"]
    kept = {n: value[n] for n in ("mode", "edits", "executed", "rate", "ended", "note")}
    digest = hashlib.sha256(json.dumps(failed).encode()).hexdigest()[:16]
    return kept | {"passed": planned - len(failed), "planned": planned, "digest": digest,
                   "modules": by_module(failed)}  # fmt: skip


def by_module(tests: Iterable[str]) -> dict[str, int]:
    """How many of these tests each module (what stands before the slash) has."""
    return dict(sorted(Counter(t.partition("/")[0] for t in tests).items()))
