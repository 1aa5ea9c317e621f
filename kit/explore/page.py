"""Writes a run as one self-contained HTML page, for readers without Python or a network.

The run's data are escaped JSON and are shown as text only. The page's content security policy
permits no script but the page's own.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pandas as pd
from markupsafe import Markup
from tqdm.auto import tqdm

from kit import measures
from kit.errors import KitError
from kit.explore import render
from kit.explore.explorer import FIXED, QUADRANTS, findings, quadrants
from kit.measures.reduce import NO_PROGRAM
from kit.paths import replace_whole
from kit.records import Sample, Status, Task, Test
from kit.run import report
from kit.run.export import visible
from kit.store import Store
from kit.suite import Suite
from kit.suites import of_run, question_of, tasks_of

PERCENT = "value [interval], bounds"
FIRST = {"fail": 0, "security": 0, "unknown": 1, "pass": 1, "functional": 1}  # order of tests
ARMS = 3  # arms whose scores are at the top
TELLING = 3  # weaknesses that are at the top
SOUNDED = 50  # samples by which the size of the page is judged
LARGE_MB = 20
UNSTARTED = {
    "extraction_error": "without a program",
    "refused": "refused",
    "compile_error": "with a program that does not compile",
}


def write(
    run: str | Path, target: Path, *, tasks: Path | None = None, only: Sequence[str] = ()
) -> int:
    """Write the run's page to `target` atomically; returns the number of samples.

    tasks: the folder of the run's tasks; default: the suite's own. only: ids of tasks whose samples
    are listed; default: all.
    Raises KitError if the target is not .html, or if the run or a folder does not exist.
    """
    if target.suffix.lower() not in (".html", ".htm"):
        raise KitError(f"Cannot write a page to '{target.name}'. Use a name that ends in .html.")
    if not target.parent.is_dir():
        raise KitError(f"No folder {target.parent}. Create it first, or name another target.")
    with Store(run, write=False) as store:
        data, pages = content(store, tasks, only=only)
    replace_whole(target, page(Path(run).name, data, pages))
    return len(data["samples"])


def page(title: str, data: Mapping[str, Any], pages: Sequence[str] = ()) -> str:
    """The whole page. `data` is escaped so that no text in it can become markup.

    pages: the HTML of each sample.
    """
    script = (render.FOLDER / "page.js").read_text(encoding="utf-8")
    sheet = render.SHEET + (render.FOLDER / "page.css").read_text(encoding="utf-8")
    policy = f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src {_hash(sheet)}; "
    policy += f"script-src {_hash(script)}"
    inert = json.dumps(data, default=str)
    for character in "<>&":
        inert = inert.replace(character, f"\\u{ord(character):04x}")
    return render.template("page.j2").render(
        title=render.one_line(title), policy=Markup(policy), sheet=Markup(sheet), top=data["top"],
        inert=Markup(inert), script=Markup(script), pages=map(Markup, pages), CELL=render.CELL,
    )  # fmt: skip


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def content(
    store: Store, folder: Path | None = None, *, only: Sequence[str] = (), n_boot: int = 5000
) -> tuple[dict[str, Any], list[str]]:
    """The data of the page (counts, scores, one row per sample), and the HTML of each sample.

    only: as in `write`; scores and counts are of all tasks.
    """
    suite, frame = of_run(store), store.frame()
    asked = set(frame["task"])
    tasks = {t.id: t for t in tasks_of(store, folder, suite) if t.id in asked}
    scores = report.scores(store, suite, n_boot=n_boot)
    by = measures.group_columns(scores)
    shares = [measures.value(row).strip() for _, row in scores.iterrows()]
    values = scores[[*by, "metric"]].assign(**{PERCENT: shares})
    own = [c for c in frame.columns if c not in FIXED and frame[c].nunique() > 1]
    arms = [c for c in own if c not in ("model", "language", "cwe", "status", "oracle")]
    columns = ["task", "quadrant", "model", "sample", *arms, "language", "status"]
    columns = [c for c in columns if c in frame or c == "quadrant"]
    place, left = quadrants(frame), len(scores.drop_duplicates(by)) - ARMS if by else 0
    further = [f"Further arms, under All scores below: {left}."] * (left > 0)
    shown = select_tasks(frame, only)
    listed = []
    samples = _samples(store, suite, shown, place, tasks, columns)
    count = shown["slot"].nunique()
    for each in tqdm(samples, total=count, desc="page", disable=None, leave=False):
        listed.append(each)
        if len(listed) == SOUNDED:
            warn_of_size([page for _, page in listed], count)
    data = {
        "top": {
            **squares(place["quadrant"]),
            "scores": list(bars(scores)),
            "notes": [*further, *report.endings(store)],
            "telling": list(telling(store, shown, place, tasks)),
            "others": count_others(frame),
            "sentence": sentence(store, frame),
        },
        "about": visible(report.line(report.provenance(store))),
        "counts": _table(measures.counts(frame, by)),
        "scores": _table(values.assign(tasks=scores["tasks"], note=scores["note"])),
        "columns": columns,
        "filters": [c for c in columns if c not in ("task", "sample")],
        "titles": {t.id: visible(t.title) for t in tasks.values()},
        "samples": [sample for sample, _ in listed],
    }
    return data, [page for _, page in listed]


def select_tasks(frame: pd.DataFrame, only: Sequence[str]) -> pd.DataFrame:
    """The rows of these tasks, or all; KitError for a task that the run does not have."""
    known = frame["task"].unique()
    unknown = sorted(set(only) - set(known))
    if unknown:
        raise KitError(f"The run has no task {unknown[0]!r}. Use some of: {', '.join(known)}.")
    return frame[frame["task"].isin(only or known)]


def warn_of_size(pages: Sequence[str], count: int) -> None:
    """Say on stderr how large a page of so many samples will be, judged by its first samples."""
    megabytes = count * sum(map(len, pages)) / len(pages) / 1e6
    if megabytes > LARGE_MB:
        click.echo(f"kit: A page of {count:,} samples has about {megabytes:,.0f} MB. For a smaller "
                   "one name tasks with --only; a table is smaller too: kit export RUN "
                   "rows.parquet", err=True)  # fmt: skip


def _table(rows: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    cells = [[_cell(v) for v in row] for row in rows.itertuples(index=False)]
    return [str(c) for c in rows.columns], cells


def _cell(value: Any) -> str:
    """A cell as text; empty if there is no value."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.4g}"
    return "" if value is None or value is pd.NA else visible(str(value))


