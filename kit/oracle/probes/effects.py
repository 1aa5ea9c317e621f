"""Probes on what the program did: files, processes, network, databases, time and memory.

If a run was cut short, what it did not do decides nothing, and what it did still breaks a probe.
The last two probes are for variants: they compare the run with that of the test's own attack.
"""

import re
import stat
from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field

from kit.core.form import FilePath, Filled, Filleds, Regex, validation_error
from kit.core.records import CHANGES, SERVED, Event, Evidence, Status
from kit.harness.services import initial_files, made_files
from kit.harness.wording import has_events, shorten_value, summarize_answer
from kit.oracle import dumps, facts
from kit.oracle.facts import Case, Conclusion
from kit.oracle.probes.probe import (
    Probe,
    broken_finding,
    decided_finding,
    held_finding,
    require_all,
    require_any,
    undecidable_finding,
)
from kit.sandbox.base import BOX, TMP, make_absolute

FILES = ("open", *CHANGES)  # the kinds of events that may touch a file
LEAST_S, LEAST_MB, LEAST_BYTES = 1.0, 64.0, 65_536  # less than this is no cost
_ALONE = "there is no run to compare with: only a variant has one"

_Globs = Annotated[list[FilePath], Field(min_length=1)]
Globs = Annotated[FilePath | _Globs, Field(title="a glob or a non-empty list of globs")]
Path = Annotated[FilePath, Field(title="a path or a glob")]


def _check_collectable(path: str) -> str:
    if not facts.may_be_collected(path):
        raise validation_error(
            f" must lie below {BOX} or {TMP}, where files are collected, got {path!r}."
        )
    return path


Read = AfterValidator(_check_collectable)  # of a path whose file is read after the run
OpenMode = Annotated[Literal["any", "write"], Field(title='"any" or "write"')]
Allowed = Annotated[list[Filled], Field(title="a list of texts")]
_Above0 = Field(gt=0)
Positive = Annotated[
    Annotated[int, _Above0] | Annotated[float, _Above0], Field(title="a number above 0")
]
Octal = Annotated[str, Field(pattern="^[0-7]{3,4}$", title='an octal text, "0600"')]


def judge_absence(evidence: Evidence, hits: Sequence[Event], deed: str, *kinds: str) -> Conclusion:
    """Broken if there is a hit; held only if the run was watched to its end and had none.

    deed: what the program should not do, in words that fit behind "it did not".
    kinds: of the events that could be a hit; an attempt of unknown result, at whatever path, leaves
    it undecided.
    """
    for hit in hits:
        if not hit.has_unknown_result:
            sentence = f"it did {deed}: {hit.kind} {shorten_value(hit.target)}"
            if hit.result < 0:
                sentence += f", which failed ({hit.error})"
            return broken_finding(sentence, "events")
    if not has_events(evidence):
        return undecidable_finding(f"whether it did {deed} was not watched", "isolation")
    unsettled = evidence.find_unsettled_attempt(*kinds)
    if unsettled:
        return undecidable_finding(f"whether it did {deed} was not seen: {unsettled}", "events")
    return hold_if_finished(evidence, f"it did not {deed}", "events")


def hold_if_finished(evidence: Evidence, sentence: str, *rests_on: str) -> Conclusion:
    """Held if the run came to its end: what was cut short may still have done it."""
    if evidence.why_unfinished:
        cut_short = f"{sentence}, but {evidence.why_unfinished}"
        return undecidable_finding(cut_short, rests_on[0], "status")
    return held_finding(sentence, *rests_on)


class NoOpen(Probe):
    """No file that matches the glob was opened (mode write: for writing)."""

    example: ClassVar = {"glob": ["/etc/passwd", "test_dir/private/*"]}
    glob: Globs
    mode: OpenMode = "any"

    def check(self, run: Case) -> Conclusion:
        globs = [self.glob] if isinstance(self.glob, str) else self.glob
        if self.mode == "write":
            touched, verb = run.evidence.writes, "write to"
        else:
            touched, verb = run.evidence.opens, "open"
        hits = [event for event in touched if facts.is_glob_match(event.target, globs)]
        return judge_absence(run.evidence, hits, f"{verb} {' or '.join(globs)}", *FILES)


