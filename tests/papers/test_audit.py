import itertools
import re
import shutil

import numpy as np
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.papers import audit, published
from kit.papers.audit import grim
from kit.papers.audit.relation import evaluate_expression, pick_rows, range_around
from kit.scoring import agreement, stats
from tests.published import slips
from tests.support.commands import invoked
from tests.support.tables import read_table


@pytest.fixture(scope="module")
def frame():
    return audit.relations()


def test_every_relation_stands_as_the_findings_say(frame):
    assert audit.select_unlisted(frame).empty


def test_every_paper_has_its_relations_and_every_finding_its_reason(frame):
    least = {"codeguard": 500, "dualgauge": 850, "ossbench": 330, "realsec": 2000}
    sizes = frame["paper"].value_counts()
    assert all(sizes[paper] >= count for paper, count in least.items())
    broken = frame[frame["verdict"] != "match"]
    assert (broken["reason"].str.len() > 20).all()
    assert (frame.loc[frame["verdict"] == "match", "reason"] == "").all()
    assert frame["relation"].is_unique
    assert set(frame["verdict"]) == {"match", "mismatch", "infeasible"}


def test_every_table_is_audited(frame):
    audited = set(zip(frame["paper"], frame["table"], strict=True))
    for paper in published.list_papers():
        for name in published.list_tables(paper):
            assert (paper, name) in audited or (paper, name) == ("codeguard", "5")


def test_the_summary_counts_every_row(frame):
    table = audit.count_verdicts(frame)
    assert table.loc["all", "relations"] == len(frame)
    assert table.loc["all", ["match", "mismatch", "infeasible"]].sum() == len(frame)
    assert table.loc["all", "unlisted"] == 0


def test_agreement_counts_every_relation_of_the_table_once(frame):
    printed = (frame["paper"] == "dualgauge") & (frame["table"] == "2")
    assert audit.agree("dualgauge", "2")["relations"].sum() == printed.sum()


def test_a_table_without_a_law_is_refused():
    with pytest.raises(KitError, match=r"laws.toml"):
        audit.agree("ossbench", "99")


@pytest.fixture
def altered(tmp_path, monkeypatch):
    """Copies the printed figures, replaces one text in one file, and points the kit at the copy."""

    def alter(path, old, new):
        shutil.copytree(published.PUBLISHED, tmp_path / "published")
        file = tmp_path / "published" / path
        text = file.read_text()
        assert text.count(old) == 1
        file.write_text(text.replace(old, new))
        monkeypatch.setattr(published, "PUBLISHED", tmp_path / "published")
        monkeypatch.setattr(audit, "PUBLISHED", tmp_path / "published")
        published._read_table.cache_clear()

    yield alter
    published._read_table.cache_clear()


def test_a_finding_that_is_gone_is_news(altered):
    row = "joint rate of Claude at 0 hops,claim,16.22,16.22"
    altered("realsec/text_claims.csv", row, row.replace("16.22", "8.11"))
    unlisted = audit.select_unlisted(audit.relations("realsec"))
    assert list(unlisted["verdict"]) == ["match"]
    assert "Claude" in unlisted["reason"].iloc[0]


def test_check_exits_1_where_a_finding_is_not_listed(altered):
    path = "ossbench/expected_findings.csv"
    altered(path, (published.PUBLISHED / path).read_text().splitlines(keepends=True)[-1], "")
    done = invoked("published", "check", "ossbench")
    assert done.exit_code == 1
    assert "1 relations are unlisted" in done.stdout


def test_a_finding_without_its_law_is_refused(altered):
    head = "relation,verdict,printed,recomputed,reason\n"
    altered("ossbench/expected_findings.csv", head, f"{head}x,y,1,1,z\n")
    with pytest.raises(KitError, match="checks the listed finding"):
        audit.relations("ossbench")


def reprinted(path, where, **numbers):
    """A table in which the rows that meet a condition were printed with these numbers."""
    table = published.table(*path.split("/"))
    (row,) = table.query(where).index
    if "value" in numbers:
        text = f"{numbers['value']:.{len(table.loc[row, 'printed'].partition('.')[2])}f}"
        table.loc[row, "printed"] = text
    table.loc[row, list(numbers)] = list(numbers.values())
    return table


@pytest.mark.slow
@pytest.mark.parametrize(("path", "where", "numbers"), read_table("audit", "slips"), ids=str)
def test_a_slip_of_one_digit_is_news(path, where, numbers):
    assert slips.unlisted(reprinted(path, where, **numbers))


