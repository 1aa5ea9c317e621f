"""The commands about results that others printed or computed: published check, import."""

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from kit.cli.options import as_json, emit, main
from kit.errors import KitError


@main.group()
def published() -> None:
    """The numbers that the papers print."""


@published.command()
@click.argument("papers", nargs=-1)
@as_json
def check(papers: tuple[str, ...], as_json: bool) -> None:
    """Recompute what follows from printed numbers; exit 1 where a relation is news."""
    from kit.papers import audit

    rows = audit.rows(*papers)
    counts, news = audit.summary(rows), audit.news(rows)
    lines = [f"{r.relation}: {r.sentence}" for r in news.itertuples()]
    text = "\n".join([counts.to_string(), *lines, f"{len(news)} relations are news"])
    head = counts.rename_axis("paper").reset_index().to_dict("records")
    emit({"papers": head, "relations": rows.to_dict("records")}, as_json, text)
    if len(news):
        sys.exit(1)


@main.group("import")
def import_() -> None:
    """Results that others computed become a run."""


@import_.command("dualgauge-results")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--run", "run_name", required=True, help="Name or folder of the new run.")
@as_json
def dualgauge_results(folder: Path, run_name: str, as_json: bool) -> None:
    """Read evaluation_results/<language>/<model>/<id>/sample_<n>/{summary,debug}.json."""
    from kit.papers import imported

    results = imported.read(folder)
    counts = imported.keep(results, run_name)
    for problem in results.problems:
        click.echo(f"kit: {problem}", err=True)
    text = ", ".join(f"{n} {name}" for name, n in counts.items())
    emit(
        {"run": run_name, **counts, "problems": results.problems},
        as_json,
        f"{text}; run {run_name}",
    )


@import_.command("inspect-log")
@click.argument("log", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--suite", default="dualgauge", show_default=True)
@as_json
def inspect_log(log: Path, folder: Path, suite: str, as_json: bool) -> None:
    """Make the answers in Inspect's LOG (.eval) a recording in FOLDER: --model replay:FOLDER."""
    if find_spec("inspect_ai") is None:
        raise KitError("Inspect is not here. Type: pip install 'securecode-kit[inspect]'")
    from kit.run import inspected

    count = inspected.recording(log, suite, folder)
    text = f"{count} answers; type: kit run {suite} --model replay:{folder}"
    emit({"answers": count, "folder": str(folder)}, as_json, text)
