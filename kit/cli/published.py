"""The command `kit published check`: audits the numbers that the papers print."""

import sys

import click

from kit.cli.options import as_json, emit, main


@main.group()
def published() -> None:
    """Check the papers' printed numbers for consistency."""


@published.command()
@click.argument("papers", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Also print relations that hold.")
@as_json
def check(papers: tuple[str, ...], every: bool, as_json: bool) -> None:
    """Check all relations between printed numbers. Print the discrepancies.

    The exit code is 1 if a discrepancy is not in the list of known findings ("unlisted").
    """
    from kit.papers import audit

    rows = audit.relations(*papers)
    counts = audit.count_verdicts(rows)
    unlisted = audit.select_unlisted(rows)
    selected = rows if every else rows[(rows["verdict"] != "match") | ~rows["expected"]]
    lines = [
        f"{r.relation}: {r.verdict}{'' if r.expected else ', unlisted'}. {r.sentence}"
        for r in selected.itertuples()
    ]
    text = "\n".join([*lines, counts.to_string(), f"{len(unlisted)} relations are unlisted"])
    head = counts.rename_axis("paper").reset_index().to_dict("records")
    emit({"papers": head, "relations": selected.to_dict("records")}, as_json, text)
    if len(unlisted):
        sys.exit(1)
