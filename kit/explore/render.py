"""Renders one sample as escaped HTML (verdict, tests, program, evidence) for explorer and pages.

The style sheet uses the variables of JupyterLab's theme. Without them, its colours are readable on
a light and on a dark background.
"""

import difflib
import html
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import starmap, zip_longest
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup
from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

from kit.core.languages import LANGUAGES
from kit.core.records import Evidence, Finding, Sample, Task, Test, Verdict
from kit.explore.traces import describe_trace
from kit.generation.base import Messages
from kit.run import report
from kit.run.export import escape_controls

LIMIT = 4000  # characters of a text
CELL = 300  # characters of a table's cell
HEAD = (500, 40_000)  # lines and characters of a program that are highlighted and not folded
LINE = 2000  # characters of a line
WHOLE = 2_000_000  # maximum characters of a program on the page
DIFF = 3000  # lines of a program that are compared
EVENTS = 1000  # lines of what a program did
EMPTY = "<td class='no'></td><td class=''></td>"
Row = tuple[Test, Evidence | None, Verdict | None]
FOLDER = Path(__file__).parent
SHEET = "\n" + (FOLDER / "sample.css").read_text(encoding="utf-8")
STYLE = f"<style>{SHEET}</style>"
MARKS = {"pass": "✓", "fail": "✗", "unknown": "?"}
TINTS = {
    "correct and secure": "good",
    "correct but insecure": "hole",
    "secure but wrong": "wrong",
    "neither": "none",
}
CLASSES = {  # of CSS
    Token.Keyword: "k",
    Token.String: "s",
    Token.Comment: "c",
    Token.Number: "m",
    Token.Name.Function: "n",
    Token.Name.Class: "n",
}


def one_line(text: object) -> str:
    """A text in one line, for a list's row."""
    return " ".join(escape_controls(str(text)).split())


def choose_tint(quadrant: str) -> str:
    """The CSS class with a quadrant's colour; undecided is grey."""
    return TINTS.get(quadrant, "open")


def page_of(body: str) -> str:
    """A complete page: the body with its style sheet."""
    return f"{STYLE}<div class='kit'>{body}</div>"


def cut_value(value: Any, limit: int = LIMIT) -> str:
    """A value as text of at most `limit` characters, with control characters escaped."""
    plain = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = escape_controls(plain[:limit])
    if len(plain) > limit:
        text += f" ... ({len(plain) - limit} more characters)"
    return text


def escape_text(value: Any, limit: int = LIMIT) -> str:
    """`cut_value`, HTML-escaped: safe for untrusted text."""
    return html.escape(cut_value(value, limit))


def make_preformatted_block(value: Any) -> str:
    return f"<pre>{escape_text(value)}</pre>"


def make_panel(title: str, body: str) -> str:
    return f"<div><h4>{escape_text(title)}</h4>{body}</div>"


def make_folding_panel(title: str, body: str) -> str:
    """A panel that opens when its title is clicked."""
    return f"<details><summary>{escape_text(title)}</summary>{body}</details>"


def make_code_listing(
    source: str, language: str, covered: Iterable[int] = (), alerts: Mapping[int, str] | None = None
) -> str:
    """The program with line numbers; executed lines and lines with findings are marked.

    In a long program the first lines are highlighted; the others are folded.
    """
    lines = escape_controls(source[:WHOLE].replace("\r\n", "\n")).rstrip("\n").split("\n")
    kinds = dict.fromkeys(covered, "ran") | dict.fromkeys(alerts or (), "alert")
    count = count_highlighted(lines)
    parts = ["<pre class='code'>"]
    for number, body in enumerate(highlight_lines(lines[:count], language), 1):
        parts.append(_make_code_line(number, body, kinds.get(number, ""), alerts))
    parts.append("</pre>")
    if count < len(lines):
        rest = []
        for number, line in enumerate(lines[count:], count + 1):
            if number in kinds:
                rest.append(_make_code_line(number, escape_text(line, LINE), kinds[number], alerts))
                continue
            text = f"{number:4} {html.escape(line[:LINE])}"
            if len(line) > LINE:
                text += f" ... ({len(line) - LINE} more characters)"
            rest.append(text)
        body = "<pre class='code'>" + "\n".join(rest) + "</pre>"
        parts.append(make_folding_panel(f"{len(rest)} more lines, to {len(lines)}", body))
    if len(source) > WHOLE:
        parts.append(
            f"<div class='quiet'>{len(source) - WHOLE} more characters are not shown.</div>"
        )
    return "".join(parts)


