"""One sample as HTML: verdict, tests, program with marked lines, evidence; all of it escaped.

One style sheet, which follows JupyterLab's theme, light or dark: its variables, and where there are
none, the text's own colour and tints that show on a light and on a dark ground.
"""

import difflib
import html
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pygments import lex
from pygments.lexers import get_lexer_by_name

from kit.languages import LANGUAGES
from kit.records import Evidence, Finding, Sample, Task, Test, Verdict

SHEET = """
.kit { font-family: var(--jp-ui-font-family, sans-serif); font-size: 13px; line-height: 1.4;
  color: var(--jp-ui-font-color1, inherit); overflow-wrap: break-word; hyphens: none; }
.kit h4 { font-size: 13px; font-weight: 600; margin: 10px 0 2px; }
.kit summary { font-weight: 600; cursor: pointer; margin: 8px 0 2px; }
.kit pre { font-family: var(--jp-code-font-family, monospace); font-size: 12px; line-height: 1.35;
  margin: 0; padding: 0; background: none; color: inherit; white-space: pre-wrap;
  overflow-wrap: break-word; word-break: normal; }
.kit pre.code { white-space: pre; overflow-x: auto; border: 1px solid #8885; padding: 2px 0; }
.kit pre.code div { padding-left: 4px; border-left: 3px solid transparent; min-width: max-content; }
.kit pre.code .no, .kit .quiet { color: var(--jp-ui-font-color2, #888); user-select: none; }
.kit pre.code .ran { border-left-color: #1b9e5a; background: #1b9e5a26; }
.kit pre.code .alert { border-left-color: #d55e00; background: #d55e0040; }
.kit .two { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 16px; }
.kit b.pass, .kit td.pass { color: #1b9e5a; } .kit b.fail, .kit td.fail { color: #e0433f; }
.kit b.unknown, .kit td.unknown { color: #8a8a8a; }
.kit b.pass, .kit b.fail, .kit b.unknown { font-size: 15px; }
.kit .plus { background: #1b9e5a26; } .kit .minus { background: #e0433f26; }
.kit .hunk td { background: #8883; text-align: center; }
.kit table.sides { table-layout: fixed; font-family: var(--jp-code-font-family, monospace); }
.kit table.sides td { border: 0; padding: 0 4px; max-width: none; }
.kit table.sides td.plus { background: #1b9e5a26; }
.kit table.sides td.minus { background: #e0433f26; }
.kit table.sides td.no { text-align: right; color: var(--jp-ui-font-color2, #888); }
.kit table { border-collapse: collapse; font-size: 12px; width: 100%; }
.kit th, .kit td { text-align: left; vertical-align: top; padding: 2px 8px 2px 0;
  border-bottom: 1px solid #8884; background: none; color: inherit; white-space: pre-wrap;
  overflow-wrap: break-word; max-width: 30em; }
.kit th { font-weight: 600; white-space: nowrap; }
.kit td.key { white-space: nowrap; font-family: var(--jp-code-font-family, monospace); }
.kit tr.now { background: #56b4e92e; } .kit tr.fail td.key { color: #e0433f; }
.kit .k { color: var(--jp-mirror-editor-keyword-color, #0a84c1); font-weight: 600; }
.kit .s { color: var(--jp-mirror-editor-string-color, #c4453c); }
.kit .c { color: var(--jp-mirror-editor-comment-color, #7a8f7a); font-style: italic; }
.kit .m { color: var(--jp-mirror-editor-number-color, #1b8f5a); }
.kit .n { color: var(--jp-mirror-editor-def-color, #4d7ce0); }
.kit-list select { font-family: var(--jp-code-font-family, monospace); font-size: 12px;
  background: var(--jp-layout-color1, Canvas); color: var(--jp-ui-font-color1, CanvasText); }
.widget-html-content pre.kit-head { font-family: var(--jp-code-font-family, monospace);
  font-size: 12px; font-weight: 600; line-height: 1.2; margin: 0 0 0 2px; padding: 0 3px;
  white-space: pre; }
.kit-list option[data-value^="%E2%9C%97"] { color: #e0433f; }
.kit-list option[data-value^="%E2%9C%93"] { color: #1b9e5a; }
"""
STYLE = f"<style>{SHEET}</style>"
MARKS = {"pass": "✓", "fail": "✗", "unknown": "?"}
TOKENS = (("Keyword", "k"), ("Literal.String", "s"), ("Comment", "c"), ("Literal.Number", "m"),
          ("Name.Function", "n"), ("Name.Class", "n"))  # fmt: skip
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Control and direction characters spelled out, and halves of characters; no line is added."""
    return _CONTROL.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def one_line(text: object) -> str:
    """A text in one line, for a list's row."""
    return " ".join(visible(str(text)).split())


def page_of(body: str) -> str:
    """A page by itself, with the style sheet that it needs."""
    return f"{STYLE}<div class='kit'>{body}</div>"


