import json

import numpy as np
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.papers import published
from tests.support.tables import read_table

ALL = [(paper, name) for paper in published.list_papers() for name in published.list_tables(paper)]
WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "seven": 7, "nine": 9, "ten": 10}


def test_the_four_papers_are_there():
    assert published.list_papers() == ["codeguard", "dualgauge", "ossbench", "realsec"]


@pytest.mark.parametrize(("paper", "name", "rows"), read_table("published", "rows"))
def test_a_table_has_as_many_rows_as_the_paper_has_cells(paper, name, rows):
    assert len(published.table(paper, name)) == rows


@pytest.mark.parametrize(("paper", "name"), ALL)
def test_keys_are_unique_and_no_value_is_missing(paper, name):
    frame = published.table(paper, name)
    assert not frame.duplicated([*published.key_columns(frame), "metric"]).any()
    assert frame[["value", "tolerance"]].notna().all().all()
    assert (frame[["metric", "printed", "unit", "section"]] != "").all().all()


@pytest.mark.parametrize(("paper", "name"), ALL)
def test_the_printed_text_is_the_value(paper, name):
    for printed, value in published.table(paper, name)[["printed", "value"]].itertuples(
        index=False
    ):
        assert WORDS.get(printed) == value or float(printed.replace(",", "")) == value


@pytest.mark.parametrize(("paper", "name"), ALL)
def test_an_interval_contains_its_value_and_a_percentage_is_one(paper, name):
    frame = published.table(paper, name)
    held = frame.dropna(subset="ci_low")
    assert ((held["ci_low"] <= held["value"]) & (held["value"] <= held["ci_high"])).all()
    assert frame.loc[frame["unit"] == "%", "value"].between(0, 100).all()


@pytest.mark.parametrize(("paper", "name"), ALL)
def test_a_tolerance_is_half_a_digit_or_has_its_reason(paper, name):
    frame = published.table(paper, name)
    other = frame[frame["tolerance"] != frame["printed"].map(published.half_digit)]
    assert other.empty or (other["why"] != "").all()


def test_half_of_the_last_digit():
    halves = [published.half_digit(t) for t in ("14.8", "6.28", "3,785", "nine", "0.963")]
    assert halves == pytest.approx([0.05, 0.005, 0.5, 0.5, 0.0005])


def test_an_unknown_table_is_refused_with_those_that_exist():
    with pytest.raises(KitError, match="Use one of: 2, 3, 4, 6, 7, 8, 9, 10"):
        published.table("dualgauge", 1)
    with pytest.raises(KitError, match="Use one of: codeguard"):
        published.table("dualgage", 2)


def test_a_table_is_a_copy():
    frame = published.table("realsec", 1)
    frame["value"] = 0.0
    assert published.table("realsec", 1)["value"].max() == 100.0


def test_wide_keeps_the_printed_order_and_every_value():
    frame = published.table("dualgauge", 2)
    flat = published.wide(frame, across=["language"])
    assert list(flat.index[:2]) == ["gpt-5-medium", "gpt-4.1"]
    assert list(flat.columns[:2]) == [("python", "PR"), ("python", "SPR")]
    assert np.sort(flat.to_numpy().ravel()) == pytest.approx(np.sort(frame["value"]))


def test_a_table_agrees_with_itself_in_the_printed_order_whatever_the_order_of_ours():
    frame = published.table("codeguard", 2)
    both = published.compare(frame.sample(frac=1, random_state=1), "codeguard/table_2")
    columns = ["model", "decoding", "metric", "ours", "paper", "difference", "tolerance", "verdict"]
    assert list(both.columns) == columns
    assert list(both["paper"]) == list(frame["value"])
    assert (both["verdict"] == "match").all()


def test_half_a_digit_passes_and_more_raises():
    frame = published.table("realsec", 6)
    published.compare(frame.assign(value=frame["value"] + 0.005), "realsec/table_6")
    with pytest.raises(published.Disagreement, match="72 of 72 rows disagree"):
        published.compare(frame.assign(value=frame["value"] + 0.006), "realsec/table_6")
    with pytest.raises(published.Disagreement):
        published.compare(frame.assign(value=float("nan")), "realsec/table_6")


def test_shares_are_scaled_and_estimates_are_taken():
    frame = published.table("realsec", 6)
    ours = frame.assign(estimate=frame["value"] / 100).drop(columns="value")
    assert len(published.compare(ours, frame, scale=100)) == 72


def test_a_missing_row_a_foreign_row_and_a_double_row_are_refused():
    frame = published.table("realsec", 6)
    with pytest.raises(KitError, match=r"set partial=True"):
        published.compare(frame[1:], frame)
    assert len(published.compare(frame[1:], frame, partial=True)) == 71
    with pytest.raises(KitError, match="prints no row"):
        published.compare(frame, frame[1:])
    with pytest.raises(KitError, match="two values"):
        published.compare(pd.concat([frame, frame]), frame)
    with pytest.raises(KitError, match="lacks the column retriever"):
        published.compare(frame.drop(columns="retriever"), frame)


def test_a_comparison_leaves_a_note(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_RESULTS", str(tmp_path / "notes"))
    published.compare(published.table("realsec", 6), "realsec/table_6")
    note = json.loads((tmp_path / "notes").read_text())
    assert note["kind"] == "comparison"
    assert (note["paper"], note["table"], note["rows"]) == ("realsec", "6", 72)
    assert note["verdicts"] == {"match": 72}
