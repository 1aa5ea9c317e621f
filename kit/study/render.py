"""One sample as HTML: verdict, tests, program with marked lines, evidence; all of it escaped."""

import difflib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pygments import lex
from pygments.lexers import get_lexer_by_name

from kit.languages import LANGUAGES
from kit.records import Evidence, Finding, Sample, Task, Test, Verdict
from kit.study import look

LIMIT = 4000  # characters of a text
CELL = 300  # characters of a table's cell
HEAD = (500, 40_000)  # lines and characters of a program that are coloured and shown at once
LINE = 2000  # characters of a line
WHOLE = 2_000_000  # characters of a program that are on the page at all
DIFF = 3000  # lines of a program that are compared
Row = tuple[Test, Evidence | None, Verdict | None]


def text(value: Any, limit: int = LIMIT) -> str:
    """Untrusted text, safe to show: escaped, control and direction characters spelled out, cut."""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    more = f" ... ({len(plain) - limit} more characters)" if len(plain) > limit else ""
    return html.escape(look.visible(plain[:limit]) + more)


def pre(value: Any) -> str:
    return f"<pre>{text(value)}</pre>"


def panel(title: str, body: str) -> str:
    return f"<div><h4>{text(title)}</h4>{body}</div>"


def folded(title: str, body: str) -> str:
    """A panel that opens when its title is clicked."""
    return f"<details><summary>{text(title)}</summary>{body}</details>"


def columns(*panels: str) -> str:
    cells = "".join(f"<div style='min-width:0'>{p}</div>" for p in panels)
    return f"<div class='two'>{cells}</div>"


def code(source: str, language: str, covered: Iterable[int] = (),
         alerts: Mapping[int, str] | None = None) -> str:  # fmt: skip
    """The program with line numbers; executed lines and lines with alerts are marked.

    Of a long program the first lines are coloured; the others are folded, plain and marked.
    """
    kept = source[:WHOLE].replace("\r\n", "\n")
    lines = look.visible(kept).rstrip("\n").split("\n")
    size, n = 0, 0
    while n < min(len(lines), HEAD[0]) and (n == 0 or size < HEAD[1]):
        size, n = size + len(lines[n]), n + 1
    ran, alerts = set(covered), alerts or {}
    shown = [
        _line(k, body, ran, alerts) for k, body in enumerate(_coloured(lines[:n], language), 1)
    ]
    out = f"<pre class='code'>{''.join(shown)}</pre>"
    if n < len(lines):
        rest = "\n".join(_plain(k, line, ran, alerts) for k, line in enumerate(lines[n:], n + 1))
        body = f"<pre class='code'>{rest}</pre>"
        out += folded(f"{len(lines) - n} more lines, to {len(lines)}", body)
    if len(source) > WHOLE:
        out += f"<div class='quiet'>{len(source) - WHOLE} more characters are not shown.</div>"
    return out


def _line(number: int, body: str, ran: set[int], alerts: Mapping[int, str]) -> str:
    kind = "alert" if number in alerts else "ran" if number in ran else ""
    said = f"  <b>◀ {text(alerts[number], CELL)}</b>" if number in alerts else ""
    gutter = f"<span class='no'>{number:4} </span>"
    return f"<div class='{kind}'>{gutter}{body or ' '}{said}</div>"


def _plain(number: int, line: str, ran: set[int], alerts: Mapping[int, str]) -> str:
    if number in alerts or number in ran:
        return _line(number, text(line, LINE), ran, alerts)
    cut = line if len(line) <= LINE else f"{line[:LINE]} ... ({len(line) - LINE} more characters)"
    return f"{number:4} {html.escape(cut)}"


def _coloured(lines: Sequence[str], language: str) -> list[str]:
    """The lines as HTML, each with all of its own tags."""
    if any(len(line) > LINE for line in lines):
        return [text(line, LINE) for line in lines]
    known = language in LANGUAGES and LANGUAGES[language].marks
    lexer = get_lexer_by_name(language if known else "text", stripnl=False, ensurenl=True)
    out = [""]
    for kind, value in lex("\n".join(lines), lexer):
        name = next((c for prefix, c in look.TOKENS if str(kind).startswith(f"Token.{prefix}")), "")
        for n, part in enumerate(value.split("\n")):
            if n:
                out.append("")
            if part:
                safe = html.escape(part)
                out[-1] += f"<span class='{name}'>{safe}</span>" if name else safe
    return out[: len(lines)]


