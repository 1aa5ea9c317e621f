"""What the kit costs, as ratios of CPU in one run: python -m tests.benchmarks NAME [--help]."""

import sys
from functools import partial
from pathlib import Path

import click

from kit.cli.options import Group, as_json, emit, workers_option


@click.group(cls=Group, name="benchmarks")
def main() -> None:
    """Speed and size of the kit's own work."""


@main.command("sandbox")
@click.option("--runs", type=click.IntRange(10), default=200, show_default=True)
@workers_option
@as_json
def sandbox_(runs, workers, as_json):
    """CPU time in a box, watched or not, and in none: median and range of ratios in one run."""
    from tests.benchmarks import bench

    found = bench.sandbox(runs=runs, workers=workers)
    emit(found, as_json, found.items())


@main.command("scale")
@click.option(
    "--samples",
    "sizes",
    type=click.IntRange(10),
    multiple=True,
    default=[1000, 10_000],
    show_default=True,
    help="May be repeated.",
)
@as_json
def scale_(sizes, as_json):
    """What each step of a run costs, and how its cost grows with the samples."""
    from tests.benchmarks import scale

    say = partial(click.echo, err=True)
    found = {samples: scale.measure(samples, say=say) for samples in sizes}
    emit(found, as_json, scale.text(found))


@main.command("soak")
@click.option("--runs", type=click.IntRange(1), default=20_000, show_default=True)
@click.option("--tier", "tiers", multiple=True, help="May be repeated; all but bare by default.")
@workers_option
@as_json
def soak_(runs, tiers, workers, as_json):
    """What many runs leave behind; exits with 1 where something grew."""
    from tests.benchmarks import soak

    found = soak.measure(tiers, runs=runs, workers=workers)
    emit(found, as_json, soak.text(found))
    if any(tier["grew"] for tier in found["tiers"].values()):
        sys.exit(1)


@main.command("realsec")
@click.option("--repositories", default="real", show_default=True, help="own or real.")
@click.option("--instances", type=click.IntRange(0), default=0, help="So many; 0 takes all.")
@as_json
def realsec_(repositories, instances, as_json):
    """CPU seconds of one sample of a Java instance, as the boxes count them."""
    from kit.sandbox import open_sandbox
    from kit.systems.realsec.testing import LIMITS
    from tests.benchmarks import realsec

    with open_sandbox("bwrap", LIMITS) as box:
        found = realsec.measure(box, repositories=repositories, instances=instances)
    emit(found, as_json, found.items())


@main.command("ossbench")
@click.option("--project", default="cjson", show_default=True, help="Name, or a folder.")
@click.option("--tests", default="quick", show_default=True, help="quick, all or a pattern.")
@click.option("--checkout", type=click.Path(path_type=Path), help="A source tree of yours.")
@click.option("--edits", type=click.IntRange(10), help="Edits that are checked the fast way.")
@click.option("--rebuilds", type=click.IntRange(1), help="Edits that are also built in full.")
@click.option("--iterations", type=click.IntRange(1), help="Iterations run in both modes.")
@as_json
def ossbench_(project, tests, checkout, as_json, **sizes):
    """Check against rebuild, schemata against rebuild, both with their agreement."""
    from kit.sandbox import Limits, open_sandbox
    from kit.systems.ossbench.extract import kept_functions
    from kit.systems.ossbench.project import open_project
    from tests.benchmarks import ossbench

    tree = open_project(project, checkout=checkout, tests=tests)
    with open_sandbox("bwrap", Limits(ptrace=True)) as box:
        found = ossbench.measure(tree, kept_functions(tree), box, **sizes)
    emit(found, as_json, found.items())


@main.command("false-alarms")
def false_alarms_():
    """What `kit scan` finds in labelled programs; the output is rules/false_alarms.json."""
    from tests.benchmarks import false_alarms

    click.echo(false_alarms.as_text(false_alarms.measure("secure", "insecure")))


if __name__ == "__main__":
    main()
