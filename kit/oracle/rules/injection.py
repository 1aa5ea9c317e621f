"""Rules for injection: commands, code and objects, queries."""

import re

from kit.oracle import side_effects
from kit.oracle.describe import Finding
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
_TAUTOLOGY = re.compile(
    r"\bor\b\s+(?:'[^']*'|\"[^\"]*\"|\d+|\w+)\s*(?:=|like|is not)\s*(?:'|\"|\d|null|\w)|"
    r"\bunion\b(?:(?!\bunion\b).)*\bselect\b",
    re.I,
)
_BOOKS = re.compile(r"^\W*\w+ \w+ ?[\"'`]?sqlite_(?:sequence|stat\d)", re.I)
_SQL_FAULT = re.compile(
    r"near \"(?:(?!near \").)*?\": syntax error|unrecognized token|"
    r"You can only execute one statement|no such column|incomplete input|"
    r"sqlite3\.\w*(?:Error|Warning)|SQL syntax",
    re.I,
)


def commands(case: Case) -> Finding | None:
    """Nothing of the input may become a program, nor reach a shell except as one quoted word."""
    runs = side_effects.execs(case.evidence)
    for event in runs:
        if reason := _hostile(case, event):
            return case.broken(f"{reason}: {event.target} {event.mode[:80]!r}", "events")
    if not case.watched or case.unsettled:
        return None
    if not runs and any(_META.search(t) for t in case.texts):
        return case.held("it started no program at all", "events")
    if all(_SHELLS.search(e.target) is None for e in runs) and _one_word(case, runs):
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


def _one_word(case: Case, runs: list[Event]) -> bool:
    texts = [t for t in case.texts if _META.search(t)]
    return any(t.strip() and t.strip() in e.mode for t in texts for e in runs)


def code(case: Case) -> Finding | None:
    """Hostile objects and expressions must not run; where they would be seen, silence is proof."""
    effective = _EFFECT.search(case.payload) is not None
    ran_it = [e for e in side_effects.execs(case.evidence) if _of_payload(case, e)]
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
    targets = [e.target for e in side_effects.opens(case.evidence)]
    return next(
        (t for t in targets for n in names if side_effects.absolute(n) in (t, t + ".db")), ""
    )


def queries(case: Case) -> Finding | None:
    """The database is as it was and nothing of it came out; else what the source text proves."""
    if (found := _database_harm(case)) is not None:
        return found
    if fault := _SQL_FAULT.search(case.output() + case.evidence.err):
        return case.broken(f"the input was read as SQL ({fault[0]!r})", "output")
    if case.unsettled:
        return None
    if _TAUTOLOGY.search(case.payload) and case.gave_nothing and _all_as_before(case):
        why = "a condition that is always true changed nothing and brought nothing"
        return case.held(why, "databases", case.evidence.observed.kind)
    return None


def _pairs(case: Case) -> list[tuple[str, list[str], list[str]]]:
    """Path, statements before and after; a database that was not dumped is as it was."""
    found = []
    dumped = case.evidence.observed.databases
    opened = {side_effects.relative(e.target) for e in side_effects.opens(case.evidence)}
    there = [p for p, b in case.task.files.items() if b.startswith(b"SQLite") and p in opened]
    for path in dict.fromkeys((*dumped, *there)):
        before = side_effects.dump_before(case.task, path)
        after = dumped.get(path, before)
        if before is not None and after is not None:
            found.append((path, side_effects.statements(before), side_effects.statements(after)))
    return found


def _database_harm(case: Case) -> Finding | None:
    for path, was, now in _pairs(case):
        kept = set(now)
        if lost := [s for s in was if s not in kept and not _BOOKS.search(s)]:
            why = f"{path} lost {len(lost)} statements, the first {lost[0][:80]!r}"
            return case.broken(why, "databases")
        shown = [c for s in was for c in re.findall(r"'([^']{3,})'", s) if s.startswith("INSERT")]
        out = case.output()
        leaked = [c for c in shown if c in out and c not in case.payload]
        if leaked and _TAUTOLOGY.search(case.payload):
            return case.broken(f"rows of {path} came out ({leaked[0]!r})", "databases", "output")
    return None


def _all_as_before(case: Case) -> bool:
    pairs = _pairs(case)
    return bool(pairs) and all(was == now for _, was, now in pairs)