def diff(theirs: str, reference: str, name: str, *, first: str = "this program") -> str:
    """Two programs side by side where they differ, line beside line, with two lines around."""
    ours, other = theirs.splitlines(), reference.splitlines()
    if max(len(ours), len(other)) > DIFF:
        return pre(f"Programs of more than {DIFF} lines are not compared.")
    groups = difflib.SequenceMatcher(None, ours, other, autojunk=False).get_grouped_opcodes(2)
    parts = ["".join(_beside(ours, other, *op) for op in group) for group in groups]
    if not parts:
        return pre("The programs are equal.")
    gap = "<tr class='hunk'><td colspan='4'>⋯</td></tr>"
    sides = "".join(f"<th colspan='2'>{text(n, CELL)}</th>" for n in (first, name))
    wide = "<col style='width: 3em'><col>" * 2
    return (
        f"<table class='sides'><colgroup>{wide}</colgroup><tr>{sides}</tr>{gap.join(parts)}</table>"
    )


def _beside(ours: list[str], other: list[str], tag: str, a: int, b: int, c: int, d: int) -> str:
    """The lines a to b of one program beside the lines c to d of the other, as rows of a table."""
    rows = []
    for n in range(max(b - a, d - c)):
        row = ""
        for lines, at, end, kind in ((ours, a + n, b, "minus"), (other, c + n, d, "plus")):
            number, line = (at + 1, text(lines[at], LINE)) if at < end else ("", "")
            shade = kind if tag != "equal" and at < end else ""
            row += f"<td class='no'>{number}</td><td class='{shade}'>{line}</td>"
        rows.append(f"<tr>{row}</tr>")
    return "".join(rows)


def question(test: Test) -> str:
    """What was put to the program, and what was hoped for."""
    hoped = test.expected if test.kind == "functional" else test.behavior
    body = panel(f"input of {test.id} {test.cwe}", pre(test.input or test.input_file))
    body += panel("expected", pre(hoped))
    if test.probes:
        body += panel("probes", pre("\n".join(json.dumps(p) for p in test.probes)))
    return body


def evidence(seen: Evidence | None) -> str:
    """What the run left behind: status, what the call gave, streams, events, files."""
    if seen is None:
        return panel("evidence", pre("This test was not run."))
    numbers = f"{seen.wall_s:.2f} s wall, {seen.cpu_s:.2f} s CPU, {seen.peak_mb:.0f} MB"
    ended = f"exit code {seen.exit_code}" if seen.signal is None else f"signal {seen.signal}"
    head = f"{seen.status}: {ended}; {numbers}; {seen.isolation}\n{seen.note}"
    head += f"\nnot all was seen: {', '.join(seen.lost)}" if seen.lost else ""
    parts = [panel("run", pre(head.strip())), panel("observed", pre(observed(seen)))]
    parts += [panel(n, pre(s)) for n, s in (("stdout", seen.out), ("stderr", seen.err)) if s]
    if seen.events:
        parts.append(panel("what it did", pre("\n".join(events(seen)))))
    if seen.files:
        listed = "\n".join(f"{name} ({len(data)} bytes)" for name, data in seen.files.items())
        parts.append(panel("files written", pre(listed)))
    return "".join(parts)


def observed(seen: Evidence) -> str:
    o = seen.observed
    if o.kind == "exception":
        return f"{o.exception}: {o.message}"
    if o.kind == "response":
        return json.dumps(o.response, ensure_ascii=False, indent=1)
    return f"{o.kind}: {json.dumps(o.value, ensure_ascii=False)}" if o.kind == "value" else o.kind


def events(
    seen: Evidence, *, noise: tuple[str, ...] = ("/usr/lib/", "/lib/", "/proc/")
) -> list[str]:
    """The events that are not the toolchain's own reading, a line each."""
    own = [e for e in seen.events if not (e.kind == "open" and e.target.startswith(noise))]
    return [f"{e.kind:8}{e.target} {e.mode} {e.error}".rstrip() for e in own]


def verdict(v: Verdict | None) -> str:
    if v is None:
        return panel("verdict", pre("No verdict."))
    head = f"<b class='{v.outcome}'>{look.MARKS[v.outcome]} {v.outcome.upper()}</b> {text(v.test)}"
    rests = f"rests on: {', '.join(v.rests_on)}" if v.rests_on else ""
    body = f"{head} by {text(v.oracle)} ({v.reason})<br>{text(v.sentence)}<br><i>{text(rests)}</i>"
    return panel("verdict", body)


def every_test(rows: Iterable[Row], now: str = "") -> str:
    """Every test of one sample in a table: input, expected, observed, verdict, reason."""
    names = ("test", "input", "expected", "observed", "verdict", "reason")
    body = "".join(_test(*row, now) for row in rows)
    head = "".join(f"<th>{n}</th>" for n in names)
    table = f"<div style='overflow-x:auto'><table><tr>{head}</tr>{body}</table></div>"
    return panel("every test of this program", table)


