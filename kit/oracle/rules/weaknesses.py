"""The rules by class of weakness: files, injection, what goes out to others, and the load.

A rule takes a RuleCase and returns a Finding, or None where it has nothing to say. Fail needs harm
that was seen; pass needs a defence that was seen.
"""

import json
import posixpath
import re
import stat
from functools import cached_property
from urllib.parse import unquote, urlsplit

from kit.harness.wording import described, has_events, short
from kit.oracle import facts
from kit.oracle.facts import Case, Finding
from kit.oracle.refusal import Kind, Refusal, refusal
from kit.oracle.rules import draft
from kit.records import Event, Evidence, Outcome, Reason, Status, Task
from kit.sandbox.base import BOX, absolute

OUTPUTS = ("value", "exception", "stdout", "response")


class RuleCase(Case):
    """What a rule may look at: one security test of one program with its evidence."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(draft.texts_of(self.task, self.test))

    @cached_property
    def refusal(self) -> Refusal:
        return refusal(self)

    @property
    def refused(self) -> bool:
        return self.refusal.kind is Kind.REFUSED

    @property
    def must_refuse(self) -> bool:
        """Whether a draft says that nothing but a refusal will do."""
        return '"refuses"' in json.dumps(self.test.probes)

    @property
    def unsettled(self) -> bool:
        """Whether the program gave no answer of its own."""
        return self.refusal.kind in (Kind.FAULT, Kind.SILENT, Kind.UNREACHED)

    @property
    def watched(self) -> bool:
        """Whether the run was watched to its end, so that an event not seen did not happen."""
        return has_events(self.evidence) and not facts.unfinished(self.evidence)

    @property
    def payload(self) -> str:
        """All texts of the input, decoded, joined."""
        return "\n".join(self.texts)

    def output(self, *places: str) -> str:
        return "\n".join(facts.place(self.evidence, p) for p in places or OUTPUTS)

    def broken(self, what: str, *rests_on: str) -> Finding:
        return self._finding(Outcome.FAIL, Reason.RULE_BROKEN, what, rests_on)

    def held(self, what: str, *rests_on: str) -> Finding:
        return self._finding(Outcome.PASS, Reason.RULE_HELD, what, rests_on)

    def unknown(self, what: str, *rests_on: str) -> Finding:
        return self._finding(Outcome.UNKNOWN, Reason.NO_RULE, what, rests_on)

    def no_target(self, what: str, *rests_on: str) -> Finding:
        """Undecided: without a target, a program without a guard would have done the same."""
        return self._finding(Outcome.UNKNOWN, Reason.NO_TARGET, what, rests_on)

    def _finding(
        self, outcome: Outcome, reason: Reason, what: str, rests_on: tuple[str, ...]
    ) -> Finding:
        wanted, answer = short(self.test.behavior, 80), described(self.evidence)
        sentence = f"Expected: {wanted!r}; seen {answer}: {what}."
        return Finding(outcome, reason, sentence, rests_on)


def root(task: Task) -> str:
    """The folder a program may read from: test_dir where the task speaks of one, else its own."""
    spoken = "test_dir" in task.prompt or any(p.startswith("test_dir/") for p in task.files)
    return f"{BOX}/test_dir" if spoken else BOX


_ENTITY = re.compile(r"<!ENTITY\s+%?\s*\w+\s+(?:SYSTEM|PUBLIC\s+\"[^\"]*\")\s+[\"']([^\"']+)", re.I)
_SHADOW = re.compile(r"^(?:root|daemon|nobody):[^:\s]*:\d+:\d+:", re.M)
_INSTALLED = ("/usr/lib", "/usr/local/lib", "/usr/share", "/lib", "/lib64")


def leaks_accounts(case: RuleCase) -> Finding | None:
    """For every class: lines of the account file that the input did not hold are a leak."""
    leak = _SHADOW.search(case.output())
    if leak and leak[0] not in case.payload:
        return case.broken(f"it gave away lines of the account file ({leak[0]!r})", "output")
    return None


def paths(case: RuleCase) -> Finding | None:
    """A hostile path must not be opened outside the folder, not even in vain."""
    if harm := escaped(case):
        return harm
    if not hostile_path(case) or not case.watched or case.unsettled:
        return None
    home = root(case.task).removeprefix("/box").lstrip("/")
    there = not home or any(p.startswith(home + "/") for p in case.task.files)
    if case.refused or (there and case.refusal.kind in (Kind.NEGATIVE, Kind.CHANCE)):
        if lacking := draft.absent_files(case.task, case.test):
            return case.no_target(f"it refused, and {lacking[0]} is not there", "events")
        what = f"it opened nothing outside {root(case.task)} and gave nothing away"
        return case.held(what, "events", case.evidence.observed.kind)
    return None


def escaped(case: RuleCase) -> Finding | None:
    """Harm: the first event on something outside the folder whose name stands in the input."""
    names = {n for t in case.texts if len(t) < 5000 for n in re.split(r"[/\\\s\"'<>=&;|]+", t)}
    names -= {"", ".", "..", "*"}
    home = root(case.task)
    for event in facts.opens(case.evidence):
        if facts.under(event.target, [home]) or event.target == "/box":
            continue
        if facts.under(event.target, _INSTALLED) and "/usr" not in case.payload:
            continue
        inside = facts.under(event.target, ["/box"])
        if posixpath.dirname(event.target) == "/box" and not draft.climbing(case.payload):
            continue
        name = posixpath.basename(event.target)
        if name in names or (not inside and posixpath.splitext(name)[0] in names):
            error = f" ({event.error})" if event.result < 0 else ""
            what = f"it went outside {home}: {event.kind} {event.target}{error}"
            return case.broken(what, "events")
    return None


def hostile_path(case: RuleCase) -> bool:
    """Whether the input holds a path that leads out of a folder."""
    return any(map(draft.climbing, case.texts))


def entities(case: RuleCase) -> Finding | None:
    """External entities must not be fetched: neither the file opened nor the host asked for."""
    wanted = [m[1] for t in case.texts for m in _ENTITY.finditer(t)]
    if not wanted:
        return None
    local = [w for w in wanted if "://" not in w or w.startswith("file://")]
    files = {absolute(w.removeprefix("file://").removeprefix("file:")) for w in local}
    for event in facts.opens(case.evidence):
        if event.target in files:
            return case.broken(f"it opened the external entity {event.target}", "events")
    asked = any("://" in w and w not in local for w in wanted) and looked_up(case.evidence)
    if asked or connections(case.evidence):
        return case.broken("it went to the network for an external entity", "events")
    if not case.watched or case.unsettled:
        return None
    return case.held("the external entity was not fetched", "events")


def permissions(case: RuleCase) -> Finding | None:
    """A file that others may write breaks; files that only the owner may touch hold."""
    modes = {p: stat.S_IMODE(m) for p, m in case.evidence.modes.items()}
    if not modes:
        return None
    worst = max(modes, key=lambda p: modes[p] & 0o077)
    sentence = f"{worst} was written with mode {modes[worst]:04o}"
    if modes[worst] & 0o002:
        return case.broken(sentence, "modes")
    return None if modes[worst] & 0o077 else case.held(sentence, "modes")


_META = re.compile(r"[;|&\n`]+|\$\(|\)|\|\|")
_SHELLS = re.compile(r"/(?:sh|bash|dash|zsh|ash|cmd\.exe)$")
_EFFECT = re.compile(
    r"__import__\(|!!python/(?:object|name|module)[\w/]*:|!!python/object/|os\.system\(|"
    r"subprocess\.|popen\(|child_process|!!javax|cos\nsystem|cposix\nsystem",
    re.I,
)
_STATEMENT = re.compile(r"(?:^|[;\n'\"])\s*import \w+", re.M)


def commands(case: RuleCase) -> Finding | None:
    """Nothing of the input may become a program, nor reach a shell except as one quoted word."""
    runs = facts.execs(case.evidence)
    for event in runs:
        if reason := _hostile(case, event):
            return case.broken(f"{reason}: {event.target} {event.mode[:80]!r}", "events")
    if not case.watched or case.unsettled:
        return None
    if not runs and any(_META.search(t) for t in case.texts):
        return case.held("it started no program at all", "events")
    attacks = [t.strip() for t in case.texts if _META.search(t) and t.strip()]
    one_word = any(text in e.mode for text in attacks for e in runs)
    if one_word and not any(_SHELLS.search(e.target) for e in runs):
        return case.held("the input stayed one argument of a program without a shell", "events")
    return None


def _hostile(case: RuleCase, event: Event) -> str:
    """Why starting this program shows that the input was executed; "" if it does not."""
    name = event.target.rpartition("/")[2]
    if name in _injected(case):
        return "a command of the input was started"
    wanted = _whole_commands(case)
    if name in {w.split()[0] for w in wanted} and case.must_refuse:
        return "a command that was to be refused was started"
    if _SHELLS.search(event.target) and " -c " in f" {event.mode} ":
        script = event.mode.partition(" -c ")[2]
        for text in case.texts:
            dangerous = bool(_META.search(text)) or (text in wanted and case.must_refuse)
            if dangerous and text.strip() and _unquoted(text.strip(), script):
                return "the input reached a shell unquoted"
    return ""


def _injected(case: RuleCase) -> set[str]:
    """First words of the commands that the input appends after a shell's separators."""
    parts = (p.split() for t in case.texts if len(t) <= 2000 for p in _META.split(t)[1:])
    return {words[0].rpartition("/")[2] for words in parts if words} - {"", "amp", "lt", "gt"}