def count_highlighted(lines: Sequence[str]) -> int:
    """The number of lines of a program that are highlighted, at least one."""
    size = 0
    for count, line in enumerate(lines[: HEAD[0]], 1):
        size += len(line)
        if size >= HEAD[1]:
            return count
    return min(len(lines), HEAD[0])


def _make_code_line(number: int, body: str, kind: str, alerts: Mapping[int, str] | None) -> str:
    line = f"<span class='no'>{number:4} </span>{body or ' '}"
    if alerts and kind == "alert":
        line += f"  <b>◀ {escape_text(alerts[number], CELL)}</b>"
    return f"<div class='{kind}'>{line}</div>"


def highlight_lines(lines: Sequence[str], language: str) -> list[str]:
    """The highlighted lines as HTML; no tag spans two lines."""
    if max(map(len, lines)) > LINE:
        return [escape_text(line, LINE) for line in lines]
    is_known = language in LANGUAGES and LANGUAGES[language].marks
    lexer = get_lexer_by_name(language if is_known else "text", stripnl=False, ensurenl=True)
    coloured = [""]
    for kind, value in lex("\n".join(lines), lexer):
        name = find_class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                coloured.append("")
            safe = html.escape(part)
            coloured[-1] += f"<span class='{name}'>{safe}</span>" if name and part else safe
    return coloured[: len(lines)]


def find_class(kind: Any) -> str:
    """The CSS class of a token; "" for one without a colour."""
    for family, name in CLASSES.items():
        if kind in family:
            return name
    return ""


def compare_programs(theirs: str, reference: str, name: str, *, first: str = "this program") -> str:
    """A side-by-side diff of two programs with two lines of context."""
    ours = theirs.splitlines()
    other = reference.splitlines()
    if max(len(ours), len(other)) > DIFF:
        return make_preformatted_block(f"Programs of more than {DIFF} lines are not compared.")
    matcher = difflib.SequenceMatcher(None, ours, other, autojunk=False)
    parts = []
    for group in matcher.get_grouped_opcodes(2):
        rows = []
        for tag, start, end, other_start, other_end in group:
            minus, plus = ("", "") if tag == "equal" else ("minus", "plus")
            left = _half_rows(ours, start, end, minus)
            right = _half_rows(other, other_start, other_end, plus)
            for one, two in zip_longest(left, right, fillvalue=EMPTY):
                rows.append(f"<tr>{one}{two}</tr>")
        parts.append("".join(rows))
    if not parts:
        return make_preformatted_block("The programs are identical.")
    gap = "<tr class='hunk'><td colspan='4'>⋯</td></tr>"
    wide = "<col style='width: 3em'><col>" * 2
    sides = (
        f"<th colspan='2'>{escape_text(first, CELL)}</th><th "
        f"colspan='2'>{escape_text(name, CELL)}</th>"
    )
    return (
        f"<table class='sides'><colgroup>{wide}</colgroup><tr>{sides}</tr>{gap.join(parts)}</table>"
    )


def _half_rows(lines: Sequence[str], start: int, end: int, shade: str) -> list[str]:
    """Lines of one program with their numbers, as the cells of one side."""
    cells = []
    for number in range(start, end):
        line = escape_text(lines[number], LINE)
        cells.append(f"<td class='no'>{number + 1}</td><td class='{shade}'>{line}</td>")
    return cells


def group_findings_by_line(findings: Iterable[Finding], source: str) -> dict[int, str]:
    """Line number -> findings on that line; findings of other files are left out.

    A finding that names a function counts only if the program has a function of that name, because
    the line number of an edit refers to the whole file.
    """
    size = source.count("\n") + 1
    by_line: dict[int, str] = {}
    for finding in findings:
        function = finding.function.split("(")[0].split(".")[-1]
        if 1 <= finding.line <= size and function in source:
            alert = f"{finding.cwe} {finding.kind or finding.rule}".strip()
            before = by_line.get(finding.line)
            by_line[finding.line] = f"{before}; {alert}" if before else alert
    return by_line


def describe_result(evidence: Evidence) -> str:
    """The observed result; after an abnormal end, also the status."""
    from kit.harness import wording  # imported late, because pages without runs do not need it

    answer = wording.summarize_answer(evidence, CELL)
    if evidence.observed.kind in ("nothing", "output"):
        answer = evidence.out or evidence.err or f"exit code {evidence.exit_code}"
    return answer if evidence.status == "completed" else f"{evidence.status}; {answer}"


