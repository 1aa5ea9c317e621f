"""Rules for what comes back: markup, header and log lines, exposed details, requests made."""

import html
import re
from urllib.parse import unquote, urlsplit

from kit.oracle.describe import Finding, raised, raised_as, traceback_in
from kit.oracle.refusal import Kind
from kit.oracle.rules import counterfactual
from kit.oracle.rules.case import Case

_MARKUP = re.compile(
    r"<\s*(?:script|img|svg|iframe|body|a|div|b|i|object|embed|style)\b[^>]*>?", re.I
)
_HANDLER = re.compile(r"[\"'][^\"'<>]*\bon\w+\s*=", re.I)
_BREAK = re.compile(r"\r\n|\n|\r|\u2028|\u2029|\x85|%0d%0a|%0a|%0d", re.I)
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
_LOOKUP = re.compile(
    r"name or service not known|temporary failure in name resolution|getaddrinfo|ENOTFOUND|"
    r"EAI_AGAIN|connection refused|network is unreachable|no route to host|timed out",
    re.I,
)


def markup(case: Case) -> Finding | None:
    """Tags of the input must not come back as tags of a page."""
    tags = [m[0] for t in case.texts for m in _MARKUP.finditer(t)]
    tags += [m[0] for t in case.texts for m in _HANDLER.finditer(t)]
    if not tags:
        return None
    page = _page(case)
    if page is None:
        return None
    if back := next((t for t in tags if t in page), ""):
        return case.broken(f"{back!r} of the input came back as markup", "response")
    if case.unsettled:
        return None
    escaped = any(html.escape(t, quote=q) in page for t in tags for q in (True, False))
    if escaped or case.refused or any("&lt;" in page for _ in tags):
        how = "escaped" if escaped else "not shown"
        return case.held(f"the markup of the input was {how}", "response")
    words = {w for t in tags for w in re.findall(r"\w{6,}", _after(case, t))}
    if words and all(w in page for w in words) and "<" not in page:
        return case.held("the tags of the input were taken out, and its words left", "response")
    return None


def _after(case: Case, tag: str) -> str:
    """The text between a tag of the input and the next."""
    tail = next((t.partition(tag)[2] for t in case.texts if tag in t), "")
    return tail.partition("<")[0]


def _page(case: Case) -> str | None:
    """The text that a browser would read as a page, or None where there is none."""
    seen = case.evidence.observed
    if seen.kind == "response" and seen.response is not None:
        kind = str((seen.response.get("headers") or {}).get("content-type", "text/html"))
        return str(seen.response.get("body", "")) if "html" in kind else None
    about = re.search(r"html|web ?page|markup|template", case.task.prompt, re.I)
    return case.output("value", "stdout") if about else None


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
    return [p for t in case.texts for p in _BREAK.split(t)[1:] if len(p.strip()) > 3]


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
    if case.refused and case.refusal.defined and not case.demand.classes:
        return case.held("it refused in the words of the task and in no others", "output")
    if case.refused and _UNEXPOSED.search(case.test.behavior) and as_named(case):
        return case.held("it refused, and its answer shows nothing of the inside", "output")
    return None


def as_named(case: Case) -> bool:
    """Whether the exception is of a class that the demand names, where it names any."""
    name, bases, _ = raised(case.evidence)
    wanted = case.demand.classes
    return not wanted or any(raised_as(c, name, bases, language=case.language) for c in wanted)


def requests(case: Case) -> Finding | None:
    """A forbidden address must not be asked for, not even in vain; nor a scheme be followed."""
    hosts = {h for t in case.texts for m in _URL.finditer(t) if (h := _host(m[0]))}
    if made := counterfactual.connections(case.evidence):
        return case.broken(f"it connected to {made[0]}", "events")
    response = case.evidence.observed.response or {}
    location = str((response.get("headers") or {}).get("location", ""))
    status = int(response.get("status") or 0)
    if 300 <= status < 400 and _host(location) and _host(location) in case.payload:
        return case.broken(f"it sent the browser to {location!r}", "response")
    if 300 <= status < 400 and location and not _host(location):
        return case.held(f"it stayed on its own host ({location!r})", "response")
    name, _, _ = raised(case.evidence)
    if sites := counterfactual.absent_hosts(case):
        why = f"it asked for {sites[0].hostname}, and nobody answers to that name"
        return case.no_target(why, "events")
    if case.refusal.kind is Kind.UNREACHED or _LOOKUP.search(case.output("value", "response")):
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