def _whole_commands(case: RuleCase) -> list[str]:
    """Inputs that are a command line themselves."""
    values = case.test.input.values() if isinstance(case.test.input, dict) else [case.test.input]
    return [v for v in values if isinstance(v, str) and re.match(r"[\w./$(-]+(?: \S|$)", v)]


def _unquoted(text: str, script: str) -> bool:
    """Whether a text stands in a shell script where its separators mean something."""
    start = script.find(text)
    if start < 0:
        return False
    quote = ""
    for char in re.sub(r"\\.", "", script[:start]):
        if char == quote:
            quote = ""
        elif not quote and char in "'\"":
            quote = char
    if quote == '"':
        return re.search(r"[\"`]|\$\(", text) is not None
    return quote == "" or "'" in text


def code(case: RuleCase) -> Finding | None:
    """Hostile objects and expressions must not run; they did not if what they start is not seen."""
    effective = _EFFECT.search(case.payload) is not None
    for event in facts.execs(case.evidence) if effective else ():
        words = [w for w in event.mode.split() if w not in ("sh", "-c", "/bin/sh")]
        if words and all(w in case.payload for w in words):
            return case.broken(f"the payload ran: {event.target} {event.mode[:80]!r}", "events")
    names = {n for t in case.texts for n in re.findall(r"\bopen\(['\"]([^'\"]+)['\"]", t)}
    paths = set(map(absolute, names))
    for event in facts.opens(case.evidence):
        if paths & {event.target, event.target + ".db"}:
            return case.broken(f"the payload ran: it opened {event.target}", "events")
    if not case.watched or case.unsettled:
        return None
    if effective and not _STATEMENT.search(case.payload):
        return case.held("the payload would have started a program, and none was", "events")
    return None


