"""What a run came to: the scores of one that is there, and of one that was just made."""

import json
from typing import TYPE_CHECKING, Any

import click

from kit.cli.options import as_json, emit, main
from kit.errors import KitError

if TYPE_CHECKING:
    import pandas as pd


def _arms(rows: "pd.DataFrame") -> list[str]:
    """The columns that tell this run's groups apart; the model where none does."""
    arms = ("model", "language", "prompt", "decoding", "temperature", "label")
    return [c for c in arms if c in rows and rows[c].nunique() > 1] or ["model"]


def show(run: str, suite: Any, frame: "pd.DataFrame", tally: str, as_json: bool) -> None:
    """Print the scores of a run that was just made; as JSON also every test."""
    from kit import measures
    from kit.metrics import stats
    from kit.run import executed, export
    from kit.store import Store

    with Store(run, write=False) as store:
        scores = suite.scores(store, by=_arms(frame), k=(1,), rng=stats.seed(run), n_boot=5000)
        lacking = executed.lacking(store)
        detailed = export.detailed(store) if as_json else frame
    if as_json:
        cells = detailed[["task", "model", "sample", "test", "kind", "cwe", "status", "outcome",
                          "oracle", "reason", "sentence", "note", "evidence", "isolation",
                          "cached"]]  # fmt: skip
        data = {"run": run, "tally": tally, "lacking": lacking, "scores": scores, "tests": cells}
        parts = {k: json.loads(v.to_json(orient="records")) if hasattr(v, "to_json") else v
                 for k, v in data.items()}  # fmt: skip
        emit(parts, True, "")
        return
    told = [measures.text(scores), executed.lacking_text(lacking), f"{tally}; run {run}"]
    click.echo("\n".join(filter(None, told)))


@main.command()
@click.argument("run")
@click.option("--by", default="", help="Columns, separated by commas: model,language,cwe,...")
@click.option("--k", "ks", default="1", show_default=True, help="Values of k, as 1,5,10.")
@click.option("--n-boot", type=click.IntRange(1, 1_000_000), default=5000, show_default=True)
@click.option("--calibration", help="A run of labelled programs (`kit validate`) of like tests.")
@as_json
def score(run: str, by: str, ks: str, n_boot: int, calibration: str | None, as_json: bool) -> None:
    """The metrics of a run with intervals, counts and bounds. Nothing is executed or judged.

    --calibration adds points corrected for the oracle's errors and silence on labelled programs.
    """
    from kit import measures
    from kit.metrics import stats
    from kit.run import executed, report
    from kit.store import Store
    from kit.suites import of_run

    with Store(run, write=False) as store:
        columns, suite = [c for c in by.split(",") if c] or _arms(store.arms()), of_run(store)
        scores = suite.scores(store, by=columns, k=_whole(ks), n_boot=n_boot, rng=stats.seed(run))
        if calibration:
            from kit.study import calibration as calibrated

            options: dict[str, Any] = {"by": columns, "k": _whole(ks), "n_boot": n_boot}
            more = calibrated.rows_of(store.frame(), calibration, suite.name, **options,
                                      rng=stats.seed(run))  # fmt: skip
            scores = calibrated.beside(scores, more, columns)
        said = report.provenance(store)
        lacking = executed.lacking(store)
    parts = {"run": run, **said, "lacking": lacking,
             "scores": json.loads(scores.to_json(orient="records"))}  # fmt: skip
    told = [measures.text(scores), executed.lacking_text(lacking), report.line(said)]
    emit(parts, as_json, "\n".join(filter(None, told)))


def _whole(ks: str) -> tuple[int, ...]:
    try:
        return tuple(dict.fromkeys(int(part) for part in ks.split(",")))
    except ValueError:
        raise KitError(f"--k {ks!r} is no list of whole numbers. Write it as 1,5,10.") from None
