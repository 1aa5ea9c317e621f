"""The commands of real C projects: `kit run|validate|bench ossbench`."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from kit.cli.options import OF_SUITE, as_json, bench, emit

project_option = click.option("--project", default="cjson", show_default=True,
                              help="cjson, sqlite or php.")  # fmt: skip
checkout_option = click.option("--checkout", type=click.Path(path_type=Path),
                               help="A source tree of yours instead of Debian's.")  # fmt: skip
limit_option = click.option("--limit", type=click.IntRange(1),
                            help="So many functions, spread evenly over the project.")  # fmt: skip
run_option = click.option("--run", "run_name", help="Name or folder of the run.")


@click.command("run ossbench")
@click.option(
    "--model", required=True, help="identity, saboteur, hands:DIR, local, replay:DIR, ..."
)
@project_option
@checkout_option
@limit_option
@click.option("--data", type=click.Path(path_type=Path), help="A function.db to take instead.")
@click.option("--prompt", default="improve", show_default=True,
              help="improve, synthesis, repair; contamination only asks.")  # fmt: skip
@click.option("--iterations", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--until", type=float, help="Stop when the 95% interval is narrower (points).")
@click.option("--share", type=click.FloatRange(0, 1, min_open=True), default=0.01,
              show_default=True, help="Of all functions, edited in an iteration.")  # fmt: skip
@click.option("--mode", type=click.Choice(["schemata", "rebuild"]), default="schemata",
              show_default=True)  # fmt: skip
@click.option("--full", is_flag=True, help="Check every edit by a full rebuild.")
@click.option("--fuzz", type=click.IntRange(0), default=0, show_default=True,
              help="Inputs of a fuzzer against each of the first iterations.")  # fmt: skip
@click.option("--fuzzed", type=click.IntRange(1), default=20, show_default=True,
              help="How many iterations are fuzzed.")  # fmt: skip
@click.option("--seed", default=0, show_default=True)
@click.option("--temperature", type=float)
@click.option("--max-tokens", type=click.IntRange(1))
@click.option("--base-url", help="Any OpenAI-compatible server.")
@click.option("--budget", type=float, help="US dollars; stops cleanly before passing it.")
@click.option("--connections", type=click.IntRange(1), default=4, show_default=True,
              help="Questions asked at the same time.")  # fmt: skip
@click.option("--dry-run", is_flag=True,
              help="Only the forecast of calls, tokens, cost and time.")  # fmt: skip
@click.option("--deduction", type=float, help="Points per alert; default the paper's.")
@run_option
@as_json
def run(project: str, checkout: Path | None, limit: int | None, data: Path | None,
        run_name: str | None, temperature: float | None, max_tokens: int | None,
        deduction: float | None, dry_run: bool, as_json: bool,
        **settings: Any) -> None:  # fmt: skip
    """Let a model edit the functions of a C project; build, test, and score it."""
    from kit.store import Store
    from kit.suites.cproject import contamination, scores
    from kit.suites.cproject.job import OssJob
    from kit.suites.cproject.live import go
    from kit.suites.cproject.projects import opened

    given = {"temperature": temperature, "max_tokens": max_tokens}
    sampling = {k: v for k, v in given.items() if v is not None}
    with opened(project, checkout, limit, data) as (box, tree, table):
        job = OssJob(tree, table, sampling=sampling, **settings)
        told = job.forecast()
        click.echo(told, err=True)
        if dry_run:
            if as_json:
                emit({"forecast": told}, True, "")
            return
        name = run_name or job.name + job.prompt.removeprefix("improve")
        if job.prompt == "contamination":
            with Store(name) as store:
                known = contamination.summary(contamination.probe(job, store))
            emit(known | {"run": name}, as_json, "\n".join(f"{k:30}{v}" for k, v in known.items()))
            return
        said = go(job, box, name)
    tables = scores.load(name)
    result = scores.scores(tables, deduction=deduction)
    about = {k: tables.meta[k] for k in ("mode", "faults_seen")}
    stages = "; ".join(f"{stage}: {words}" for stage, words in said.items())
    kinds = "; ".join(f"{kind} {words}" for kind, words in about["faults_seen"].items())
    emit(result | {"run": name, "stages": said} | about, as_json,
         f"{scores.text(result)}\nedits in force by {about['mode']}; faults that can be seen: "
         f"{kinds}\n{stages}; run {name}")  # fmt: skip


@click.command("validate ossbench")
@project_option
@checkout_option
@limit_option
@run_option
@as_json
def validate(
    project: str, checkout: Path | None, limit: int | None, run_name: str | None, as_json: bool
) -> None:
    """Identity must score as the baseline, and the saboteur's faults must be found."""
    from kit.paths import RUNS
    from kit.suites.cproject import selfcheck
    from kit.suites.cproject.job import OssJob
    from kit.suites.cproject.projects import opened

    with opened(project, checkout, limit) as (box, tree, table):
        folder = Path(run_name) if run_name else RUNS / f"validate-ossbench-{project}"
        result = selfcheck.validate(OssJob(tree, table, "identity"), box, folder)
    emit(result, as_json, selfcheck.text(result))
    if not result["ok"]:
        sys.exit(1)


@bench.command("ossbench")
@project_option
@checkout_option
@click.option("--edits", type=click.IntRange(10),
              help="How many edits are checked the fast way.")  # fmt: skip
@click.option("--rebuilds", type=click.IntRange(1),
              help="How many of them are also built in full, and compared.")  # fmt: skip
@click.option("--iterations", type=click.IntRange(1), help="Iterations run in both modes.")
@as_json
def bench_ossbench(project: str, checkout: Path | None, as_json: bool, **sizes: Any) -> None:
    """Check against rebuild, schemata against rebuild, both with their agreement."""
    from kit.suites.cproject import speed
    from kit.suites.cproject.projects import opened

    with opened(project, checkout, None) as (box, tree, table):
        result = speed.measure(tree, table, box, say=partial(click.echo, err=True), **sizes)
    emit(result, as_json, "\n".join(f"{k:44}{v}" for k, v in result.items()))


OF_SUITE |= {("run", "ossbench"): run, ("validate", "ossbench"): validate}
