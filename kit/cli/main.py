"""The `kit` command: thin; each command says what it read, what it made and where it is."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from kit.cli import (  # noqa: F401
    agents,
    course,
    decoding,
    draft,
    evaluate,
    javarepo,
    models,
    papers,
    start,
    stats,
    units,
)
from kit.cli import rules as rules_  # noqa: F401
from kit.cli import run as run_  # noqa: F401
from kit.cli.benches import bench
from kit.cli.options import (
    OfLoaded,
    as_json,
    configured,
    data_option,
    emit,
    load_tasks,
    main,
)


@main.command()
@as_json
@click.option("--install", is_flag=True, help="Install what is missing, if allowed.")
@click.option("--heavy", is_flag=True, help="With --install: Docker, Java, semgrep.")
def doctor(as_json: bool, install: bool, heavy: bool) -> None:
    """What is there, what each missing thing would give, and the line that installs it."""
    from kit.cli import doctor as clinic

    if install:
        rows = clinic.findings()
        click.echo(clinic.install(clinic.missing_packages(rows, heavy=heavy)))
        for line in clinic.install_engines(rows, heavy=heavy):
            click.echo(line)
        for line in clinic.install_brought(rows) if heavy else []:
            click.echo(line)
        return
    rows = clinic.findings()
    lines = [
        f"{'ok ' if r.found else '-- '} {r.kind:9}{r.name:18}"
        + (r.found if r.found else f"{r.gives}; {r.install}")
        for r in rows
    ]
    emit([vars(r) for r in rows], as_json, "\n".join(lines))


@main.command(cls=OfLoaded)
@click.argument("suite")
@data_option
@as_json
def tasks(suite: str, data: Path | None, as_json: bool, **options: Any) -> None:
    """List the tasks of a suite."""
    rows = [
        {
            "task": t.id,
            "domain": t.domain,
            "functional": sum(x.kind == "functional" for x in t.tests),
            "security": sum(x.kind == "security" for x in t.tests),
            "cwe": sorted({x.cwe for x in t.tests if x.cwe}),
            "title": t.title or " ".join(t.prompt.split())[:60],
        }
        for t in load_tasks(configured(suite, options), data)
    ]
    text = "\n".join(f"{r['task']:8}{r['domain']:10}{r['functional']:3} fc {r['security']:3} sec  "
                     f"{r['title']}" for r in rows)  # fmt: skip
    emit(rows, as_json, text)


@main.command()
@as_json
def runs(as_json: bool) -> None:
    """List the runs below data/runs."""
    from kit.run import report

    rows = report.runs()
    none = "No runs yet. Make one with `kit validate dualgauge --only k01` or `kit run`."
    emit(rows, as_json, none if rows.empty else rows.to_string(index=False))


@main.command()
@click.argument("run")
@click.argument("task")
@click.argument("test", default="")
@click.option("--sample", type=int, help="Only the sample of this number.")
@as_json
def show(run: str, task: str, test: str, sample: int | None, as_json: bool) -> None:
    """Print the programs of TASK in RUN with their verdicts; with TEST, its evidence."""
    from kit.run import report
    from kit.store import Store

    with Store(run, write=False) as store:
        told = report.show(store, task, test, sample)
    emit(told, as_json, report.text(told))


@main.command()
@click.argument("run")
@click.argument("target", type=click.Path(path_type=Path), required=False)
@click.option("--html", "page", type=click.Path(path_type=Path),
              help="Write one page instead, to read without Python or a network.")  # fmt: skip
@click.option("--card", is_flag=True, help="Write a dataset card beside TARGET: README.md.")
@data_option
@as_json
def export(
    run: str, target: Path | None, page: Path | None, card: bool, data: Path | None, as_json: bool
) -> None:
    """Write RUN to TARGET (.parquet, .csv or .jsonl): a row per test, with what is behind it."""
    if (target is None) == (page is None) or (card and page):
        raise click.UsageError("Name one file: TARGET (rows), or --html FILE (a page).")
    if page:
        from kit.study.page import write as write_page

        count = write_page(run, page, tasks=data)
        emit({"samples": count, "file": str(page)}, as_json, f"{count} samples in {page}")
    elif target:
        from kit.run.export import export as write

        if card:
            from kit.run.card import write as write_card

            write_card(run, target)
        count = write(run, target)
        emit({"rows": count, "file": str(target)}, as_json, f"{count} rows in {target}")


@main.command()
@click.argument("patterns", nargs=-1)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("-p", "--parameter", "pairs", nargs=2, multiple=True, help="NAME VALUE (JSON).")
@as_json
def reproduce(
    patterns: tuple[str, ...], workers: int, pairs: tuple[tuple[str, str], ...], as_json: bool
) -> None:
    """Execute notebooks (all, or those that match PATTERNS such as 'dualgauge/*')."""
    from kit import books

    parameters = {name: _literal(value) for name, value in pairs}
    rows = books.reproduce(patterns or ("*",), workers=workers, parameters=parameters)
    emit(rows, as_json, books.text(rows))
    if not all(row["ok"] for row in rows):
        sys.exit(1)


def _literal(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value


@bench.command("sandbox")
@click.option("--runs", type=click.IntRange(10), default=200, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@as_json
def bench_sandbox(runs: int, workers: int, as_json: bool) -> None:
    """Sandboxed runs a second against bare interpreters and `docker run`."""
    from kit.run import bench as bench_

    result = bench_.sandbox(runs=runs, workers=workers)
    emit(result, as_json, "\n".join(f"{k:32}{v}" for k, v in result.items()))
