"""Labels against outcomes."""

import json

import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.oracle import calibrate

NAMES = {"pass": True, "fail": False}


def rows(*triples):
    return pd.DataFrame(
        [
            {
                "task": "1",
                "program": "p.py",
                "kind_of_program": "secure",
                "test": f"t-{i}",
                "kind": kind,
                "cwe": "",
                "label": label,
                "outcome": outcome,
                "sentence": "Seen.",
            }
            for i, (kind, label, outcome) in enumerate(triples)
        ],
    )


def everything():
    kinds, labels, outcomes = ("functional", "security"), ("pass", "fail"), ("pass", "fail")
    return rows(*[(k, a, b) for k in kinds for a in labels for b in (*outcomes, "unknown", None)])


def test_each_row_is_counted_once():
    result = calibrate.compare_to_labels(everything())
    for group, n in (("functional", 8), ("security", 8), ("both", 16)):
        got = result[group]
        assert got["n"] == n == sum(got[k] for k in ("tp", "fp", "tn", "fn", "unknown"))


def test_a_perfect_oracle_has_no_disagreement():
    result = calibrate.compare_to_labels(
        rows(("security", "pass", "pass"), ("security", "fail", "fail"))
    )
    measured = result["security"]
    assert (measured["precision"], measured["recall"], measured["f1"]) == (1, 1, 1)
    assert measured["of_fail"] == {"precision": 1, "recall": 1, "f1": 1}
    assert (measured["coverage"], result["disagreements"]) == (1, [])


def test_unknown_lowers_coverage_and_nothing_else():
    decided = [("security", "pass", "pass"), ("security", "pass", "fail")]
    more = [*decided, ("security", "fail", "unknown"), ("security", "pass", None)]
    few, all_ = (calibrate.compare_to_labels(rows(*r))["security"] for r in (decided, more))
    assert (few["coverage"], all_["coverage"]) == (1, 0.5)
    for name in ("tp", "fp", "tn", "fn", "precision", "recall", "f1"):
        assert few[name] == all_[name]


def test_swapping_pass_and_fail_swaps_the_two_classes():
    triples = [("functional", a, b) for a, b in (["pass"] * 2, ["fail", "pass"], ["fail"] * 2)]
    swap = {"pass": "fail", "fail": "pass"}
    one = calibrate.compare_to_labels(rows(*triples))["both"]
    two = calibrate.compare_to_labels(rows(*[(k, swap[a], swap[b]) for k, a, b in triples]))["both"]
    assert two["of_fail"] == {k: one[k] for k in ("precision", "recall", "f1")}
    assert one["of_fail"] == {k: two[k] for k in ("precision", "recall", "f1")}


def test_rates_equal_the_slow_count():
    frame = everything()
    pairs = [
        (NAMES[a], NAMES[b]) for a, b in zip(frame.label, frame.outcome, strict=True) if b in NAMES
    ]
    said = [a for a, b in pairs if b]
    true = [b for a, b in pairs if a]
    got = calibrate.compare_to_labels(frame)["both"]
    assert got["precision"] == sum(said) / len(said)
    assert got["recall"] == sum(true) / len(true)


def test_nothing_decided_gives_no_rate():
    got = calibrate.compare_to_labels(rows(("security", "pass", "unknown")))["security"]
    assert (got["precision"], got["recall"], got["f1"], got["coverage"]) == (None, None, None, 0)
    assert (
        calibrate.compare_to_labels(rows(("security", "pass", "unknown")))["functional"]["n"] == 0
    )


def test_disagreements_are_named_with_their_sentence():
    result = calibrate.compare_to_labels(
        rows(("security", "fail", "pass"), ("security", "fail", "fail"))
    )
    (odd,) = result["disagreements"]
    assert (odd["test"], odd["label"], odd["outcome"]) == ("t-0", "fail", "pass")
    assert "t-0: label fail, oracle pass. Seen." in calibrate.format_rates(result)
    json.dumps(result, allow_nan=False)


def test_the_sentence_may_be_missing():
    frame = rows(("security", "fail", "pass")).drop(columns="sentence")
    assert calibrate.compare_to_labels(frame)["disagreements"][0]["sentence"] == ""


def test_a_column_or_a_label_that_is_not_there_is_refused():
    with pytest.raises(KitError, match="no 'label'"):
        calibrate.compare_to_labels(everything().drop(columns="label"))
    with pytest.raises(KitError, match="got 'maybe'"):
        calibrate.compare_to_labels(rows(("security", "maybe", "pass")))
