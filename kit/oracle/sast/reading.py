"""Reads reports of engines into Findings, and knows which CWE is a kind of which.

A report comes from a box with hostile programs, so no part of it is taken for granted: a report
that is not in its format raises Unreadable.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote

from kit.core.records import Finding

# MITRE CWE 4.x, Research and Development views. Engines name one weakness at different depths: a
# query for CWE-787 reports CWE-121, gcc calls an unchecked allocation CWE-690.
PARENTS = {
    "CWE-22": "23 24 29 36",
    "CWE-119": "120 121 122 124 125 126 127 129 131 787 805 806",
    "CWE-125": "126 127 129",
    "CWE-787": "120 121 122 124 129 242 676",
    "CWE-74": "77 78 79 88 89 90 91 93 94 95 113 116 643",
    "CWE-77": "78 88",
    "CWE-79": "80 87 116",
    "CWE-89": "564",
    "CWE-117": "93",
    "CWE-120": "242 676",
    "CWE-190": "680 191",
    "CWE-295": "297 599 296",
    "CWE-327": "328 326 329 916 780 759 760",
    "CWE-362": "364 366 367 479",
    "CWE-476": "690",
    "CWE-502": "915",
    "CWE-764": "667 772 404",
    "CWE-209": "211 497",
}
ALIKE = (  # a weakness of a group is also reported under the number of another
    "22 23 36 73 99 641|93 113|94 95 96 917 1336|190 191|197 681|203 208 385|256 312 313 522|"
    "259 321 798|276 277 278 279 281 732|284 285 639 862 863|330 331 334 335 336 337 338 340 341|"
    "295 297 599|362 366 820|377 378 379|400 409 770 789|401 404 772 775|611 776 827|667 764 833|"
    "400 730 1333|759 760 916"
)


DEEPEST_FLOW = 200  # steps kept of one flow
_CWE = re.compile(r"(?i)\bCWE-0*(\d+)")
_STEP = re.compile(r"(?P<file>.*):(?P<line>\d+) ?(?P<function>.*)", re.DOTALL)
_WRITES = re.compile(r"\]\s*([-+*/|&^]?=[^=]|\+\+|--)")
OPTION_CWES = {  # gcc's plain warnings bring no CWE
    "-Wstringop-overread": "CWE-125",
    "-Wformat-security": "CWE-134",
    "-Wdiv-by-zero": "CWE-369",
    "-Wuse-after-free": "CWE-416",
    "-Wshift-count-overflow": "CWE-190",
    "-Woverflow": "CWE-190",
    "-Walloc-size-larger-than=": "CWE-190",
    "-Wnonnull": "CWE-476",
    "-Wuninitialized": "CWE-457",
    "-Wmaybe-uninitialized": "CWE-457",
    "-Wreturn-local-addr": "CWE-562",
    "-Wdangling-pointer=": "CWE-562",
    "-Wfree-nonheap-object": "CWE-590",
    "-Winfinite-recursion": "CWE-674",
    "-Wint-conversion": "CWE-822",
    "-Wformat-overflow=": "CWE-787",
    "-Wstringop-overflow=": "CWE-787",
    "-Warray-bounds": "CWE-787",
    "-Wstrict-aliasing": "CWE-843",
    "-Wcast-align": "CWE-843",
}


def is_same_weakness(reported: str, wanted: str) -> bool:
    """Whether `reported` is the weakness `wanted`, a kind of it, or of its group."""
    number = reported.removeprefix("CWE-")
    if reported == wanted or number in PARENTS.get(wanted, "").split():
        return True
    pair = {number, wanted.removeprefix("CWE-")}
    return any(pair <= set(group.split()) for group in ALIKE.split("|"))


class Unreadable(ValueError):
    """A report that is not in its format."""


@dataclass(frozen=True)
class Place:
    """Lines of a file, from 1; both ends count."""

    file: str
    line: int
    end_line: int
    function: str


def read_step(step: str) -> Place:
    """The place of a step of a flow, "file:line function"."""
    match = _STEP.fullmatch(step)
    assert match, step
    line = int(match["line"])
    return Place(match["file"], line, line, match["function"])


def places_of(finding: Finding) -> Iterator[Place]:
    """The places on which a finding rests: its own, and those of its flow."""
    last = max(finding.line, finding.end_line)
    yield Place(finding.file, finding.line, last, finding.function)
    yield from map(read_step, finding.flow)


def rename_paths(finding: Finding, rename: Callable[[str], str]) -> Finding:
    """The finding with its file, and the files at the head of its steps, renamed."""
    return replace(finding, file=rename(finding.file), flow=tuple(map(rename, finding.flow)))


def load_json(report: bytes) -> Any:
    """The JSON of a report; Unreadable if it is none, or is nested too deep."""
    try:
        return json.loads(report)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"The report is no JSON: {error}.") from None


def _require_kind(kind: type, value: Any, default: Any = None) -> Any:
    """The value, which must be of the kind; the default, if there is one, for None."""
    if value is None and default is not None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Unreadable(f"The report has {str(value)[:60]!r} where a {kind.__name__} belongs.")
    return value


def _require_objects(value: Any) -> list[dict[str, Any]]:
    return [_require_kind(dict, item) for item in _require_kind(list, value, [])]


def _get_object(value: dict[str, Any], *path: str) -> dict[str, Any]:
    """The object at a path of keys; {} if it is absent."""
    for key in path:
        value = _require_kind(dict, value.get(key), {})
    return value


def cwe_in(*texts: str) -> str:
    """The first CWE that the texts name, as "CWE-79"; "" for none."""
    match = _CWE.search(" ".join(texts))
    return f"CWE-{match[1]}" if match else ""


def read_sarif_log(report: bytes, engine: str) -> list[Finding]:
    """The results of a SARIF 2.1.0 log, suppressed ones too. Unreadable if it is none."""
    log = _require_kind(dict, load_json(report))
    if log.get("version") != "2.1.0":
        raise Unreadable(f"The report is no SARIF 2.1.0: version {log.get('version')!r}.")
    findings: list[Finding] = []
    for run in _require_objects(log.get("runs")):
        findings += _read_results(run, engine)
    return findings


def _read_results(run: dict[str, Any], engine: str) -> Iterator[Finding]:
    rules: dict[str, dict[str, Any]] = {}
    tool = _get_object(run, "tool")
    for part in (_get_object(tool, "driver"), *_require_objects(tool.get("extensions"))):
        rules |= {_require_kind(str, r.get("id")): r for r in _require_objects(part.get("rules"))}
    for result in _require_objects(run.get("results")):
        name = _require_kind(str, result.get("ruleId") or _get_object(result, "rule").get("id"))
        rule = rules.get(name, {})
        level = _require_kind(
            str, _get_object(rule, "defaultConfiguration").get("level"), "warning"
        )
        file, line, end = _read_place(next(iter(_require_objects(result.get("locations"))), {}))
        yield Finding(
            engine,
            name,
            _cwe_of(result, rule),
            file,
            line,
            end,
            message=_require_kind(str, _get_object(result, "message").get("text"), ""),
            flow=_read_flow(result),
            kind=_require_kind(str, result.get("level"), level),
        )


def _cwe_of(result: dict[str, Any], rule: dict[str, Any]) -> str:
    """From the result's taxa (gcc), else from the rule's tags (CodeQL, opengrep, semgrep)."""
    taxa = (_require_kind(str, t.get("id"), "") for t in _require_objects(result.get("taxa")))
    tags = (
        _require_kind(str, t)
        for t in _require_kind(list, _get_object(rule, "properties").get("tags"), [])
    )
    return cwe_in(*taxa, *tags)


def _read_place(location: dict[str, Any]) -> tuple[str, int, int]:
    """(path, first line, last line) of a location."""
    physical = _get_object(location, "physicalLocation")
    file = unquote(_require_kind(str, _get_object(physical, "artifactLocation").get("uri"), "?"))
    region = _get_object(physical, "region")
    line = _require_kind(int, region.get("startLine"), 1)
    return file.removeprefix("file://"), line, _require_kind(int, region.get("endLine"), line)


def _read_flow(result: dict[str, Any]) -> tuple[str, ...]:
    """The steps of the first flow, each place once in a row."""
    steps: list[str] = []
    for code in _require_objects(result.get("codeFlows"))[:1]:
        for thread in _require_objects(code.get("threadFlows"))[:1]:
            for step in _require_objects(thread.get("locations"))[:DEEPEST_FLOW]:
                file, line, _ = _read_place(_get_object(step, "location"))
                if steps[-1:] != [f"{file}:{line}"]:
                    steps.append(f"{file}:{line}")
    return tuple(steps)


def read_extracted_files(report: bytes) -> set[str]:
    """The files that CodeQL says it extracted without an error."""
    paths = set()
    for run in _require_objects(_require_kind(dict, load_json(report)).get("runs")):
        for invocation in _require_objects(run.get("invocations")):
            for note in _require_objects(invocation.get("toolExecutionNotifications")):
                if str(_get_object(note, "descriptor").get("id")).endswith(
                    "successfully-extracted-files"
                ):
                    paths |= {
                        _read_place(place)[0] for place in _require_objects(note.get("locations"))
                    }
    return paths


def read_scanned_files(report: bytes) -> tuple[set[str], dict[str, str]]:
    """(files looked at, file -> why not wholly) of the JSON of opengrep or semgrep."""
    log = _require_kind(dict, load_json(report))
    bad = {}
    for error in _require_objects(log.get("errors")):
        message = str(error.get("message") or error.get("type") or "an error")
        bad[_require_kind(str, error.get("path"), "*")] = " ".join(message.split())[:200]
    for skipped in _require_objects(log.get("skipped_rules")):
        bad["*"] = f"rule {skipped.get('rule_id')} was not understood"
    scanned = _require_kind(list, _get_object(log, "paths").get("scanned"), [])
    return {_require_kind(str, path) for path in scanned}, bad


def broken_rules(report: bytes) -> dict[str, str]:
    """Rule -> what is wrong with it, in the JSON of opengrep or semgrep."""
    broken = {}
    for error in _require_objects(_require_kind(dict, load_json(report)).get("errors")):
        if error.get("rule_id") and not error.get("path"):
            name = str(error["rule_id"])
            text = " ".join(str(error.get("message")).split())
            broken[name] = text.removeprefix(f"Rule parse error in rule {name}: ")
    return broken


def read_bandit_report(report: bytes) -> tuple[list[Finding], set[str], dict[str, str]]:
    """(findings, files looked at, file -> why not) of bandit's JSON."""
    log = _require_kind(dict, load_json(report))
    findings = [_read_bandit_result(result) for result in _require_objects(log.get("results"))]
    bad = {
        _require_kind(str, e.get("filename")): str(e.get("reason"))
        for e in _require_objects(log.get("errors"))
    }
    return findings, set(_get_object(log, "metrics")) - {"_totals"}, bad