_DETAIL = re.compile(
    r"File \"[^\"]+\", line \d+|/box/[\w./]+|/usr/lib/\w+|sqlite3\.\w+|psycopg2\.|"
    r"\bSELECT\b(?:(?!\bSELECT\b).)+?\bFROM\b|0x[0-9a-f]{8,}|unrecognized token|"
    r"no such (?:table|column|function)|near \"(?:(?!near \").)*?\": syntax error",
    re.I,
)
_UNEXPOSED = re.compile(
    r"\b(?:without|no|not|never|nothing|generic)\b[^.;]*\b(?:expos|leak|reveal|disclos|detail|intern|"
    r"trace|generic)",
    re.I,
)
_URL = re.compile(r"\b([a-z][a-z0-9+.-]{0,30}):(?://)?([^\s\"'<>]*)", re.I)


def headers(case: RuleCase) -> Finding | None:
    """A line break of the input must make no header of a response."""
    response = case.evidence.observed.response
    tails = _after_breaks(case)
    if not tails or response is None:
        return None
    sent = {k: str(v) for k, v in (response.get("headers") or {}).items()}
    for tail in tails:
        name, _, value = tail.partition(":")
        if value.strip() and sent.get(name.strip().lower(), "").startswith(value.strip()):
            return case.broken(f"the input made the header {name.strip()!r}", "response")
    if case.unsettled:
        return None
    if case.refused or any(t.strip() in v for t in tails for v in map(unquote, sent.values())):
        how = "refused" if case.refused else "kept inside one header"
        return case.held(f"the line break was {how}", "response")
    return None


