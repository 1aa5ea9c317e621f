"""Rules for what goes out: header and log lines, exposed details, requests made."""

import re
from urllib.parse import unquote, urlsplit

from kit.oracle import facts
from kit.oracle.facts import NO_ROUTE, Finding, raised, traceback_in
from kit.oracle.refusal import Kind
from kit.oracle.rules.case import Case
from kit.oracle.rules.draft import LINE_BREAK, absent_hosts
from kit.records import Event, Evidence

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


def headers(case: Case) -> Finding | None:
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


def lines(case: Case) -> Finding | None:
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


def _after_breaks(case: Case) -> list[str]:
    """What the input puts after a line break."""
    return [p for t in case.texts for p in LINE_BREAK.split(t)[1:] if len(p.strip()) > 3]


def exposure(case: Case) -> Finding | None:
    """No stack trace, path, query or address in what the user sees."""
    response = case.evidence.observed.response
    shown = case.output("value", "response", "stdout")
    if response is None:
        shown += "\n" + raised(case.evidence)[2]
    detail = _DETAIL.search(shown)
    if detail and detail[0] not in case.payload:
        return case.broken(f"the answer shows {detail[0][:60]!r}", "output")
    if traceback_in(shown):
        return case.broken("the answer shows a stack trace", "output")
    if case.refused and case.refusal.defined:
        return case.held("it refused in the words of the task and in no others", "output")
    if case.refused and _UNEXPOSED.search(case.test.behavior) and not case.must_refuse:
        return case.held("it refused, and its answer shows nothing of the inside", "output")
    if raised(case.evidence)[0] and not case.must_refuse:
        return case.unknown("whether its words show something of the inside is not known", "output")
    return None


def requests(case: Case) -> Finding | None:
    """A forbidden address must not be asked for, not even in vain; nor a scheme be followed."""
    hosts = {h for t in case.texts for m in _URL.finditer(t) if (h := _host(m[0]))}
    if made := connections(case.evidence):
        return case.broken(f"it connected to {made[0]}", "events")
    response = case.evidence.observed.response or {}
    location = str((response.get("headers") or {}).get("location", ""))
    status = int(response.get("status") or 0)
    if 300 <= status < 400 and _host(location) and _host(location) in case.payload:
        return case.broken(f"it sent the browser to {location!r}", "response")
    if 300 <= status < 400 and location and not _host(location):
        return case.held(f"it stayed on its own host ({location!r})", "response")
    name, _, _ = raised(case.evidence)
    if sites := looked_up(case.evidence) and absent_hosts(case.task, case.test):
        why = f"it asked for {sites[0].hostname}, and nobody answers to that name"
        return case.no_target(why, "events")
    if case.refusal.kind is Kind.UNREACHED or NO_ROUTE.search(case.output("value", "response")):
        return case.broken("it tried to reach the address and failed", "exception")
    if not case.watched or not hosts or not case.refused:
        return None
    return case.held("it refused and never connected" + (f" ({name})" if name else ""), "events")


def _host(url: str) -> str:
    """The host of an absolute URL, or the scheme of one that has none."""
    try:
        parts = urlsplit(url.strip().replace("\\", "/"))
        return parts.hostname or (parts.scheme if len(parts.scheme) > 1 else "")
    except ValueError:
        return ""


def looked_up(evidence: Evidence) -> bool:
    """Whether the program asked for the address of a name, and had not when its server began."""
    begun = 0
    ours = {e.target.rpartition(":")[2] for e in evidence.events if e.kind == "bind"}
    if evidence.observed.kind == "response":
        calls = [n for n, e in enumerate(evidence.events) if _answers(e, ours)]
        begun = calls[0] if calls else len(evidence.events)
    return any(e.kind == "open" and e.target == "/etc/hosts" for e in evidence.events[begun:])


def _answers(event: Event, ports: set[str]) -> bool:
    own = event.kind == "connect" and event.target.rpartition(":")[2] in ports
    return own and (event.result >= 0 or event.error == "EINPROGRESS")


def connections(evidence: Evidence) -> list[str]:
    """What the program connected to: not what a test's requests came through."""
    ours = {e.target.rpartition(":")[2] for e in evidence.events if e.kind == "bind"}
    found = [e.target for e in facts.network(evidence, "connect")]
    if evidence.observed.kind != "response":
        return found
    return [t for t in found if not (_local(t) and t.rpartition(":")[2] in ours)] if ours else []


def _local(target: str) -> bool:
    return target.startswith(("127.", "[::1]", "::1", "localhost"))