def _read_bandit_result(result: dict[str, Any]) -> Finding:
    cwe = f"CWE-{_get_object(result, 'issue_cwe').get('id')}" if result.get("issue_cwe") else ""
    line = _require_kind(int, result.get("line_number"))
    lines = _require_kind(list, result.get("line_range"), []) or [line]
    return Finding(
        "bandit",
        _require_kind(str, result.get("test_id")),
        cwe,
        _require_kind(str, result.get("filename")),
        line,
        max(_require_kind(int, number) for number in lines),
        message=_require_kind(str, result.get("issue_text"), ""),
        kind=_require_kind(str, result.get("issue_severity"), "UNDEFINED").lower(),
    )


def read_gcc_report(report: bytes, content: bytes) -> list[Finding]:
    """The diagnostics of gcc's JSON that name a weakness; Unreadable for errors, because then there
    was no analysis. Two passes write two lists, a line each. content: the file's."""
    findings = []
    lines = content.decode("utf-8", "replace").split("\n")
    for line in report.splitlines():
        if not line.startswith(b"["):
            continue
        for item in _require_objects(load_json(line)):
            message = _require_kind(str, item.get("message"), "")
            if item.get("kind") not in ("warning", "note"):
                raise Unreadable(f"gcc could not compile it: {message}.")
            finding = _read_diagnostic(item, message, lines)
            if finding.cwe:
                findings.append(finding)
    return findings