def test_a_changed_cell_breaks_the_mean_and_the_sum_that_it_is_part_of():
    cell = "category == 'Concurrency & System' and model == 'GPT-4.1' and metric == 'pass@5'"
    unlisted = slips.unlisted(reprinted("realsec/2", cell, value=25.0))
    assert {"mean of the models", "sum of the categories"} <= {r.law for r in unlisted.values()}


def test_a_listed_mismatch_that_changes_is_news():
    claim = "value == 8.57 and claim.str.endswith('with bm25, appendix')"
    (relation,) = slips.unlisted(reprinted("realsec/claims", claim, value=9.57)).values()
    assert relation.verdict == "mismatch"


@pytest.mark.parametrize(
    ("path", "where", "numbers", "sentence"),
    [
        (
            "dualgauge/15",
            "cwe == 'CWE-444' and language == 'python' and metric == 'SPR'",
            {"value": 100.9},
            "no number up to .* gives CWE-444",
        ),
        ("dualgauge/claims", "value == 5000", {"value": 0.0}, "no number follows"),
    ],
    ids=["more than all", "no resamples"],
)
def test_a_slip_that_no_arithmetic_allows_is_news_and_ends_nothing(path, where, numbers, sentence):
    unlisted = slips.unlisted(reprinted(path, where, **numbers)).values()
    assert any(re.search(sentence, r.sentence) for r in unlisted)
    assert {"match", "infeasible"} >= {r.verdict for r in unlisted}


def test_words_that_are_counted_are_held_against_the_words():
    for name, at in itertools.product(("1", "4_removed", "5"), (1, 4)):
        assert slips.is_news("codeguard", name, at, "7")
    assert slips.is_news("dualgauge", "16", 4, "90")


def test_no_relation_is_true_whatever_is_printed(frame):
    """Nothing is below 0 %, nothing above 100 %; counts closer than the print always fit."""
    least = frame[frame["law"].str.startswith(("joint <=", "monotone", "at 3", "at 5"))]
    assert (least["printed"] > 0).all()
    assert (least["recomputed"] < 100).all()
    assert not frame["law"].str.contains("or fewer").any()


def test_the_sums_of_squares_of_whole_numbers_are_all_found_and_no_other():
    slow = {
        round(sum((x - sum(k) / 3) ** 2 for x in k), 9)
        for k in itertools.product(range(-6, 7), repeat=3)
        if sum(k) % 3 == 1
    }
    fast = {round(q, 9) for q in grim.list_deviations(3, 1, 9)}
    assert fast == {q for q in slow if q <= 9}


@pytest.mark.slow
def test_the_shares_of_slips_are_those_of_the_file():
    known = pd.read_csv(slips.FILE, dtype={"table": str})
    assert len(known) == sum(len(published.list_tables(p)) for p in published.list_papers())
    assert (known["determined"] + known["bounded"] + known["free"] == known["tried"]).all()
    assert known["caught"].sum() / known["determined"].sum() >= 0.9
    row = known[(known["paper"] == "realsec") & (known["table"] == "1")].iloc[0].to_dict()
    again = slips.table("realsec", "1", cells=slips.CELLS, rng=stats.seed("slips realsec 1"))
    assert again == row


def test_an_unknown_law_names_those_that_exist(altered):
    altered("ossbench/laws.toml", 'law = "ranked"', 'law = "rank"')
    with pytest.raises(KitError, match=r"Unknown law 'rank'.*ranked"):
        audit.relations("ossbench")


def test_a_comparison_shows_a_known_finding_and_raises_when_it_is_gone():
    table = published.table("realsec", 6)
    average = table[table["model"] == "Average"]
    counts = {("bm25", "secure-pass@1"): 33 / 5 / 1.05, ("dense", "pass@1"): 94 / 5 / 1.05}
    ours = average.assign(value=list(map(exact, average.to_dict("records"))))
    both = published.compare(ours, average, law="mean of the counts")
    assert both["verdict"].value_counts().to_dict() == {"match": 8, "finding": 4}
    for (retriever, metric), value in counts.items():
        row = both[(both["retriever"] == retriever) & (both["metric"] == metric)]
        assert row["ours"].iloc[0] == pytest.approx(value)
    with pytest.raises(published.Disagreement, match="finding is gone"):
        published.compare(average, average, law="mean of the counts")


def exact(row):
    """The mean over the models of the whole counts of 105 tasks, in %."""
    table = published.table("realsec", 6)
    same = (table["retriever"] == row["retriever"]) & (table["metric"] == row["metric"])
    parts = table[same & (table["model"] != "Average")]["value"]
    return float((parts * 1.05).round().mean() / 1.05)