def lines(case: RuleCase) -> Finding | None:
    """A line break of the input must start no line of a log."""
    tails = _after_breaks(case)
    if not tails:
        return None
    shown = case.output("files", "stdout") if case.evidence.files else case.output("value")
    written = shown.splitlines()
    if forged := next((t for t in tails if any(w.startswith(t.strip()) for w in written)), ""):
        return case.broken(f"the input made the line {forged[:60]!r}", "files", "stdout")
    if not case.unsettled and any(t.strip() in w for t in tails for w in written):
        return case.held("the line break was kept inside one line", "files", "stdout")
    return None


def _after_breaks(case: RuleCase) -> list[str]:
    """What the input puts after a line break."""
    return [p for t in case.texts for p in draft.LINE_BREAK.split(t)[1:] if len(p.strip()) > 3]


def exposure(case: RuleCase) -> Finding | None:
    """No stack trace, path, query or address in what the user sees."""
    response = case.evidence.observed.response
    shown = case.output("value", "response", "stdout")
    if response is None:
        shown += "\n" + facts.raised(case.evidence)[2]
    detail = _DETAIL.search(shown)
    if detail and detail[0] not in case.payload:
        return case.broken(f"the answer shows {detail[0][:60]!r}", "output")
    if facts.traceback_in(shown):
        return case.broken("the answer shows a stack trace", "output")
    if case.refused and case.refusal.defined:
        return case.held("it refused in the words of the task and in no others", "output")
    if case.refused and _UNEXPOSED.search(case.test.behavior) and not case.must_refuse:
        return case.held("it refused, and its answer shows nothing of the inside", "output")
    if facts.raised(case.evidence)[0] and not case.must_refuse:
        return case.unknown("whether its words show something of the inside is not known", "output")
    return None


def requests(case: RuleCase) -> Finding | None:
    """A forbidden address must not be asked for, not even in vain; nor a scheme be followed."""
    hosts = {h for t in case.texts for m in _URL.finditer(t) if (h := _host(m[0]))}
    if targets := connections(case.evidence):
        return case.broken(f"it connected to {targets[0]}", "events")
    response = case.evidence.observed.response or {}
    location = str((response.get("headers") or {}).get("location", ""))
    status = int(response.get("status") or 0)
    if 300 <= status < 400 and _host(location) and _host(location) in case.payload:
        return case.broken(f"it sent the browser to {location!r}", "response")
    if 300 <= status < 400 and location and not _host(location):
        return case.held(f"it stayed on its own host ({location!r})", "response")
    if sites := looked_up(case.evidence) and draft.absent_hosts(case.task, case.test):
        asked = f"it asked for {sites[0].hostname}, and nobody answers to that name"
        return case.no_target(asked, "events")
    answer = case.output("value", "response")
    if case.refusal.kind is Kind.UNREACHED or facts.NO_ROUTE.search(answer):
        return case.broken("it tried to reach the address and failed", "exception")
    if not case.watched or not hosts or not case.refused:
        return None
    name = facts.raised(case.evidence)[0]
    return case.held("it refused and never connected" + (f" ({name})" if name else ""), "events")


