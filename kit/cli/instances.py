"""The command `kit task draft realsec`: proposes instances from a Java repository."""

from pathlib import Path
from typing import Any

import click

from kit.cli.options import KitCommand, as_json, emit, workers_option
from kit.cli.runs import task


@task.command("draft realsec", cls=KitCommand)
@click.option(
    "--repo",
    "repositories",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Java repository in Maven's layout. May be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("drafts"),
    show_default=True,
    help="Folder of drafts; each instance gets its own subfolder.",
)
@click.option(
    "--voters", default="", help="Models that vote on findings, SPEC[@URL],SPEC...; default: none."
)
@click.option(
    "--final", default="", help="Model that decides after the vote, SPEC[@URL]; default: none."
)
@click.option("--docstrings", default="", help="Docstring model, SPEC[@URL]; default: none.")
@workers_option
@as_json
def draft(
    repositories: tuple[Path, ...],
    out: Path,
    voters: str,
    final: str,
    docstrings: str,
    workers: int,
    as_json: bool,
) -> None:
    """Propose instances from repositories.

    They are methods with a static finding that compile and that tests execute.
    """
    from kit.generation.models import open_live_model
    from kit.oracle import sast
    from kit.oracle.sast.programs import identify_scan
    from kit.sandbox import open_sandbox
    from kit.systems.realsec import draft as drafting
    from kit.systems.realsec import scan
    from kit.systems.realsec.repository import Repository
    from kit.systems.realsec.testing import LIMITS, Builder

    panel = scan.Panel.of(voters, final, {})
    model = open_live_model(docstrings) if docstrings else None
    by_repository: dict[str, Any] = {}
    with open_sandbox("bwrap", LIMITS) as box:
        builder = Builder(box)
        for folder in repositories:
            repository = Repository(folder.resolve())
            drafts = drafting.propose_candidates(
                box, builder, repository, workers=workers, panel=panel
            )
            paths = drafting.write_candidates(repository, drafts, out, model)
            dropped = []
            for candidate in drafts:
                if candidate.status != "kept":
                    place = f"{candidate.file}:{candidate.finding.line}"
                    dropped.append(f"{place}: {candidate.status}")
            written = [path.parent.name for path in paths]
            by_repository[repository.name] = {"written": written, "dropped": dropped}
    lines = []
    for name, part in by_repository.items():
        lines.append(f"{name}: {len(part['written'])} candidates, {len(part['dropped'])} dropped")
    summary = {
        "engine": identify_scan(sast.best_engine("java"), "java"),
        "repositories": by_repository,
    }
    emit(summary, as_json, "\n".join(lines))