LIMIT = 4000  # characters of a text
CELL = 300  # characters of a table's cell
HEAD = (500, 40_000)  # lines and characters of a program that are coloured and shown at once
LINE = 2000  # characters of a line
WHOLE = 2_000_000  # characters of a program that are on the page at all
DIFF = 3000  # lines of a program that are compared
EVENTS = 1000  # lines of what a program did
Row = tuple[Test, Evidence | None, Verdict | None]


def cut(value: Any, limit: int = LIMIT) -> str:
    """A value as text: control and direction characters spelled out, at most `limit` of it."""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    more = f" ... ({len(plain) - limit} more characters)" if len(plain) > limit else ""
    return visible(plain[:limit]) + more


def text(value: Any, limit: int = LIMIT) -> str:
    """`cut`, escaped: untrusted text that is safe to show."""
    return html.escape(cut(value, limit))


def test_cells(test: Test, seen: Evidence | None, judged: Verdict | None) -> tuple[Any, ...]:
    """What every page says of one test: input, expected, observed, verdict, reason, sentence."""
    put = test.input if test.input is not None else test.input_file
    hoped = test.behavior or test.expected
    observation = "not run" if seen is None else short(seen)
    verdict = (judged.outcome, judged.reason, judged.sentence) if judged else ("unknown", "", "")
    return (put, "" if hoped is None else hoped, observation, *map(str, verdict))


def finding_cells(f: Finding) -> tuple[str, str, str, str]:
    """What every page says of one finding: engine and CWE, alert, place, message."""
    return (
        f"{f.engine} {f.cwe}",
        f.kind or f.rule,
        f"{f.file}:{f.line} {f.function}".strip(": "),
        f.message,
    )


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
    lines = visible(kept).rstrip("\n").split("\n")
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
        name = next((c for prefix, c in TOKENS if str(kind).startswith(f"Token.{prefix}")), "")
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
    from kit.harness import wording  # a page is written without the harness until it shows a run

    head = f"{wording.status(seen)}\nCPU seconds: {seen.cpu_s:.2f}\nisolation: {seen.isolation}"
    head += f"\nnot all was seen: {', '.join(seen.lost)}" if seen.lost else ""
    parts = [panel("run", pre(head)), panel("observed", pre(wording.answer(seen)))]
    parts += [panel(n, pre(s)) for n, s in (("stdout", seen.out), ("stderr", seen.err)) if s]
    if seen.events:
        parts.append(panel("what it did", pre("\n".join(wording.events(seen, most=EVENTS)))))
    if seen.files:
        listed = "\n".join(f"{name} ({len(data)} bytes)" for name, data in seen.files.items())
        parts.append(panel("files written", pre(listed)))
    return "".join(parts)


def verdict(v: Verdict | None) -> str:
    if v is None:
        return panel("verdict", pre("No verdict."))
    head = f"<b class='{v.outcome}'>{MARKS[v.outcome]} {v.outcome.upper()}</b> {text(v.test)}"
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
    *cells, outcome, reason, sentence = test_cells(test, seen, judged)
    why = f"{reason}: {sentence}" if judged else ""
    kind = f"{outcome} now" if test.id == now else outcome
    verdict_cell = f"<td class='key {outcome}'>{MARKS[outcome]} {outcome}</td>"
    name = f"<td class='key'>{text(f'{test.id} {test.cwe}', CELL)}</td>"
    middle = "".join(f"<td>{text(cell, CELL)}</td>" for cell in cells)
    return f"<tr class='{kind}'>{name}{middle}{verdict_cell}<td>{text(why, CELL)}</td></tr>"


def short(seen: Evidence) -> str:
    """What was observed, or how the run ended where that says more."""
    from kit.harness import wording

    answer = wording.described(seen, CELL)
    if seen.observed.kind in ("nothing", "output"):
        answer = seen.out or seen.err or f"exit code {seen.exit_code}"
    return answer if seen.status == "completed" else f"{seen.status}; {answer}"


def findings(found: Sequence[Finding]) -> str:
    """The alerts of one sample, innermost place first; nothing where there is none."""
    if not found:
        return ""
    rows = ""
    for f in found:
        engine, *cells = (text(cell, CELL) for cell in finding_cells(f))
        middle = "".join(f"<td>{cell}</td>" for cell in (*cells, text(chr(10).join(f.flow))))
        rows += f"<tr><td class='fail'>{engine}</td>{middle}</tr>"
    head = "".join(f"<th>{n}</th>" for n in ("engine", "alert", "where", "message", "flow"))
    table = f"<div style='overflow-x:auto'><table><tr>{head}</tr>{rows}</table></div>"
    return panel(f"{len(found)} findings", table)


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
    return page_of(page + beside + folded("specification", pre(task.prompt)))


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