def _test(test: Test, seen: Evidence | None, judged: Verdict | None, now: str) -> str:
    hoped = test.behavior or test.expected
    got = "not run" if seen is None else short(seen)
    outcome = judged.outcome if judged else "unknown"
    why = f"{judged.reason}: {judged.sentence}" if judged else ""
    cells = (test.input or test.input_file, "" if hoped is None else hoped, got)
    kind = f"{outcome} now" if test.id == now else str(outcome)
    said = f"<td class='key {outcome}'>{look.MARKS[outcome]} {outcome}</td>"
    named = f"<td class='key'>{text(f'{test.id} {test.cwe}', CELL)}</td>"
    middle = "".join(f"<td>{text(cell, CELL)}</td>" for cell in cells)
    return f"<tr class='{kind}'>{named}{middle}{said}<td>{text(why, CELL)}</td></tr>"


def short(seen: Evidence) -> str:
    """What was observed, or how the run ended where that says more."""
    told = observed(seen)
    if seen.observed.kind in ("nothing", "output"):
        told = seen.out or seen.err or f"exit code {seen.exit_code}"
    return told if seen.status == "completed" else f"{seen.status}; {told}"


def findings(found: Sequence[Finding]) -> str:
    """The alerts of one sample, innermost place first; nothing where there is none."""
    if not found:
        return ""
    rows = "".join(
        f"<tr><td class='fail'>{text(f'{f.engine} {f.cwe}', CELL)}</td>"
        f"<td>{text(f.kind or f.rule, CELL)}</td><td>{text(place(f), CELL)}</td>"
        f"<td>{text(f.message, CELL)}</td><td>{text(chr(10).join(f.flow), LIMIT)}</td></tr>"
        for f in found
    )
    head = "".join(f"<th>{n}</th>" for n in ("engine", "alert", "where", "message", "flow"))
    table = f"<div style='overflow-x:auto'><table><tr>{head}</tr>{rows}</table></div>"
    return panel(f"{len(found)} findings", table)


def place(f: Finding) -> str:
    return f"{f.file}:{f.line} {f.function}".strip(": ")


def alerts(found: Iterable[Finding], source: str) -> dict[int, str]:
    """Line of the program -> what was found there; a finding of another file marks nothing.

    Where a finding names a function, the program must have a function of that name: the line of an
    edit is counted in a file of which the program is a part.
    """
    size, out = source.count("\n") + 1, dict[int, str]()
    for f in found:
        if 1 <= f.line <= size and f.function.split("(")[0].split(".")[-1] in source:
            said = f"{f.cwe} {f.kind or f.rule}".strip()
            out[f.line] = f"{out[f.line]}; {said}" if f.line in out else said
    return out


def sample(task: Task, shown: Sample, rows: Sequence[Row], now: str, *, reference: str = "",
           found: Sequence[Finding] = (), beside: str = "") -> str:  # fmt: skip
    """Everything about one sample, one of its tests in full: the verdict first.

    beside: a further panel, such as `other` gives.
    """
    test, seen, judged = next(row for row in rows if row[0].id == now)
    lines = seen.observed.lines if seen else ()
    marks = alerts(found, shown.code)
    told = code(shown.code, shown.language, lines, marks)
    title = f"program ({shown.language}; marked lines were executed)"
    page = f"<h4>{text(named(task, shown))}</h4>{verdict(judged)}"
    page += findings(found) + every_test(rows, now)
    page += columns(panel(title, told), question(test) + evidence(seen))
    if reference:
        changes = diff(shown.code, reference, "secure reference")
        page += folded("what the secure reference does otherwise", changes)
    return look.whole(page + beside + folded("specification", pre(task.prompt)))


def named(task: Task, shown: Sample) -> str:
    """Which sample this is, every name whole."""
    arm = ", ".join(f"{name} {value}" for name, value in shown.arm.items())
    title = f"{task.id} {task.title}".strip()
    return f"{title}: {shown.model} #{shown.index}{f' ({arm})' if arm else ''}"


def other(name: str, shown: Sample, rows: Sequence[Row], found: Sequence[Finding] = ()) -> str:
    """A sample to stand beside another: under its name its verdicts and its program."""
    marks = alerts(found, shown.code)
    body = every_test(rows) + panel("program", code(shown.code, shown.language, alerts=marks))
    return f"<hr>{panel(name, findings(found) + body)}"
