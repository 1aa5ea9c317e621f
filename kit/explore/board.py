"""Writes several runs of one suite as one self-contained HTML page with tables that can be sorted.

Its numbers are those of `kit score`. Sorting and choosing rows need no server.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from kit.core.errors import KitError
from kit.core.paths import replace_whole, run_path
from kit.core.store import Store
from kit.explore import page
from kit.explore.bars import describe_bar
from kit.run import report
from kit.run.export import escape_controls
from kit.run.suites import of_run
from kit.scoring import measures

ALWAYS = ["run", "model", "language"]  # columns that are shown even if all values are equal


@dataclass(frozen=True)
class Board:
    """The scores of runs side by side: a row for each arm of each run.

    arms: the columns that tell the rows apart. scores: the headline rows of `kit score`; `key` is
    the name of the arm. weaknesses: those of secure@1 by `cwe`; empty where the suite has one
    weakness or none.
    """

    suite: str
    arms: list[str]
    scores: pd.DataFrame
    weaknesses: pd.DataFrame


@dataclass(frozen=True)
class RunScores:
    """The scores of one run, with the settings of each arm as columns."""

    suite: str
    settings: list[str]
    scores: pd.DataFrame
    weaknesses: pd.DataFrame


def write_board(runs: Sequence[str], target: Path, *, n_boot: int = 5000) -> int:
    """Write one page over these runs to `target` atomically; returns the number of its rows.

    Raises KitError if the target is not .html, or if the runs are of several suites.
    """
    page.check_target(target)
    board = read_board(runs, n_boot=n_boot)
    rows = list_rows(board)
    text = page.fill_template(
        "board",
        title=f"{board.suite}: {', '.join(map(str, runs))}",
        board=board,
        rows=rows,
        heads=find_heads(board.scores),
        weaknesses=list_weaknesses(board),
    )
    replace_whole(target, text)
    return len(rows)


def read_board(runs: Sequence[str], *, n_boot: int = 5000) -> Board:
    """The scores of these runs; KitError if one is named twice or their suites differ."""
    names = list(map(str, runs))
    if len({run_path(name).resolve() for name in names}) < len(names):
        raise KitError(f"A run is named twice: {', '.join(names)}. Name each run once.")
    parts = [read_scores(name, n_boot=n_boot) for name in names]
    suites = list(dict.fromkeys(part.suite for part in parts))
    if len(suites) > 1:
        raise KitError(f"The runs are of {', '.join(suites)}. Give runs of one suite.")
    settings = list(dict.fromkeys(name for part in parts for name in part.settings))
    scores = join_runs([part.scores for part in parts], settings)
    weaknesses = join_runs([part.weaknesses for part in parts], settings)
    varied = [name for name in ["run", *settings] if scores[name].nunique() > 1]
    fewest = measures.select_arm_columns(scores[["run", *settings]])
    arms = [name for name in ALWAYS if name in scores]
    arms += [name for name in varied if name not in ALWAYS]
    return Board(suites[0], arms, name_arms(scores, fewest), name_arms(weaknesses, fewest))


def name_arms(rows: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The rows with the values of these columns as one text, `key`."""
    values = rows[list(columns)].itertuples(index=False)
    return rows.assign(key=[" · ".join(map(str, row)) for row in values])


def join_runs(parts: Sequence[pd.DataFrame], settings: Sequence[str]) -> pd.DataFrame:
    """The rows of all runs; "not set" for a setting that a run does not have."""
    rows = pd.concat([part for part in parts if len(part)] or parts, ignore_index=True)
    return measures.fill_settings(rows.reindex(columns=rows.columns.union(settings)), settings)


def read_scores(run: str, *, n_boot: int) -> RunScores:
    """The scores of a run by arm, and by arm and weakness, with all settings of the arms."""
    with Store(run, write=False) as store:
        suite = of_run(store)
        scores = measures.select_headline(report.score_run(store, suite, n_boot=n_boot))
        by = measures.group_columns(scores)
        weaknesses = scores.iloc[:0].assign(cwe="")
        counting = "SELECT count(DISTINCT cwe) FROM tests WHERE cwe != ''"
        if store.db.execute(counting).fetchone()[0] > 1:
            rows = report.score_run(store, suite, by=[*by, "cwe"], n_boot=n_boot)
            weaknesses = rows[rows["metric"].eq("secure@1") & rows["cwe"].ne("")]
        arms = store.arms().drop(columns="arm")
    settings = measures.arm_columns(arms)
    of_arm = arms[settings].drop_duplicates(by)
    scores = scores.merge(of_arm, on=by).assign(run=run)
    return RunScores(suite.name, settings, scores, weaknesses.merge(of_arm, on=by).assign(run=run))


def find_heads(scores: pd.DataFrame) -> dict[str, str]:
    """The heads of the columns of scores: each metric and its words."""
    first = scores.drop_duplicates("metric")
    return dict(zip(first["metric"], first["words"], strict=True))


def list_rows(board: Board) -> list[dict[str, Any]]:
    """Of each arm: the values that tell it apart, its numbers of tasks and samples, its scores."""
    rows = []
    for key, group in board.scores.groupby(board.arms, sort=False):
        first = group.iloc[0]
        rows.append(
            {
                "arm": [escape_controls(str(value)) for value in key],
                "key": first["key"],
                "tasks": first["tasks"],
                "samples": first["planned"],
                "scores": describe_cells(group, "metric"),
            }
        )
    return rows


def list_weaknesses(board: Board) -> list[dict[str, Any]]:
    """Of each weakness: the most tasks that an arm has for it, and the arms' scores by their key.

    The weaknesses with the most tasks come first.
    """
    rows = []
    for cwe, group in board.weaknesses.groupby("cwe", sort=False):
        cells = describe_cells(group, "key")
        rows.append({"cwe": str(cwe), "tasks": group["tasks"].max(), "scores": cells})
    return sorted(rows, key=lambda row: (-row["tasks"], row["cwe"]))


def describe_cells(rows: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """The cell of each row of scores, by its value of a column.

    order: what the cell is sorted by: the value, or the lower bound where there is none.
    """
    cells = {}
    for row in measures.convert_to_percent(rows).to_dict("records"):
        bar = describe_bar(row)
        cells[row[column]] = bar | {
            "order": bar["points"][0] if bar["points"] else "",
            "samples": row["planned"],
            "undecided": row.get("undecided", float("nan")),
        }
    return cells