def _make_test_cells(
    test: Test, evidence: Evidence | None, verdict: Verdict | None
) -> dict[str, str]:
    """The table cells of one test."""
    expected = test.behavior or test.expected
    cells = {
        "name": f"{test.id} {test.cwe}".strip(),
        "input": test.input_file if test.input is None else test.input,
        "expected": "" if expected is None else expected,
        "observed": "not executed",
        "outcome": "unknown",
        "reason": "",
    }
    if verdict:
        cells["observed"] = "evidence not kept"
        cells["outcome"] = str(verdict.outcome)
        cells["reason"] = f"{verdict.reason}: {verdict.sentence}"
    if evidence:
        cells["observed"] = describe_result(evidence)
    for name, cell in cells.items():
        cells[name] = cut_value(cell, CELL)
    return {"id": test.id, "kind": test.kind, **cells}


def _evidence_by_title(evidence: Evidence) -> dict[str, str]:
    """The evidence by title: status, result, output streams, events, files."""
    from kit.harness import wording

    run = (
        f"{wording.describe_ending(evidence)}\nCPU seconds: {evidence.cpu_s:.2f}\nisolation: "
        f"{evidence.isolation}"
    )
    if evidence.lost:
        run += f"\nincomplete evidence: {', '.join(evidence.lost)}"
    is_printed = evidence.observed.kind in ("nothing", "output")
    panels = {
        "run": run,
        "observed": describe_result(evidence) if is_printed else wording.format_answer(evidence),
    }
    if evidence.out:
        panels["stdout"] = evidence.out
    if evidence.err:
        panels["stderr"] = evidence.err
    if evidence.events:
        panels["what it did"] = "\n".join(wording.describe_events(evidence, most=EVENTS))
    if evidence.files:
        files = [f"{name} ({len(data)} bytes)" for name, data in evidence.files.items()]
        panels["files written"] = "\n".join(files)
    return panels


@cache
def load_template(name: str) -> jinja2.Template:
    """A template of this folder, with autoescaping."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"cut": cut_value, "tint": choose_tint}
    return environment.get_template(name)


def make_sample_html(
    task: Task | None,
    shown: Sample,
    rows: Sequence[Row],
    now: str = "",
    *,
    title: str = "",
    reference: str = "",
    found: Sequence[Finding] = (),
    quadrant: str = "",
    question: Messages = (),
    whole: bool = True,
    blind: bool = False,
) -> str:
    """One sample as HTML, with the test `now` in full; the verdict comes first.

    title: replaces the name. reference: the secure program, for a diff. quadrant: that of the
    sample. question: what the model was asked. whole: False omits the style sheet, for use inside a
    page, and adds a mark for each test. blind: for a rater who is to see no verdict.
    """
    absence = report.explain_absence(shown)
    rows = () if absence else rows
    if task and not question:
        question = [{"role": "user", "content": task.prompt}]
    if not title:
        title = f"{task.id} · {task.title}" if task else shown.task
    by_test = {row[0].id: row for row in rows}
    test, evidence, verdict = by_test.get(now, (None, None, None))
    lines = evidence.observed.lines if evidence else ()
    alerts = group_findings_by_line(found, shown.code)
    program = make_code_listing(shown.code, shown.language, lines, alerts)
    changes = compare_programs(shown.code, reference, "secure reference") if reference else ""
    body = load_template("sample.j2").render(
        title=title,
        about=describe_sample(shown, () if blind else rows),
        blind=blind,
        quadrant=quadrant,
        strip=not whole,
        shown=shown,
        now=now,
        test=test,
        seen=evidence and _evidence_by_title(evidence),
        judged=verdict,
        MARKS=MARKS,
        CELL=CELL,
        tests=list(starmap(_make_test_cells, rows)),
        findings=found,
        probes="\n".join(map(json.dumps, test.probes)) if test else "",
        program=Markup(program),
        changes=Markup(changes),
        absence=absence,
        trace=describe_trace(shown),
        question=question,
    )
    return page_of(body) if whole else body


def describe_sample(shown: Sample, rows: Sequence[Row] = ()) -> str:
    """One line: the sample's model or program, arm, language and number of failed tests."""
    line = report.sample_title(shown)
    if not rows:
        return line
    outcomes = Counter(verdict.outcome if verdict else "unknown" for _, _, verdict in rows)
    line += f" · {len(rows)} tests"
    for outcome, word in (("fail", "failed"), ("unknown", "undecided")):
        if outcomes[outcome]:
            line += f", {outcomes[outcome]} {word}"
    return line