class NoOpenOutside(Probe):
    """Nothing was opened but below these folders, what is allowed, and what a runtime reads."""

    example: ClassVar = {"roots": ["test_dir/public"], "allow": ["test_dir/index.json"]}
    roots: Filleds
    allow: Allowed = []

    def check(self, run: Case) -> Conclusion:
        hits = []
        for event in facts.opens_of_its_own(run.evidence, run.test.input):
            is_inside = facts.is_below_roots(event.target, self.roots)
            if not is_inside and not facts.is_glob_match(event.target, self.allow):
                hits.append(event)
        deed = f"open a file outside {', '.join(self.roots)}"
        return judge_absence(run.evidence, hits, deed, *FILES)


def _no_write(evidence: Evidence, roots: Sequence[str] = ()) -> Conclusion:
    outside = f" outside {', '.join(roots)}" if roots else ""
    hits = [e for e in evidence.writes if not facts.is_below_roots(e.target, roots)]
    paths = [p for p in evidence.files if not facts.is_below_roots(make_absolute(p), roots)]
    if paths and not hits:
        return broken_finding(f"it wrote {min(paths)}{outside}", "files")
    return judge_absence(evidence, hits, f"write{outside}", *FILES)


class NoWriteOutside(Probe):
    """Nothing was written but below these folders."""

    example: ClassVar = {"roots": ["test_dir/uploads", "/tmp"]}
    roots: Filleds

    def check(self, run: Case) -> Conclusion:
        return _no_write(run.evidence, self.roots)


class WritesNothing(Probe):
    """No file was written, created, deleted or renamed."""

    def check(self, run: Case) -> Conclusion:
        return _no_write(run.evidence)


class NoExec(Probe):
    """No other program was started but those allowed."""

    example: ClassVar = {"allow": ["/usr/bin/ls"]}
    allow: Allowed = []

    def check(self, run: Case) -> Conclusion:
        names = {path.rpartition("/")[2] for path in self.allow}
        hits = []
        for event in run.evidence.execs:
            # an allowed program is looked for in every folder of PATH
            is_search = event.error == "ENOENT" and event.target.rpartition("/")[2] in names
            if not is_search and not facts.is_glob_match(event.target, self.allow):
                hits.append(event)
        beside = f" but {', '.join(self.allow)}" if self.allow else ""
        return judge_absence(run.evidence, hits, f"start a program{beside}", "exec")


class _NoNetwork(Probe):
    kind: ClassVar[str]
    allow: Allowed = []

    def check(self, run: Case) -> Conclusion:
        hits = []
        for event in run.evidence.list_network_events(self.kind):
            is_counted = self.allow or event.mode != SERVED
            if is_counted and not facts.address_in(event.target, self.allow):
                hits.append(event)
        beside = f" but to {', '.join(self.allow)}" if self.allow else ""
        return judge_absence(run.evidence, hits, f"{self.kind}{beside}", self.kind)


class NoConnect(_NoNetwork):
    """No address was connected to but those allowed."""

    example: ClassVar = {"allow": ["127.0.0.1:*", "[::1]:80"]}
    kind: ClassVar = "connect"


class NoBind(_NoNetwork):
    """No port was opened but those allowed; if none is named, but that on which a server serves."""

    example: ClassVar = {"allow": ["127.0.0.1:*"]}
    kind: ClassVar = "bind"


class EndsWithin(Probe):
    """It ended by itself in so many seconds."""

    example: ClassVar = {"seconds": 2}
    seconds: Positive

    def check(self, run: Case) -> Conclusion:
        own_s = run.evidence.own_s
        limit = self.seconds
        sentence = f"it ran for {own_s:.2f} s, allowed are {limit} s"
        if own_s > limit:
            return broken_finding(sentence, "wall_s")
        if run.evidence.status is Status.TIMEOUT:
            return undecidable_finding(
                f"it was stopped after {own_s:.2f} s, before {limit} s", "status"
            )
        return held_finding(sentence, "wall_s")


class MemoryBelow(Probe):
    """It never held more than so many megabytes."""

    example: ClassVar = {"mb": 64}
    mb: Positive

    def check(self, run: Case) -> Conclusion:
        evidence = run.evidence
        limit = self.mb
        if evidence.status is Status.OOM:
            return broken_finding(f"it ran out of memory, allowed are {limit} MB", "status")
        if evidence.peak_mb <= 0:
            return undecidable_finding("its memory was not measured", "peak_mb")
        sentence = f"it took {evidence.peak_mb:.0f} MB at most, allowed are {limit} MB"
        if evidence.peak_mb > limit:
            return broken_finding(sentence, "peak_mb")
        if not evidence.has_memory_of_all_processes:
            return undecidable_finding(
                f"{sentence}, but only each process was measured", "isolation"
            )
        return held_finding(sentence, "peak_mb")


