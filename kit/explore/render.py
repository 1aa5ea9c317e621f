"""Renders one sample as escaped HTML (verdict, tests, program, evidence) for explorer and pages.

The style sheet uses the variables of JupyterLab's theme. Without them, its colours are readable on
a light and on a dark background.
"""

import difflib
import html
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from pygments import lex
from pygments.lexers import get_lexer_by_name

from kit.generation.base import Messages
from kit.languages import LANGUAGES
from kit.records import Evidence, Finding, Sample, Task, Test, Verdict
from kit.run import report
from kit.run.export import visible

FOLDER = Path(__file__).parent
SHEET = "\n" + (FOLDER / "sample.css").read_text(encoding="utf-8")
STYLE = f"<style>{SHEET}</style>"
MARKS = {"pass": "✓", "fail": "✗", "unknown": "?"}
TINTS = {"correct and secure": "good", "correct but insecure": "hole", "secure but wrong": "wrong",
         "neither": "none"}  # fmt: skip
TOKENS = (("Keyword", "k"), ("Literal.String", "s"), ("Comment", "c"), ("Literal.Number", "m"),
          ("Name.Function", "n"), ("Name.Class", "n"))  # fmt: skip


def one_line(text: object) -> str:
    """A text in one line, for a list's row."""
    return " ".join(visible(str(text)).split())


def tint(quadrant: str) -> str:
    """The CSS class with a quadrant's colour; undecided is grey."""
    return TINTS.get(quadrant, "open")


def page_of(body: str) -> str:
    """A complete page: the body with its style sheet."""
    return f"{STYLE}<div class='kit'>{body}</div>"


LIMIT = 4000  # characters of a text
CELL = 300  # characters of a table's cell
HEAD = (500, 40_000)  # lines and characters of a program that are highlighted and not folded
LINE = 2000  # characters of a line
WHOLE = 2_000_000  # maximum characters of a program on the page
DIFF = 3000  # lines of a program that are compared
EVENTS = 1000  # lines of what a program did
Row = tuple[Test, Evidence | None, Verdict | None]


def cut(value: Any, limit: int = LIMIT) -> str:
    """A value as text of at most `limit` characters, with control characters escaped."""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    more = f" ... ({len(plain) - limit} more characters)" if len(plain) > limit else ""
    return visible(plain[:limit]) + more


def text(value: Any, limit: int = LIMIT) -> str:
    """`cut`, HTML-escaped: safe for untrusted text."""
    return html.escape(cut(value, limit))


def pre(value: Any) -> str:
    return f"<pre>{text(value)}</pre>"


def panel(title: str, body: str) -> str:
    return f"<div><h4>{text(title)}</h4>{body}</div>"


def folded(title: str, body: str) -> str:
    """A panel that opens when its title is clicked."""
    return f"<details><summary>{text(title)}</summary>{body}</details>"


