"""Writes a run as one self-contained HTML page, for readers without Python or a network.

The run's data are escaped JSON and are shown as text only. The page's content security policy
permits no script but the page's own.
"""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pandas as pd
from markupsafe import Markup
from tqdm.auto import tqdm

from kit.core.errors import KitError
from kit.core.paths import replace_whole
from kit.core.records import Sample, Status, Test
from kit.core.store import Store
from kit.explore import render
from kit.explore.bars import ARMS, list_bars
from kit.explore.samples import (
    OpenRun,
    assign_quadrants,
    count_quadrants,
    find_arms_to_choose,
    list_samples,
)
from kit.run import report
from kit.run.export import escape_controls
from kit.run.suites import of_run, tasks_of
from kit.scoring import measures
from kit.scoring.reduce import NO_PROGRAM

PERCENT = "value [interval], bounds"
FIRST = {"fail": 0, "security": 0, "unknown": 1, "pass": 1, "functional": 1}  # order of tests
TELLING = 3  # weaknesses that are at the top
SOUNDED = 50  # samples by which the size of the page is judged
LARGE_MB = 20
UNSTARTED = {
    "extraction_error": "without a program",
    "refused": "refused",
    "compile_error": "with a program that does not compile",
}


@dataclass(frozen=True)
class Content:
    """What the page of a run shows.

    top: what stands above the list. counts, scores: tables of text. filters: columns by which
    samples are chosen. samples: a line of the list for each sample; pages: its HTML.
    """

    top: dict[str, Any]
    counts: pd.DataFrame
    scores: pd.DataFrame
    filters: list[str]
    samples: list[dict[str, Any]]
    pages: list[str]


def write_html(
    run: str | Path, target: Path, *, tasks: Path | None = None, only: Sequence[str] = ()
) -> int:
    """Write the run's page to `target` atomically; returns the number of samples.

    tasks: the folder of the run's tasks; default: the suite's own. only: ids of tasks whose samples
    are listed; default: all.
    Raises KitError if the target is not .html, or if the run or a folder does not exist.
    """
    check_target(target)
    with Store(run, write=False) as store:
        content = read_content(store, tasks, only=only)
    replace_whole(target, fill_page(Path(run).name, content))
    return len(content.samples)


def check_target(target: Path) -> None:
    """KitError unless a page can be written there."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise KitError(f"Cannot write a page to '{target.name}'. Use a name that ends in .html.")
    if not target.parent.is_dir():
        raise KitError(f"No folder {target.parent}. Create it first, or name another target.")


def fill_page(title: str, content: Content) -> str:
    """The whole page; its data are escaped so that no text in them can become markup."""
    inert = json.dumps({"filters": content.filters, "samples": content.samples}, default=str)
    for character in "<>&":
        inert = inert.replace(character, f"\\u{ord(character):04x}")
    pages = map(Markup, content.pages)
    return fill_template("page", title=title, inert=Markup(inert), content=content, pages=pages)


def fill_template(name: str, *, title: str, **values: Any) -> str:
    """A page of the template and the script of this name; no other script can run in it."""
    script = (render.FOLDER / f"{name}.js").read_text(encoding="utf-8")
    sheet = render.SHEET + (render.FOLDER / "page.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"style-src {_policy_hash(sheet)}; script-src {_policy_hash(script)}"
    )
    return render.load_template(f"{name}.j2").render(
        title=render.one_line(title),
        policy=Markup(policy),
        sheet=Markup(sheet),
        script=Markup(script),
        CELL=render.CELL,
        **values,
    )


def _policy_hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def read_content(
    store: Store, folder: Path | None = None, *, only: Sequence[str] = (), n_boot: int = 5000
) -> Content:
    """What the page shows of a run. only: as in `write_html`; scores and counts are of all."""
    suite = of_run(store)
    frame = store.frame()
    tasks = {task.id: task for task in tasks_of(store, folder, suite)}
    run = OpenRun(store, tasks, {}, suite)
    quadrants = assign_quadrants(frame)
    frame = frame.merge(quadrants[["slot", "quadrant"]], on="slot")
    selected = select_tasks(frame, only)
    arms = find_arms_to_choose(frame)
    columns = pd.Index(["quadrant", "model", *arms, "language", "status"])
    filters = list(columns.intersection(frame.columns, sort=False))
    samples = []
    pages = []
    count = selected["slot"].nunique()
    lines = list_pages(run, selected, filters)
    for line, page in tqdm(lines, total=count, desc="page", disable=None, leave=False):
        samples.append(line)
        pages.append(page)
        if len(pages) == SOUNDED:
            warn_of_size(pages, count)
    scores = report.score_run(store, suite, n_boot=n_boot)
    by = measures.group_columns(scores)
    further = len(scores.drop_duplicates(by)) - ARMS if by else 0
    top = {
        "quadrants": count_quadrants(quadrants["quadrant"]).to_dict("index"),
        "size": len(quadrants),
        "tasks": frame["task"].nunique(),
        "models": frame["model"].unique()[:3],
        "meta": store.meta(),
        "bars": list(list_bars(scores)),
        "further": max(further, 0),
        "notes": report.describe_endings(store),
        "telling": list(tell_weaknesses(run, selected)),
        "others": count_others(frame),
        "about": report.format_provenance(report.read_provenance(store)),
    }
    printed = scores[[*by, "metric"]].assign(
        **{PERCENT: scores.apply(measures.format_estimate, axis=1).str.strip()},
        tasks=scores["tasks"],
        note=scores["note"],
    )
    counts = measures.counts(frame.drop(columns="quadrant"), by)
    cells = counts.map(write_cell), printed.map(write_cell)
    return Content(top, *cells, filters, samples, pages)


def select_tasks(frame: pd.DataFrame, only: Sequence[str]) -> pd.DataFrame:
    """The rows of these tasks, or all; KitError for a task that the run does not have."""
    names = frame["task"].unique()
    unknown = sorted(set(only) - set(names))
    if unknown:
        raise KitError(f"The run has no task {unknown[0]!r}. Use some of: {', '.join(names)}.")
    return frame[frame["task"].isin(only or names)]


def warn_of_size(pages: Sequence[str], count: int) -> None:
    """Say on stderr how large a page of so many samples will be, judged by its first samples."""
    megabytes = count * sum(map(len, pages)) / len(pages) / 1e6
    if megabytes > LARGE_MB:
        click.echo(
            f"kit: A page of {count:,} samples has about {megabytes:,.0f} MB. For a smaller "
            "one name tasks with --only; a table is smaller too: kit export RUN rows.parquet",
            err=True,
        )


def write_cell(value: Any) -> str:
    """A cell as text; empty if there is no value."""
    if pd.isna(value):
        return ""
    return f"{value:.4g}" if isinstance(value, float) else escape_controls(str(value))


def list_pages(
    run: OpenRun, frame: pd.DataFrame, filters: list[str]
) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields each sample's line in the list and its HTML."""
    table = list_samples(frame)
    has_languages = "language" in table and table["language"].nunique() > 1
    for number, (slot, rows) in enumerate(frame.groupby("slot", sort=False)):
        entry = table.loc[slot]
        first = rows.iloc[0]
        sample = run.store.sample(str(slot)) or Sample(
            first["task"], first["model"], int(first["sample"]), status=Status.NOT_RUN
        )
        name = entry["answer"]
        if has_languages:
            name += f" {sample.language}"
        marks = rows.sort_values("kind")["outcome"].astype(str).str[0].str.cat()
        line = {
            "number": number,
            "task": sample.task,
            "name": render.one_line(name),
            "row": first[filters].map(write_cell).to_dict() | {"status": str(sample.status)},
            "marks": marks if sample.status == Status.COMPLETED else "",
            "tint": render.choose_tint(entry["quadrant"]),
        }
        yield line, render_whole(run, sample, str(slot), rows)


