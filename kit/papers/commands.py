"""The commands about results that others printed or computed: published check, import."""

import sys
from pathlib import Path

import click

from kit.cli.options import Group, as_json, emit


@click.group(cls=Group)
def published() -> None:
    """The numbers that the papers print."""


@published.command()
@click.argument("papers", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Also print the relations that hold.")
@as_json
def check(papers: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Recompute what follows from printed numbers; print what does not.

    Exit code 1 where a relation is unlisted: the list of known findings does not have it so.
    """
    from kit.papers import audit

    rows = audit.relations(*papers)
    counts, unlisted = audit.summary(rows), audit.unlisted(rows)
    shown = rows if every else rows[(rows["verdict"] != "match") | ~rows["expected"]]
    lines = [f"{r.relation}: {r.verdict}{'' if r.expected else ', unlisted'}. {r.sentence}"
             for r in shown.itertuples()]  # fmt: skip
    text = "\n".join([*lines, counts.to_string(), f"{len(unlisted)} relations are unlisted"])
    head = counts.rename_axis("paper").reset_index().to_dict("records")
    emit({"papers": head, "relations": shown.to_dict("records")}, as_json, text)
    if len(unlisted):
        sys.exit(1)


@click.command("dualgauge-results")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--run", "run_name", required=True, help="Name or folder of the new run.")
@as_json
def dualgauge_results(folder: Path, run_name: str, as_json: bool) -> None:
    """Make a run of results that the official runner wrote.

    FOLDER holds evaluation_results/<language>/<model>/<id>/sample_<n>/{summary,debug}.json.
    """
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