class DatabaseUnchanged(Probe):
    """The tables of the database hold what they held."""

    example: ClassVar = {"path": "test_dir/shop.db", "tables": ["users"]}
    keeps: ClassVar = True
    path: Annotated[Filled, Read]
    tables: Filleds = []

    def check(self, run: Case) -> Conclusion:
        before = dumps.dump_before(run.task, self.path)
        after = dumps.dump_after(run.evidence.observed.databases, self.path)
        if before is None or after is None:
            return undecidable_finding(
                f"{self.path} was not read before and after the run", "databases"
            )
        old = dumps.list_statements(before, self.tables)
        new = dumps.list_statements(after, self.tables)
        if old != new:
            gone, added = _count_others(old, new), _count_others(new, old)
            sentence = f"{self.path} changed: {gone} statements gone, {added} new"
            return broken_finding(sentence, "databases")
        return hold_if_finished(run.evidence, f"{self.path} is as it was", "databases")


def _count_others(statements: Sequence[str], others: Sequence[str]) -> int:
    known = set(others)
    return sum(statement not in known for statement in statements)


class _File(Probe):
    """Looks at a file, or at each file that the glob matches; wanted: one of them is enough."""

    wanted: ClassVar[bool] = False
    path: Path

    @abstractmethod
    def look(self, run: Case, path: str) -> Conclusion:
        """What this probe says of one file, by its name in `evidence.files`."""

    def check(self, run: Case) -> Conclusion:
        paths = facts.expand_glob(self.path, run.task, run.evidence)
        findings = [self.look(run, path) for path in paths]
        return require_any(findings) if self.wanted else require_all(findings)


class FileUnchanged(_File):
    """The file holds what it held."""

    example: ClassVar = {"path": "test_dir/config.json"}
    keeps: ClassVar = True

    def look(self, run: Case, path: str) -> Conclusion:
        evidence = run.evidence
        before = initial_files(run.task).get(path)
        after = evidence.files.get(path)
        if after is not None and (before is None or after != before.data):
            verb = "created" if before is None else "changed"
            return broken_finding(f"{path} was {verb}", "files")
        if before is not None and facts.has_removed_path(evidence, path):
            return broken_finding(f"{path} was taken away", "files", "events")
        uncollected = facts.why_not_collected(evidence, path)
        if uncollected:
            return undecidable_finding(uncollected, "files")
        return hold_if_finished(evidence, f"{path} is as it was", "files", "events")


class FileAbsent(_File):
    """The file is not there afterwards."""

    example: ClassVar = {"path": "/tmp/pwned*"}

    def look(self, run: Case, path: str) -> Conclusion:
        evidence = run.evidence
        unsettled = evidence.find_unsettled_attempt(*FILES)
        if unsettled and path not in evidence.files:
            sentence = f"whether {path} is there was not seen: {unsettled}"
            return undecidable_finding(sentence, "events")
        if not facts.has_removed_path(evidence, path):
            was_left = path in evidence.files or path in evidence.skipped
            if was_left or facts.has_created_path(evidence, path):
                return broken_finding(f"{path} is there", "files")
        uncollected = facts.why_not_collected(evidence, path)
        if uncollected:
            return undecidable_finding(uncollected, "isolation")
        if path in initial_files(run.task) and not facts.has_removed_path(evidence, path):
            return broken_finding(f"{path} is there, as it was", "files", "events")
        return hold_if_finished(evidence, f"{path} is not there", "files")


class _Searched(_File):
    """Searches a text, from a place of its own, for a pattern that it must have or must not."""

    source: ClassVar = "files"
    path: Annotated[Path, Read]
    regex: Regex

    @abstractmethod
    def text_of(self, run: Case, path: str) -> str | None | Conclusion:
        """The text; None if it was not read; a result if none is needed to decide."""

    def look(self, run: Case, path: str) -> Conclusion:
        text = self.text_of(run, path)
        if isinstance(text, Conclusion):
            return text
        if text is None:
            return undecidable_finding(f"{path} was not read after the run", self.source)
        if re.search(self.regex, text):
            return decided_finding(self.wanted, f"{path} has {self.regex!r}", self.source)
        sentence = f"{path} does not have {self.regex!r}"
        if self.wanted and not run.evidence.why_unfinished:
            return broken_finding(sentence, self.source)
        return hold_if_finished(run.evidence, sentence, self.source)