def render_whole(run: OpenRun, sample: Sample, slot: str, rows: pd.DataFrame) -> str:
    """A sample with all its tests, the failed ones first, as a part of the page."""
    task = run.tasks.get(sample.task)
    by_id = {test.id: test for test in task.tests} if task else {}
    tests = []
    order = ["outcome", "kind"]
    for row in rows.sort_values(order, key=lambda c: c.map(FIRST), kind="stable").itertuples():
        test = Test(str(row.test), str(row.kind), cwe=str(row.cwe))
        tests.append(by_id.get(test.id, test))
    return render.make_sample_html(
        task,
        sample,
        run.read_cells(slot, tests),
        tests[0].id,
        whole=False,
        quadrant=rows["quadrant"].iloc[0],
        found=run.findings.get(slot, ()),
        question=run.ask(sample),
    )


def tell_weaknesses(run: OpenRun, frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The most frequent weaknesses of programs that ran, each with one failed test's sentence.

    Programs that are correct but insecure come first. frame: the tidy table with the quadrants.
    """
    table = list_samples(frame)
    did_run = ~frame["status"].isin(list(map(str, NO_PROGRAM)))
    failed = frame[did_run & (frame["kind"] == "security") & (frame["outcome"] == "fail")]
    failed = failed.sort_values(
        "quadrant", key=lambda names: names != "correct but insecure", kind="stable"
    )
    tasks = set[str]()
    for cwe, count in failed.groupby("cwe")["slot"].nunique().nlargest(TELLING).items():
        rows = failed[failed["cwe"] == cwe]
        first = rows.iloc[rows["task"].isin(tasks).argmin()]  # of another task, if possible
        tasks.add(first["task"])
        task = run.tasks.get(first["task"])
        tests = {test.id: test for test in task.tests} if task else {}
        test = tests.get(first["test"])
        _, verdict = run.store.cell(first["slot"], first["test"])
        yield {
            "number": table.index.get_loc(first["slot"]),
            "cwe": str(cwe),
            "samples": count,
            "task": f"{first['task']} {task.title if task else ''}".strip(),
            "name": table["answer"][first["slot"]],
            "sentence": verdict.sentence if verdict else "",
            "expected": test.behavior if test else "",
        }


def count_others(frame: pd.DataFrame) -> str:
    """One sentence: the answers that are insecure only because no program of theirs ran."""
    ended = frame.drop_duplicates("slot")["status"].value_counts()
    parts = [f"{ended[status]} {UNSTARTED[status]}" for status in UNSTARTED if status in ended]
    return f"Not among them, as no program ran: {', '.join(parts)}." if parts else ""