def code(source: str, language: str, covered: Iterable[int] = (),
         alerts: Mapping[int, str] | None = None) -> str:  # fmt: skip
    """The program with line numbers; executed lines and lines with findings are marked.

    In a long program the first lines are highlighted; the others are folded.
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
        rest = []
        for k, line in enumerate(lines[n:], n + 1):
            if k in alerts or k in ran:
                rest.append(_line(k, text(line, LINE), ran, alerts))
                continue
            more = f" ... ({len(line) - LINE} more characters)" if len(line) > LINE else ""
            rest.append(f"{k:4} {html.escape(line[:LINE])}{more}")
        body = "<pre class='code'>" + "\n".join(rest) + "</pre>"
        out += folded(f"{len(lines) - n} more lines, to {len(lines)}", body)
    if len(source) > WHOLE:
        out += f"<div class='quiet'>{len(source) - WHOLE} more characters are not shown.</div>"
    return out


def _line(number: int, body: str, ran: set[int], alerts: Mapping[int, str]) -> str:
    kind = "alert" if number in alerts else "ran" if number in ran else ""
    alert = f"  <b>◀ {text(alerts[number], CELL)}</b>" if number in alerts else ""
    gutter = f"<span class='no'>{number:4} </span>"
    return f"<div class='{kind}'>{gutter}{body or ' '}{alert}</div>"


def _coloured(lines: Sequence[str], language: str) -> list[str]:
    """The highlighted lines as HTML; no tag spans two lines."""
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
    """A side-by-side diff of two programs with two lines of context."""
    ours, other = theirs.splitlines(), reference.splitlines()
    if max(len(ours), len(other)) > DIFF:
        return pre(f"Programs of more than {DIFF} lines are not compared.")
    groups = difflib.SequenceMatcher(None, ours, other, autojunk=False).get_grouped_opcodes(2)
    parts = ["".join(_beside(ours, other, *op) for op in group) for group in groups]
    if not parts:
        return pre("The programs are identical.")
    gap = "<tr class='hunk'><td colspan='4'>⋯</td></tr>"
    sides = "".join(f"<th colspan='2'>{text(n, CELL)}</th>" for n in (first, name))
    wide = "<col style='width: 3em'><col>" * 2
    return (
        f"<table class='sides'><colgroup>{wide}</colgroup><tr>{sides}</tr>{gap.join(parts)}</table>"
    )


def _beside(ours: list[str], other: list[str], tag: str, a: int, b: int, c: int, d: int) -> str:
    """Table rows: lines a to b of one program beside lines c to d of the other."""
    rows = []
    for n in range(max(b - a, d - c)):
        row = ""
        for lines, at, end, kind in ((ours, a + n, b, "minus"), (other, c + n, d, "plus")):
            number, line = (at + 1, text(lines[at], LINE)) if at < end else ("", "")
            shade = kind if tag != "equal" and at < end else ""
            row += f"<td class='no'>{number}</td><td class='{shade}'>{line}</td>"
        rows.append(f"<tr>{row}</tr>")
    return "".join(rows)


def alerts(found: Iterable[Finding], source: str) -> dict[int, str]:
    """Line number -> findings on that line; findings of other files are left out.

    A finding that names a function counts only if the program has a function of that name, because
    the line number of an edit refers to the whole file.
    """
    size, out = source.count("\n") + 1, dict[int, str]()
    for f in found:
        if 1 <= f.line <= size and f.function.split("(")[0].split(".")[-1] in source:
            alert = f"{f.cwe} {f.kind or f.rule}".strip()
            out[f.line] = f"{out[f.line]}; {alert}" if f.line in out else alert
    return out


def short(seen: Evidence) -> str:
    """The observed result; after an abnormal end, also the status."""
    from kit.harness import wording  # imported late, because pages without runs do not need it

    answer = wording.described(seen, CELL)
    if seen.observed.kind in ("nothing", "output"):
        answer = seen.out or seen.err or f"exit code {seen.exit_code}"
    return answer if seen.status == "completed" else f"{seen.status}; {answer}"


def _test(test: Test, seen: Evidence | None, judged: Verdict | None) -> dict[str, str]:
    """The table cells of one test."""
    expected = test.behavior or test.expected
    cells = {
        "name": f"{test.id} {test.cwe}".strip(),
        "input": test.input if test.input is not None else test.input_file,
        "expected": "" if expected is None else expected,
        "observed": short(seen) if seen else "evidence not kept" if judged else "not executed",
        "outcome": str(judged.outcome) if judged else "unknown",
        "reason": f"{judged.reason}: {judged.sentence}" if judged else "",
    }
    return {"id": test.id, "kind": test.kind} | {
        name: cut(cell, CELL) for name, cell in cells.items()
    }


def _evidence(seen: Evidence) -> dict[str, str]:
    """The evidence by title: status, result, output streams, events, files."""
    from kit.harness import wording

    head = f"{wording.status(seen)}\nCPU seconds: {seen.cpu_s:.2f}\nisolation: {seen.isolation}"
    head += f"\nincomplete evidence: {', '.join(seen.lost)}" if seen.lost else ""
    printed = seen.observed.kind in ("nothing", "output")
    observed = short(seen) if printed else wording.answer(seen)
    panels = {"run": head, "observed": observed, "stdout": seen.out, "stderr": seen.err}
    panels["what it did"] = "\n".join(wording.events(seen, most=EVENTS)) if seen.events else ""
    files = [f"{name} ({len(data)} bytes)" for name, data in seen.files.items()]
    panels["files written"] = "\n".join(files)
    return {n: text for n, text in panels.items() if text or n in ("run", "observed")}


@cache
def template(name: str) -> jinja2.Template:
    """A template of this folder, with autoescaping."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"cut": cut, "tint": tint}
    return environment.get_template(name)


def sample(task: Task | None, shown: Sample, rows: Sequence[Row], now: str = "", *, title: str = "",
           reference: str = "", found: Sequence[Finding] = (), quadrant: str = "",
           question: Messages = (), whole: bool = True) -> str:  # fmt: skip
    """One sample as HTML, with the test `now` in full; the verdict comes first.

    title: replaces the name. reference: the secure program, for a diff. quadrant: that of the
    sample. question: what the model was asked. whole: False omits the style sheet, for use inside a
    page, and adds a mark for each test.
    """
    absence = report.explain_absence(shown)
    rows = () if absence else rows
    if task and not question:
        question = [{"role": "user", "content": task.prompt}]
    test, evidence, judged = next((row for row in rows if row[0].id == now), (None, None, None))
    places = [f"{f.file}:{f.line} {f.function}".strip(": ") for f in found]
    body = template("sample.j2").render(
        title=title or (f"{task.id} · {task.title}" if task else shown.task),
        about=described(shown, rows), quadrant=quadrant, strip=not whole, shown=shown, now=now,
        test=test, seen=evidence and _evidence(evidence), judged=judged, MARKS=MARKS, CELL=CELL,
        tests=[_test(*row) for row in rows], findings=list(zip(found, places, strict=True)),
        probes="\n".join(json.dumps(p) for p in test.probes) if test else "",
        program=Markup(code(shown.code, shown.language, evidence.observed.lines if evidence else (),
                            alerts(found, shown.code))),
        changes=Markup(diff(shown.code, reference, "secure reference")) if reference else "",
        absence=absence, question=question,
    )  # fmt: skip
    return page_of(body) if whole else body


def described(shown: Sample, rows: Sequence[Row] = ()) -> str:
    """One line: the sample's model or program, arm, language and number of failed tests."""
    outcomes = [judged.outcome if judged else "unknown" for _, _, judged in rows]
    words = {"fail": "failed", "unknown": "undecided"}
    counts = [f"{outcomes.count(o)} {word}" for o, word in words.items() if o in outcomes]
    tests = ", ".join([f"{len(outcomes)} tests", *counts])
    return " · ".join([report.title(shown), *[tests] * bool(outcomes)])