@pytest.mark.parametrize("expr", ["a + b", "a - b", "a * b", "a / b", "2 * a * b / (a + b)"])
def test_a_range_holds_every_result_of_its_corners(expr):
    a, b = range_around([3.0, 0.5], 0.05), range_around([4.0, 2.0], 0.5)
    found = evaluate_expression(expr, {"a": a, "b": b})
    for x, y in itertools.product((a.low, a.mid, a.high), (b.low, b.mid, b.high)):
        value = eval(expr, {"a": x, "b": y})  # the obvious version
        assert (found.low <= value + 1e-12).all()
        assert (value <= found.high + 1e-12).all()
    assert found.mid == pytest.approx(eval(expr, {"a": a.mid, "b": b.mid}))


def test_expressions_reduce_count_and_compare():
    names = {"x": range_around([1.0, 2.0, 2.0]), "y": range_around([2.0, 1.0, 2.0])}
    cases = {"mean(x)": 5 / 3, "total(x)": 5, "max(x)": 2, "min(x)": 1, "size(x)": 3, "kinds(x)": 2}
    cases |= {"count(x < y)": 1, "count((x >= y) & (x == 2))": 2, "printed(mean(x))": 5 / 3}
    for expr, value in cases.items():
        assert evaluate_expression(expr, names).mid == pytest.approx([value])


def test_an_expression_reaches_nothing_but_its_names():
    for expr in ("z", "__import__('os')", "x.mid", "[x]", "x ** x"):
        with pytest.raises(KitError, match="Cannot read"):
            evaluate_expression(expr, {"x": range_around(1.0)})


def test_counts_are_those_that_print_as_the_value():
    for n, c in itertools.product((7, 64, 105, 307), range(8)):
        printed = round(100 * c / n, 1)
        slow = [k for k in range(n + 1) if abs(100 * k / n - printed) <= 0.05 + 1e-9]
        assert list(grim.find_counts(printed, 0.05, n)) == slow
        assert c in slow


def test_the_true_n_is_always_among_the_eligible():
    rng = np.random.default_rng(7)
    for n in rng.integers(150, 307, 20):
        joint = rng.integers(0, n // 4)
        p, s = joint + rng.integers(0, n // 3, 2)
        shares = tuple(round(100 * int(c) / int(n), 1) for c in (p, s, joint))
        assert int(n) in [found[0] for found in grim.find_possible_sizes(shares, 307)]


def test_no_row_of_table_2_rests_on_all_307_tasks_and_each_on_some_fewer():
    table = audit.reconstruct_counts(published.table("dualgauge", 2))
    assert len(table) == 30
    assert (table["n_most"] < 307).all()
    assert (table["fits"] > 0).all()
    assert (table["joint"] <= table[["passed", "secure"]].min(axis=1)).all()


def test_the_exact_bootstrap_is_the_drawn_one():
    rng = np.random.default_rng(3)
    draws = rng.binomial(264, 39 / 264, 200_000) / 2.64
    low, high = audit.find_quantiles(264, 39)
    assert (low, high) == pytest.approx(np.percentile(draws, [2.5, 97.5]), abs=0.4)
    assert (round(low, 1), round(high, 1)) == (10.6, 19.3)


def test_the_bounds_of_ac1_hold_every_table_of_three_raters():
    for items in itertools.combinations_with_replacement(itertools.product((0, 1), repeat=3), 4):
        ratings = np.array(items)
        low, high = audit.ac1_range(agreement.unanimous_share(ratings))
        assert low - 1e-12 <= agreement.gwet_ac1(ratings) <= high + 1e-12


def test_the_smallest_number_of_tests_gives_every_share():
    table = published.table("dualgauge", 15)
    part = table[table["cwe"] == "CWE-178"]
    assert list(part["value"]) == [6.7, 15.0, 5.0]
    assert grim.find_smallest(part, 10) == 6


def test_a_selector_takes_alternatives_beginnings_and_negations():
    assert len(pick_rows("dualgauge", "2 model=gpt*; metric=PR")) == 6
    assert len(pick_rows("dualgauge", "2 model!=gpt*; language=cpp|python; metric=PR")) == 16
    assert len(pick_rows("dualgauge", "10 metric=PR + 12 metric=PR")) == 18
    with pytest.raises(KitError, match="selects no row"):
        pick_rows("dualgauge", "2 model=gpt-6")
    with pytest.raises(KitError, match="no column 'modell'"):
        pick_rows("dualgauge", "2 modell=gpt-4.1")
