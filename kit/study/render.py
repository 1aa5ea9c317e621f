"""One sample as HTML: code with covered lines, evidence, verdict, diff; all of it escaped."""

import difflib
import html
import json
import re
from collections.abc import Iterable
from typing import Any

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from kit.languages import LANGUAGES
from kit.records import Evidence, Outcome, Task, Test, Verdict

COLOURS = {Outcome.PASS: "#1b7837", Outcome.FAIL: "#b2182b", Outcome.UNKNOWN: "#7f7f7f"}
LIMIT = 4000
BOX = (
    "style='font-family:monospace;font-size:12px;line-height:1.35;white-space:pre-wrap;"
    "overflow-wrap:anywhere;margin:0'"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def text(value: Any, limit: int = LIMIT) -> str:
    """Untrusted text, safe to show: escaped, control and direction characters spelled out, cut."""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    shown = _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", plain[:limit])
    more = f" ... ({len(plain) - limit} more characters)" if len(plain) > limit else ""
    return html.escape(shown + more)


def pre(value: Any) -> str:
    return f"<pre {BOX}>{text(value)}</pre>"


def panel(title: str, body: str) -> str:
    head = f"<div style='font-weight:600;margin:8px 0 2px'>{html.escape(title)}</div>"
    return f"<div>{head}{body}</div>"


def columns(*panels: str) -> str:
    style = f"display:grid;grid-template-columns:repeat({len(panels)},minmax(0,1fr));gap:16px"
    cells = "".join(f"<div style='min-width:0'>{p}</div>" for p in panels)
    return f"<div style='{style}'>{cells}</div>"


def code(source: str, language: str, covered: Iterable[int] = ()) -> str:
    """The program with line numbers; the lines that this test executed are marked."""
    formatter = HtmlFormatter(noclasses=True, nowrap=True)
    shown = highlight(
        _CONTROL.sub("\N{REPLACEMENT CHARACTER}", source), _lexer(language), formatter
    )
    lines = shown.rstrip("\n").split("\n")
    marked = set(covered)
    rows = []
    for number, line in enumerate(lines, 1):
        colour = "background:#e3f1e3;border-left:3px solid #1b7837" if number in marked else (
            "border-left:3px solid transparent")  # fmt: skip
        gutter = f"<span style='color:#999;user-select:none'>{number:4} </span>"
        rows.append(f"<div style='{colour};padding-left:4px'>{gutter}{line or ' '}</div>")
    return f"<pre {BOX}>{''.join(rows)}</pre>"


def _lexer(language: str) -> Any:
    known = language in LANGUAGES and LANGUAGES[language].marks
    return get_lexer_by_name(language if known else "text", stripnl=False, ensurenl=True)


def diff(theirs: str, reference: str, name: str) -> str:
    """What changes the sample into the secure reference, line by line."""
    lines = difflib.unified_diff(
        theirs.splitlines(), reference.splitlines(), "this program", name, lineterm="", n=2
    )
    colour = {"+": "#e3f1e3", "-": "#f8e1e1", "@": "#eeeeee"}
    rows = [
        f"<div style='background:{colour.get(line[:1], 'none')}'>{text(line) or ' '}</div>"
        for line in lines
    ]
    return f"<pre {BOX}>{''.join(rows) or 'The programs are equal.'}</pre>"


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
    head = (
        f"<b style='color:{COLOURS[v.outcome]}'>{v.outcome.upper()}</b> by {html.escape(v.oracle)}"
    )
    rests = f"rests on: {', '.join(v.rests_on)}" if v.rests_on else ""
    return panel("verdict", f"{head} ({v.reason})<br>{text(v.sentence)}<br><i>{text(rests)}</i>")


def sample(task: Task, source: str, language: str, test: Test, seen: Evidence | None,
           judged: Verdict | None, reference: str = "") -> str:  # fmt: skip
    """Everything about one test of one sample, side by side."""
    lines = seen.observed.lines if seen else ()
    left = panel(f"program ({language}; marked lines were executed)", code(source, language, lines))
    right = verdict(judged) + question(test) + evidence(seen)
    page = panel("specification", pre(task.prompt)) + columns(left, right)
    if reference:
        page += panel("what the secure reference does otherwise",
                      diff(source, reference, "secure reference"))  # fmt: skip
    return f"<div style='font-family:sans-serif;font-size:13px'>{page}</div>"
