"""The command `kit task draft realsec`: proposes instances from a Java repository."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from kit.cli.options import KitCommand, as_json, emit, gather_options, workers_option
from kit.cli.runs import record_option, task
from kit.core.errors import KitError
from kit.core.paths import SUITES


def find_recipe(name: str) -> Path:
    """The folder itself, or that of the recipe of this name in the kit."""
    for folder in (Path(name), SUITES / "realsec" / "real" / "repositories" / name):
        if (folder / "recipe.toml").is_file():
            return folder
    raise KitError(f"{name} has no recipe.toml. Give its folder, or the name of one of the kit's.")


@dataclass(frozen=True)
class AskedModels:
    """The models of a draft, by their SPECs; record: the folder of their answers, or None."""

    voters: str
    final: str
    docstrings: str
    record: Path | None


models_option = gather_options(
    "models",
    {
        "voters": click.option(
            "--voters",
            default="",
            help="Models that vote on findings, SPEC[@URL],SPEC...; default: none.",
        ),
        "final": click.option(
            "--final",
            default="",
            help="Model that decides after the vote, SPEC[@URL]; default: none.",
        ),
        "docstrings": click.option(
            "--docstrings", default="", help="Docstring model, SPEC[@URL]; default: none."
        ),
        "record": record_option,
    },
    AskedModels,
)


@task.command("draft realsec", cls=KitCommand)
@click.option(
    "--repo",
    "repositories",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Java repository in Maven's layout, scanned as a whole. May be repeated.",
)
@click.option(
    "--recipe",
    "recipes",
    multiple=True,
    help="Folder with a recipe.toml, or the name of one of the kit's. May be repeated.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Maximum number of methods per recipe.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("drafts"),
    show_default=True,
    help="Folder of drafts; each instance gets its own subfolder.",
)
@models_option
@workers_option
@as_json
def draft(
    repositories: tuple[Path, ...],
    recipes: tuple[str, ...],
    most: int,
    out: Path,
    models: AskedModels,
    workers: int,
    as_json: bool,
) -> None:
    """Propose instances from repositories.

    They are methods that compile and that tests execute: with a static finding (--repo), or with a
    call from which a weakness may come (--recipe).
    """
    from kit.generation.models import open_role
    from kit.generation.replay import recorded_in
    from kit.generation.structured import Asker
    from kit.oracle import sast
    from kit.oracle.sast.programs import identify_scan
    from kit.sandbox import open_sandbox
    from kit.systems.realsec import draft as drafting
    from kit.systems.realsec.reaching import find_reached
    from kit.systems.realsec.repository import Repository
    from kit.systems.realsec.scan import Panel
    from kit.systems.realsec.testing import LIMITS, Builder
    from kit.systems.realsec.tracing import trace_tests

    if not repositories and not recipes:
        raise KitError("Name a repository with --repo or --recipe.")
    folders = [*repositories, *map(find_recipe, recipes)]
    summaries: dict[str, Any] = {}
    with recorded_in(models.record) as cache, open_sandbox("bwrap", LIMITS) as box:
        panel = Panel.of(models.voters, models.final, cache)
        author = Asker(open_role(models.docstrings), cache) if models.docstrings else None
        builder = Builder(box)
        for number, folder in enumerate(folders):
            repository = Repository(folder.resolve())
            traces = trace_tests(builder, repository)
            reached = find_reached(repository, traces)
            if number < len(repositories):
                drafts = drafting.propose_by_scan(box, repository, reached)
            else:
                proposed = drafting.propose_by_calls(repository, reached)
                drafts = drafting.select_candidates(proposed, most)
            drafts = drafting.check_candidates(
                builder, repository, drafts, workers=workers, panel=panel
            )
            written = drafting.write_candidates(repository, drafts, out, author)
            summaries[repository.name] = drafting.summarise_drafts(drafts, written, traces)
    summary: dict[str, Any] = {"repositories": summaries}
    if repositories:
        summary["engine"] = identify_scan(sast.best_engine("java"), "java")
    emit(summary, as_json, "\n".join(map(describe_summary, summaries, summaries.values())))


def describe_summary(name: str, summary: Mapping[str, Any]) -> str:
    """One line on the drafts of a repository."""
    line = f"{name}: {len(summary['written'])} candidates, {len(summary['dropped'])} dropped"
    leaks = [draft for draft, words in summary["written"].items() if words]
    if leaks:
        line += f"; docstrings with words of security: {', '.join(leaks)}"
    if summary["unfinished"]:
        line += f"; tests that did not end: {', '.join(summary['unfinished'])}"
    return line