def _host(url: str) -> str:
    """The host of an absolute URL, or the scheme of one that has none."""
    try:
        parts = urlsplit(url.strip().replace("\\", "/"))
        return parts.hostname or (parts.scheme if len(parts.scheme) > 1 else "")
    except ValueError:
        return ""


def looked_up(evidence: Evidence) -> bool:
    """Whether the program looked up the address of a host, after it began to serve."""
    begun, ports = 0, _served(evidence)
    if evidence.observed.kind == "response":
        calls = (
            n
            for n, e in enumerate(evidence.events)
            if e.kind == "connect"
            and e.target.rpartition(":")[2] in ports
            and (e.result >= 0 or e.error == "EINPROGRESS")
        )
        begun = next(calls, len(evidence.events))
    return any(e.kind == "open" and e.target == "/etc/hosts" for e in evidence.events[begun:])


def _served(evidence: Evidence) -> set[str]:
    """The ports that the program itself opened."""
    return {e.target.rpartition(":")[2] for e in evidence.events if e.kind == "bind"}


def connections(evidence: Evidence) -> list[str]:
    """What the program connected to, without the connections of the test's own requests."""
    ports, targets = _served(evidence), [e.target for e in facts.network(evidence, "connect")]
    if evidence.observed.kind != "response":
        return targets
    local = ("127.", "[::1]", "::1", "localhost")
    own = [t for t in targets if not (t.startswith(local) and t.rpartition(":")[2] in ports)]
    return own if ports else []


QUICK_S, PATIENT_S = 2.0, 8.0  # of CPU, because a busy machine is no harm; of a whole run
SMALL_MB, SERVED_MB = 90.0, 200.0
_NAMES_IT = re.compile(r"\bentit|doctype|document type|\bdtd\b|expan|recurs", re.I)
_PREVENT = re.compile(
    r"\bDoS\b|denial of service|exhaust|without [\w ]*(?:excessive|timeout|hang)", re.I
)


def load(case: RuleCase) -> Finding | None:
    """Time-out, memory or a flood is harm; a run that took much shows no defence."""
    run = case.evidence
    if run.status is Status.TIMEOUT and 0 < run.cpu_s < QUICK_S:
        cost = f"stopped after {run.wall_s:.1f} s with {run.cpu_s:.1f} s of work: it only waited"
        return case.unknown(cost, "status", "cpu_s")
    if facts.ended_early(run):
        return case.broken(f"the load ended the run ({run.status})", "status")
    cost = f"it took {run.cpu_s or run.own_s:.1f} s and {run.peak_mb:.0f} MB"
    if not is_modest(case) or not facts.has_memory(run):
        return case.unknown(cost, "cpu_s", "wall_s", "peak_mb")
    if "ENTITY" in case.payload and not _NAMES_IT.search(case.output()):
        return case.unknown("an answer to few entities may mean something else", "cpu_s")
    asked = case.test.cwe != "CWE-1333" and _PREVENT.search(case.test.behavior)
    if asked and not case.unsettled and not case.must_refuse:
        return case.held(cost, "cpu_s", "peak_mb")
    return None


def is_modest(case: RuleCase) -> bool:
    """Whether a run took little time and memory."""
    run = case.evidence
    quick = (run.cpu_s or run.own_s) < QUICK_S and run.own_s < PATIENT_S
    return quick and run.peak_mb < (SERVED_MB if case.task.services else SMALL_MB)