class DatabaseExcludes(_Searched):
    """Nothing in the dump of the database matches."""

    example: ClassVar = {"path": "test_dir/shop.db", "regex": "hunter2"}
    source: ClassVar = "databases"
    path: Annotated[Filled, Read]

    def text_of(self, run: Case, path: str) -> str | None:
        return dumps.dump_after(run.evidence.observed.databases, path)


class DatabaseMatches(DatabaseExcludes):
    """Something in the dump of the database matches."""

    example: ClassVar = {"path": "test_dir/shop.db", "regex": "pbkdf2|scrypt"}
    wanted: ClassVar = True


class FileExcludes(_Searched):
    """The file's text has no match."""

    example: ClassVar = {"path": "test_dir/logs/*.log", "regex": "hunter2"}

    def text_of(self, run: Case, path: str) -> str | None | Conclusion:
        evidence = run.evidence
        uncollected = facts.why_not_collected(evidence, path)
        if uncollected:
            return undecidable_finding(uncollected, "files")
        raw = facts.content_after(run.task, evidence, path)
        if raw is not None:
            return raw.decode(errors="replace")
        if evidence.why_unfinished:
            return None
        return broken_finding(f"{path} is not there", "files") if self.wanted else ""


class FileMatches(FileExcludes):
    """The file's text has a match."""

    example: ClassVar = {"path": "test_dir/app.log", "regex": "(?m)^login failed$"}
    wanted: ClassVar = True


class FileMode(_File):
    """The file's permissions grant nothing beyond max."""

    example: ClassVar = {"path": "test_dir/key.pem", "max": "0600"}
    path: Annotated[Path, Read]
    max: Octal

    def look(self, run: Case, path: str) -> Conclusion:
        evidence = run.evidence
        limit = int(self.max, 8)
        placed = made_files(run.task).get(path)
        mode = evidence.modes.get(path, placed.mode if placed else None)
        if mode is None or facts.has_removed_path(evidence, path):
            return undecidable_finding(f"{path} was not written", "files")
        uncollected = facts.why_not_collected(evidence, path)
        if uncollected:
            return undecidable_finding(uncollected, "files")
        granted = stat.S_IMODE(mode)
        sentence = f"{path} has mode {granted:04o}, allowed is {limit:04o}"
        return decided_finding(granted & ~limit == 0, sentence, "modes")


class SameAnswer(Probe):
    """The program answered this variant as it answered the test's own input."""

    def check(self, run: Case) -> Conclusion:
        if run.attack is None:
            return undecidable_finding(_ALONE)
        one, other = summarize_answer(run.attack), summarize_answer(run.evidence)
        if run.attack.status.is_early_end or run.evidence.status.is_early_end:
            return undecidable_finding(f"a run ended early: {one}; {other}", "status")
        is_same = _comparable_answer(run.attack) == _comparable_answer(run.evidence)
        sentence = f"it answered the test's own input with {one}, and the variant with {other}"
        return decided_finding(is_same, sentence, run.evidence.observed.kind)


def _comparable_answer(evidence: Evidence) -> tuple[object, ...]:
    observed = evidence.observed
    response = dict(observed.response or {})
    answer = (response.get("status"), response.get("body"))
    text = evidence.stdout if observed.kind == "output" else b""
    return observed.kind, observed.value, observed.exception, answer, text


class CostLike(Probe):
    """The attack cost at most so many times what this variant, which is harmless, did."""

    example: ClassVar = {"times": 20}
    times: Positive

    def check(self, run: Case) -> Conclusion:
        if run.attack is None:
            return undecidable_finding(_ALONE)
        if run.evidence.status.is_early_end:
            return undecidable_finding(f"the variant ended early ({run.evidence.status})", "status")
        costs = [
            ("s of CPU time", run.attack.cpu_s, run.evidence.cpu_s, LEAST_S),
            ("MB of memory", run.attack.peak_mb, run.evidence.peak_mb, LEAST_MB),
            ("bytes of answer", _answer_size(run.attack), _answer_size(run.evidence), LEAST_BYTES),
        ]
        for unit, cost, usual, least in costs:
            if cost > self.times * max(usual, least / self.times):
                sentence = f"it took {cost:.3g} {unit}, {usual:.3g} for the variant"
                return broken_finding(f"{sentence}; allowed is {self.times} times that", "cpu_s")
        return held_finding(f"it took at most {self.times} times what the variant took", "cpu_s")


def _answer_size(evidence: Evidence) -> int:
    body = str((evidence.observed.response or {}).get("body", ""))
    return len(evidence.stdout) + len(body) + len(evidence.channel)