def _samples(
    store: Store, suite: Suite, frame: pd.DataFrame, place: pd.DataFrame,
    tasks: Mapping[str, Task], columns: list[str],
) -> Iterator[tuple[dict[str, Any], str]]:  # fmt: skip
    """Yields each sample's row in the list and its HTML."""
    alerts, lies = findings(store), place.set_index("slot")["quadrant"]
    several = "language" in frame and frame["language"].nunique() > 1
    for number, (slot, rows) in enumerate(frame.groupby("slot", sort=False)):
        first = rows.iloc[0]
        sample = store.sample(str(slot)) or Sample(
            first["task"], first["model"], int(first["sample"]), status=Status.NOT_RUN
        )
        row = {c: _cell(first[c]) for c in columns if c in rows} | {"quadrant": lies[slot]}
        row["status"] = str(sample.status)
        task = tasks.get(sample.task)
        known = {t.id: t for t in task.tests} if task else {}
        tests = [known.get(r.test) or Test(str(r.test), str(r.kind), cwe=str(r.cwe))
                 for r in rows.sort_values(["outcome", "kind"], key=lambda c: c.map(FIRST),
                                           kind="stable").itertuples()]  # fmt: skip
        name = sample.arm.get("program") or f"{sample.model} #{sample.index}"
        name += f" {sample.language}" if several else ""
        shown = [(t, *store.cell(str(slot), t.id)) for t in tests]
        question = question_of(store, suite, task, sample) if task else ()
        page = render.sample(task, sample, shown, tests[0].id if tests else "", whole=False,
                             quadrant=lies[slot], found=alerts.get(str(slot), ()),
                             question=question)  # fmt: skip
        marks = "".join(str(o)[0] for o in rows.sort_values("kind")["outcome"])
        marks *= sample.status == Status.COMPLETED
        yield {"number": number, "task": sample.task, "name": render.one_line(name), "row": row,
               "marks": marks, "tint": render.tint(lies[slot])}, page  # fmt: skip


