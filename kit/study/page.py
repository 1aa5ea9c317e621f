"""A run as one page for people without Python: it opens from a file and needs no network.

What the run holds travels as JSON in a block that its content cannot end, and is shown as text
alone; the page's policy lets no script run but its own.
"""

import base64
import hashlib
import html
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from kit import measures
from kit.errors import KitError
from kit.records import Finding, Sample, Task, Test
from kit.run import report
from kit.store import Store
from kit.study import render
from kit.study.explore import FIXED, findings
from kit.study.sample_table import quadrants
from kit.suites import of_run, tasks_of

PERCENT = "% [interval], bounds"
CODE = 200_000  # characters of a program
TEXT = 20_000  # characters of an answer
THEME = """:root { color-scheme: light dark; } body { margin: 16px; }
.kit a { color: inherit; } .kit .wide { overflow-x: auto; } .kit h2 { font-size: 16px; }
.kit label, .kit input { margin: 4px 12px 4px 0; } .kit input { width: 24em; }
"""
BODY = """<body class="kit"><div id="all"><h2>{title}</h2><p id="about"></p>
<h4>samples planned, generated, executed, judged</h4><div id="counts"></div>
<details><summary>scores, with intervals and bounds</summary><div id="scores"></div></details>
<h4>samples</h4><div id="filters"></div><p id="count"></p><div id="list"></div></div>
<div id="sample" hidden></div>
"""


def write(run: str | Path, target: Path, *, tasks: Path | None = None, n_boot: int = 5000) -> int:
    """Write the run's page to `target`, whole or not at all; returns the number of samples.

    tasks: the folder of the run's tasks, where it is not the suite's own.
    Raises KitError for a target that is no .html, and where there is no such run or folder.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise KitError(f"Cannot write '{target.name}' as a page. Name it something.html.")
    if not target.parent.is_dir():
        raise KitError(f"No folder {target.parent}. Make it first, or name another target.")
    with Store(run, write=False) as store:
        data = content(store, tasks, n_boot=n_boot)
    part = target.with_name(target.name + ".part")
    try:
        part.write_text(page(Path(run).name, data), encoding="utf-8")
        part.replace(target)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    return len(data["samples"])


def page(title: str, data: Mapping[str, Any]) -> str:
    """The whole page. `data` is inert: no text of it can end its block or become markup."""
    script = (Path(__file__).parent / "page.js").read_text(encoding="utf-8")
    sheet = render.SHEET + THEME
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src {_hash(sheet)}; "
    policy += f"script-src {_hash(script)}"
    inert = json.dumps(data, default=str)
    for character in "<>&":
        inert = inert.replace(character, f"\\u{ord(character):04x}")
    safe = html.escape(render.one_line(title))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{safe}</title>\n<style>{sheet}</style></head>\n{BODY.format(title=safe)}"
        f'<script type="application/json" id="data">{inert}</script>\n'
        f"<script>{script}</script></body></html>\n"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def content(store: Store, folder: Path | None = None, *, n_boot: int = 5000) -> dict[str, Any]:
    """What the page shows: counts, scores, and each sample with its tests and findings."""
    suite, frame = of_run(store), store.frame()
    asked = set(frame["task"])
    tasks = {t.id: t for t in tasks_of(store, folder) if t.id in asked}
    scores = report.scores(store, suite, n_boot=n_boot)
    by = list(scores.columns[: list(scores.columns).index("metric")])
    told = [measures.value(row).strip() for _, row in scores.iterrows()]
    shown = scores[[*by, "metric"]].assign(**{PERCENT: told})
    own = [c for c in frame.columns if c not in FIXED and frame[c].nunique() > 1]
    arms = [c for c in own if c not in ("model", "language", "cwe", "status", "oracle")]
    columns = ["task", "quadrant", "model", "sample", *arms, "language", "status"]
    columns = [c for c in columns if c in frame or c == "quadrant"]
    return {
        "about": render.visible(report.line(report.provenance(store))),
        "counts": _table(measures.counts(frame, by)),
        "scores": _table(shown.assign(tasks=scores["tasks"], note=scores["note"])),
        "columns": columns,
        "filters": [c for c in columns if c not in ("task", "sample")],
        "titles": {t.id: render.visible(t.title) for t in tasks.values()},
        "specifications": {t.id: render.visible(t.prompt) for t in tasks.values()},
        "samples": list(_samples(store, frame, tasks, columns)),
    }


def _table(rows: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    told = [[_said(v) for v in row] for row in rows.itertuples(index=False)]
    return [str(c) for c in rows.columns], told


def _said(value: Any) -> str:
    """A cell in words; nothing where there is no value."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.4g}"
    return "" if value is None or value is pd.NA else render.visible(str(value))


def _samples(
    store: Store, frame: pd.DataFrame, tasks: Mapping[str, Task], columns: list[str]
) -> Iterator[dict[str, Any]]:
    found, place = findings(store), quadrants(frame).set_index("slot")["quadrant"]
    for number, (slot, rows) in enumerate(frame.groupby("slot", sort=False)):
        first = rows.iloc[0]
        sample = store.sample(str(slot)) or Sample(first["task"], first["model"], note="not asked")
        mine = found.get(str(slot), [])
        told = {c: _said(first[c]) for c in columns if c in rows} | {"quadrant": place[slot]}
        told["status"] = str(sample.status)
        tests = {t.id: t for t in tasks[sample.task].tests} if sample.task in tasks else {}
        name = sample.arm.get("program") or f"{sample.model} #{sample.index}"
        yield {
            "number": number, "task": sample.task, "name": render.one_line(name), "row": told,
            "quadrant": place[slot], "language": sample.language,
            "note": render.visible(sample.note), "code": render.visible(sample.code[:CODE]),
            "cut": max(0, len(sample.code) - CODE),
            "response": render.visible(sample.response[:TEXT]) if not sample.code else "",
            "alerts": render.alerts(mine, sample.code), "findings": [_alert(f) for f in mine],
            "tests": [_test(store, str(slot), tests.get(r.test) or
                            Test(str(r.test), str(r.kind), cwe=str(r.cwe))) for r in
                      rows.itertuples()],
        }  # fmt: skip


def _alert(f: Finding) -> list[str]:
    return [render.visible(cell[: render.LIMIT]) for cell in render.finding_cells(f)]


def _test(store: Store, slot: str, test: Test) -> list[str]:
    """Test, CWE, input, expected, observed, verdict, reason, sentence: texts, cut."""
    cells = (test.id, test.cwe, *render.test_cells(test, *store.cell(slot, test.id)))
    return [render.cut(cell, render.CELL) for cell in cells]
