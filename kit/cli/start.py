"""The commands of the first minutes: demo, notebooks, docs."""

import shutil
from pathlib import Path
from typing import Any

import click

from kit.cli.options import as_json, box_option, emit, main, workers_option
from kit.errors import KitError

DEMO = ("k01", "k13", "k16")  # small, and each has programs of all four kinds


@main.command()
@click.option("--page", type=click.Path(path_type=Path), default="demo.html", show_default=True,
              help="Where the page goes.")  # fmt: skip
@box_option
@workers_option
@as_json
def demo(page: Path, tier: str, workers: int, as_json: bool) -> None:
    """Run labelled programs of three tasks in the sandbox; scores, and one page to open.

    No model is asked. The programs are secure, insecure, wrong and uselessly safe ones, written
    for the purpose: what the scores should be is known, and the oracle is checked against it.
    """
    from kit import measures
    from kit.metrics import stats
    from kit.oracle import calibrate
    from kit.paths import run_path
    from kit.run import validate
    from kit.store import Store
    from kit.study import page as page_
    from kit.suites import open_suite

    suite = open_suite("dualgauge")
    tasks = suite.load().chosen(DEMO)
    samples, labels = suite.references(tasks, suite.labels)
    samples = [s for s in samples if s.language == "python"]
    tally, frame = validate.execute("demo", suite, tasks, samples, tier=tier, workers=workers)
    with Store("demo", write=False) as store:
        scores = suite.scores(store, by=["label"], k=(1,), rng=stats.seed("demo"), n_boot=2000)
    rows = validate.joined(
        labels[labels["program"].isin({s.arm["program"] for s in samples})], frame
    )
    page_.write("demo", page)
    told: dict[str, Any] = calibrate.confusion(rows)
    run = str(run_path("demo").parent)
    more = {"tally": str(tally), "page": str(page.resolve()), "run": run, "scores": scores}
    lines = [measures.text(scores), "", "The oracle against the labels of these programs:"]
    lines += [calibrate.text(told), "", f"{tally}; run {run}", f"Open {page.resolve()}"]
    emit(told | more | {"scores": scores.to_dict("records")}, as_json, "\n".join(lines))


@main.command()
@click.argument("folder", type=click.Path(path_type=Path), default="notebooks")
@as_json
def notebooks(folder: Path, as_json: bool) -> None:
    """Copy the kit's notebooks to FOLDER, to open and to change; nothing is written over."""
    from kit.paths import NOTEBOOKS

    if folder.exists():
        raise KitError(f"{folder} is there already. Name another folder, or move it away.")
    shutil.copytree(NOTEBOOKS, folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    count = len(list(folder.rglob("*.ipynb")))
    text = f"{count} notebooks in {folder}; type: jupyter lab {folder / '00_tour.ipynb'}"
    emit({"notebooks": count, "folder": str(folder)}, as_json, text)


@main.command()
@click.option("--write", is_flag=True, help="Into data/suites, beside the suites.")
@click.option("--site", type=click.Path(path_type=Path), help="Build all pages into this folder.")
def docs(write: bool, site: Path | None) -> None:
    """Print what tests.json and labels.json hold, with every probe; or build all pages."""
    from kit.paths import SUITES, own
    from kit.suites.spec import documentation

    if site:
        from kit.books.site import build

        shown = build(site)
        click.echo(f"Open {site.resolve() / 'index.html'}; {shown} notebooks with their results")
        return
    if write:
        own(SUITES / "README.md").write_text(documentation.page())
        own(SUITES / "tests.schema.json").write_text(documentation.text_of_schema())
    click.echo(documentation.page())