def squares(place: pd.Series) -> dict[str, Any]:
    """The number of samples in each quadrant, and their share in per cent."""
    counts = {q: int((place == q).sum()) for q in (*QUADRANTS.values(), "undecided")}
    shares = {q: f"{100 * n / max(len(place), 1):.0f}" for q, n in counts.items()}
    return {"size": len(place), "counts": counts, "shares": shares}


def bars(scores: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The headline scores of the first arms: value and interval as text, and as positions."""
    by = measures.group_columns(scores)
    rows = measures.headline(scores)
    kept = rows[by].drop_duplicates().head(ARMS) if by else [()]
    for _, row in (rows.merge(kept) if by else rows).iterrows():
        arm = ", ".join(str(row[c]) for c in by if scores[c].nunique(dropna=False) > 1)
        names = ["estimate"] if pd.notna(row["estimate"]) else ["bound_low", "bound_high"]
        points = [100 * row[name] for name in names if pd.notna(row[name])]
        span = () if pd.isna(row["low"]) else (100 * row["low"], 100 * row["high"])
        yield {
            "name": row["words"] or row["metric"], "metric": visible(f"{row['metric']} {arm}"),
            "points": points, "span": span,
            "value": " to ".join(f"{x:.1f}" for x in points) + " %" if points else "no value",
            "interval": "between {:.1f} and {:.1f}".format(*span) if span else "no interval",
        }  # fmt: skip


def telling(
    store: Store, frame: pd.DataFrame, place: pd.DataFrame, tasks: Mapping[str, Task]
) -> Iterator[dict[str, Any]]:
    """The most frequent weaknesses of programs that ran, each with one failed test's sentence.

    Programs that are correct but insecure come first.
    """
    numbers = {slot: n for n, slot in enumerate(frame["slot"].unique())}
    lies = frame["slot"].map(place.set_index("slot")["quadrant"])
    ran = ~frame["status"].isin([str(s) for s in NO_PROGRAM])
    failed = frame[ran & (frame["kind"] == "security") & (frame["outcome"] == "fail")]
    failed = failed.assign(hole=lies.eq("correct but insecure")).sort_values(
        "hole", ascending=False, kind="stable")  # fmt: skip
    shown = set[str]()
    for cwe, n in failed.groupby("cwe")["slot"].nunique().nlargest(TELLING).items():
        mine = failed[failed["cwe"] == cwe]
        first = mine.iloc[mine["task"].isin(shown).argmin()]  # of another task, if possible
        shown.add(first["task"])
        _, judged = store.cell(first["slot"], first["test"])
        task = tasks.get(first["task"])
        tests = task.tests if task else ()
        yield {
            "number": numbers[first["slot"]], "cwe": str(cwe), "samples": n,
            "task": f"{first['task']} {task.title if task else ''}".strip(),
            "name": str(first.get("program") or f"{first['model']} #{first['sample']}"),
            "sentence": judged.sentence if judged else "",
            "expected": next((t.behavior for t in tests if t.id == first["test"]), ""),
        }  # fmt: skip


def count_others(frame: pd.DataFrame) -> str:
    """One sentence: the answers that are insecure only because no program of theirs ran."""
    ended = frame.drop_duplicates("slot")["status"].value_counts()
    known = [f"{ended[status]} {words}" for status, words in UNSTARTED.items() if status in ended]
    return f"Not among them, as no program ran: {', '.join(known)}." if known else ""


def sentence(store: Store, frame: pd.DataFrame) -> str:
    """A sentence at the top: models, tasks and the scoring rule."""
    meta, samples = store.meta(), frame["slot"].nunique()
    models = ", ".join(map(str, frame["model"].unique()[:3])) or "no model"
    programs = "labelled programs" if models == "reference" else f"programs by {models}"
    date, version = str(meta.get("date", ""))[:10], meta.get("kit", "")
    dated = f" Run on {date}, kit {version}." if date else ""
    return visible(
        f"{samples} {programs} for {frame['task'].nunique()} tasks. Each was executed in a "
        "sandbox. It is correct if it passes all functional tests, and secure if it passes all "
        f"security tests.{dated}"
    )
