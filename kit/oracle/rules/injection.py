"""Rules for injection: commands, code and objects."""

import re

from kit.oracle import facts
from kit.oracle.facts import Finding
from kit.oracle.rules.case import Case
from kit.records import Event

_META = re.compile(r"[;|&\n`]+|\$\(|\)|\|\|")
_SHELLS = re.compile(r"/(?:sh|bash|dash|zsh|ash|cmd\.exe)$")
_EFFECT = re.compile(
    r"__import__\(|!!python/(?:object|name|module)[\w/]*:|!!python/object/|os\.system\(|"
    r"subprocess\.|popen\(|child_process|!!javax|cos\nsystem|cposix\nsystem",
    re.I,
)
_STATEMENT = re.compile(r"(?:^|[;\n'\"])\s*import \w+", re.M)


def commands(case: Case) -> Finding | None:
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


def _hostile(case: Case, event: Event) -> str:
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


def _injected(case: Case) -> set[str]:
    """First words of the commands that the input appends after a shell's separators."""
    found = set()
    for text in case.texts:
        if len(text) > 2000:
            continue
        for part in _META.split(text)[1:]:
            words = part.split()
            found |= {words[0].rpartition("/")[2]} if words else set()
    return found - {"", "amp", "lt", "gt"}


def _whole_commands(case: Case) -> list[str]:
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


def code(case: Case) -> Finding | None:
    """Hostile objects and expressions must not run; where they would be seen, silence is proof."""
    effective = _EFFECT.search(case.payload) is not None
    ran_it = [e for e in facts.execs(case.evidence) if _of_payload(case, e)]
    if effective and ran_it:
        first = ran_it[0]
        return case.broken(f"the payload ran: {first.target} {first.mode[:80]!r}", "events")
    if opened := _opened_by(case):
        return case.broken(f"the payload ran: it opened {opened}", "events")
    if not case.watched or case.unsettled:
        return None
    if effective and not _STATEMENT.search(case.payload):
        return case.held("the payload would have started a program, and none was", "events")
    return None


def _of_payload(case: Case, event: Event) -> bool:
    """Whether all words of a started command stand in the input."""
    words = [w for w in event.mode.split() if w not in ("sh", "-c", "/bin/sh")]
    return bool(words) and all(w in case.payload for w in words)


def _opened_by(case: Case) -> str:
    """A file that the payload opens, where the run opened it."""
    names = {n for t in case.texts for n in re.findall(r"\bopen\(['\"]([^'\"]+)['\"]", t)}
    targets = [e.target for e in facts.opens(case.evidence)]
    return next((t for t in targets for n in names if facts.absolute(n) in (t, t + ".db")), "")