def _read_diagnostic(item: dict[str, Any], message: str, lines: list[str]) -> Finding:
    option = _require_kind(str, item.get("option"), "")
    cwe = OPTION_CWES.get(option, "")
    if item.get("metadata"):
        cwe = f"CWE-{_get_object(item, 'metadata').get('cwe')}"
    if "nonzero offset" in message:
        cwe = "CWE-761"
    first = next(iter(_require_objects(item.get("locations"))), {})
    caret, finish = _get_object(first, "caret"), _get_object(first, "finish")
    line = _require_kind(int, caret.get("line"), 1)
    if option == "-Waggressive-loop-optimizations":  # it runs past an array, or its counter's type
        text = "".join(lines[line - 1 : line])
        if _WRITES.search(text):
            cwe = "CWE-787"
        else:
            cwe = "CWE-125" if "[" in text else "CWE-190"
    places = [_get_object(e, "location") for e in _require_objects(item.get("path"))[:DEEPEST_FLOW]]
    steps = [
        f"{_require_kind(str, p.get('file'), '?')}:{_require_kind(int, p.get('line'), 1)}"
        for p in places
    ]
    return Finding(
        "gcc-fanalyzer",
        option,
        cwe,
        _require_kind(str, caret.get("file"), "?"),
        line,
        max(line, _require_kind(int, finish.get("line"), line)),
        message=message,
        flow=tuple(dict.fromkeys(steps)),
        kind=_require_kind(str, item.get("kind")),
    )
