import re
import zlib

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from kit.core import notes
from kit.core.errors import KitError
from kit.core.paths import FIGURES
from kit.explore import plots, style
from kit.papers import published, replication
from kit.scoring import measures

SAYS = "n = 307 tasks at most; no intervals are printed."


@pytest.fixture(autouse=True)
def _closed():
    yield
    mpl.pyplot.close("all")


@pytest.fixture
def figures(tmp_path, monkeypatch):
    monkeypatch.setenv(notes.FIGURES, str(tmp_path / "figures"))
    return tmp_path / "figures"


@pytest.fixture
def joint():
    table = published.table("dualgauge", 2)
    table = table[table["metric"] == "secure-pass@1"]
    return table.assign(ci_low=table["value"] - 1, ci_high=table["value"] + 1)


@pytest.fixture
def few(joint):
    """Three values of one panel: soon drawn."""
    return joint.head(3)


def texts(fig):
    return [t.get_text() for ax in fig.axes for t in ax.texts]


def ragged():
    """Panels with different rows in different orders, a missing value, and a row of none."""
    rows = [
        ("A", "c", 3.0),
        ("A", "a", 1.0),
        ("A", "b", 2.0),
        ("B", "b", 20.0),
        ("B", "d", 40.0),
        ("C", "a", np.nan),
        ("C", "c", 300.0),
        ("C", "e", np.nan),
    ]
    frame = pd.DataFrame(rows, columns=["panel", "row", "value"])
    sides = [frame.assign(metric=m, value=frame["value"] + i) for i, m in enumerate(["x", "y"])]
    return pd.concat([sides[0], sides[1].iloc[::-1]], ignore_index=True).assign(unit="%")


def of_table(frame):
    kept = frame.dropna(subset="value")
    return sorted(kept[["panel", "row", "metric", "value"]].itertuples(index=False, name=None))


def of_figure(fig, across):
    """(panel, label, metric, value) of every dot, its label read from the ticks of the axes."""
    found = []
    for ax in [ax for ax in fig.axes if ax.axison]:
        named = fig.axes[0] if across == "y" else ax  # panels beside each other share their rows
        ticks = getattr(ax, f"get_{across}ticks")(), getattr(named, f"get_{across}ticklabels")()
        labels = {round(at): text.get_text() for at, text in zip(*ticks, strict=True)}
        for line in ax.lines:
            places = line.get_xydata() if across == "x" else line.get_xydata()[:, ::-1]
            name = line.get_label() if not line.get_label().startswith("_") else ax.get_xlabel()
            found += [
                (ax.get_title(loc="left"), labels[round(at)], name.removesuffix(" (%)"), value)
                for at, value in places
                if not np.isnan(value)
            ]
    return sorted(found)


def test_a_forest_draws_every_value_at_its_own_label():
    for metric, one in ragged().groupby("metric"):
        fig = plots.forest(one, label="row", panel="panel")
        labels = [t.get_text() for t in fig.axes[0].get_yticklabels()]
        assert of_figure(fig, "y") == of_table(one), metric
        assert "e" not in labels


def test_a_dumbbell_draws_every_value_at_its_own_label():
    fig = plots.dumbbell(ragged(), label="row", pair="metric", panel="panel")
    assert of_figure(fig, "y") == of_table(ragged())


def test_a_sweep_draws_every_value_at_its_own_level():
    for metric, one in ragged().groupby("metric"):
        fig = plots.sweep(one, level="row", panel="panel", metrics=[metric])
        found = [(*place[:2], metric, place[3]) for place in of_figure(fig, "x")]
        assert found == of_table(one)
    both = plots.sweep(ragged(), level="row", panel="panel", metrics=["x", "y"])
    last = {
        ax.get_title(loc="left"): {t.get_text() for t in ax.texts} for ax in both.axes if ax.axison
    }
    assert last == {"A": {"2.0", "3.0"}, "B": {"40.0", "41.0"}, "C": {"300.0", "301.0"}}
    mpl.pyplot.close(both)


def test_a_heat_map_prints_every_value_in_its_own_cell():
    groups = {"first": ["b", "a"], "second": ["d"]}
    fig = plots.heat(ragged(), label="row", across=["panel"], groups=groups)
    found = []
    for ax in [ax for ax in fig.axes if ax.axison]:
        heads = [t.get_text().split("\n") for t in ax.get_xticklabels()]
        rows = [t.get_text() for t in ax.get_yticklabels()]
        for text in [t for t in ax.texts if t.get_text() != "–"]:
            x, y = map(int, text.get_position())
            found.append((heads[x][0], rows[y], heads[x][1], float(text.get_text())))
    assert sorted(found) == of_table(ragged())


@pytest.mark.parametrize(
    ("draw", "options"),
    [
        (plots.forest, {"label": "row", "panel": "panel"}),
        (plots.dumbbell, {"label": "row", "pair": "metric", "panel": "panel"}),
        (plots.sweep, {"level": "row", "panel": "panel", "metrics": ["x"]}),
        (plots.heat, {"label": "row", "across": ["panel"]}),
    ],
)
def test_two_values_for_one_mark_are_refused(draw, options):
    frame = ragged()[ragged()["metric"] == "x"]
    with pytest.raises(KitError, match="two values for .*row = a"):
        draw(pd.concat([frame, frame.iloc[[1]]]), **options)
    with pytest.raises(KitError, match="no column unit"):
        draw(frame.drop(columns="unit"), **options)


def test_a_run_without_a_decoding_is_drawn_in_a_row_and_panel_of_its_own():
    printed = published.table("codeguard", 2)
    own = printed[printed["model"] == "CodeGen"].tail(4).assign(decoding=measures.NOT_SET)
    rows = replication.Replication("mine", printed, own).drawn
    joint = rows[rows["metric"] == "secure-pass@1"]
    places = of_figure(plots.forest(joint, label="decoding", panel="model"), "y")
    assert [place[:2] for place in places if "paper" not in place[0]] == [("CodeGen", "not set")]
    assert ("CodeGen (paper)", "Nucleus", "secure-pass@1", 43.17) in places


@pytest.fixture
def measured():
    """Rows as `measure` gives them: an arm with a point, and one with bounds alone."""
    rows = [("m", "a", 0.5, 0.5, 0.5), ("m", "b", np.nan, 0.25, 0.75)]
    frame = pd.DataFrame(rows, columns=["model", "arm", "estimate", "bound_low", "bound_high"])
    return frame.assign(metric="pass@1", low=0.2, high=0.8)


@pytest.mark.parametrize(
    ("draw", "options", "said"),
    [
        (plots.forest, {"label": ["model", "arm"]}, "25.0 to 75.0"),
        (
            plots.sweep,
            {"level": ["model", "arm"], "panel": "model", "metrics": ["pass@1"]},
            "25.0 to 75.0",
        ),
        (plots.heat, {"label": ["model", "arm"]}, "25–75"),
        (plots.dumbbell, {"label": ["model", "arm"], "pair": "metric"}, ""),
    ],
)
def test_what_is_undecided_is_an_open_span_in_a_row_of_its_own(measured, draw, options, said):
    fig = draw(measured, **options)
    labels = [
        t.get_text() for ax in fig.axes for t in (*ax.get_yticklabels(), *ax.get_xticklabels())
    ]
    assert {"m, a", "m, b"} <= {" ".join(label.split()) for label in labels}
    spans = [
        path.vertices for ax in fig.axes for lines in ax.collections for path in lines.get_paths()
    ]
    assert said in ["", *texts(fig)]
    assert draw is plots.heat or any({25.0, 75.0} <= set(ends.ravel()) for ends in spans)
    assert "50.0" in texts(fig) or draw in (plots.dumbbell, plots.sweep)


def test_a_table_has_the_bounds_in_the_place_of_a_missing_value(measured):
    html = plots.show(measured, best="max").to_html()
    assert "0.2 to 0.8" in html  # the estimate of the second arm, to one digit
    assert "–" not in html
    assert re.search(r">\s*0\.5<", html)


def test_an_axis_is_named_by_the_metric_on_it():
    rows = published.table("realsec", 1)
    rows = rows[rows["metric"].isin(["precision", "recall"])]
    fig = plots.forest(rows, label="method", panel="metric")
    assert [ax.get_xlabel() for ax in fig.axes] == ["precision (%)", "recall (%)"]
    recall = rows[rows["metric"] == "recall"]
    with pytest.raises(KitError, match="cannot have the units %, points"):
        plots.forest(recall.assign(unit=["%", "points", "%"]), label="method")


def test_a_row_without_a_value_is_a_bar_between_its_bounds():
    rows = pd.DataFrame({"metric": ["PR", "SPR"], "value": [np.nan, 5.0], "unit": "%"})
    rows = rows.assign(ci_low=0.0, ci_high=30.0, bound_low=1.0, bound_high=20.0)
    fig = plots.forest(rows, label="metric")
    assert texts(fig) == ["1.0 to 20.0", "5.0"]
    (bar,) = [c.get_segments() for c in fig.axes[0].collections if c.get_linewidth()[0] == 5][:1]
    assert bar[0].tolist() == [[1.0, 0.0], [20.0, 0.0]]


def smallest_type(pdf):
    """Points of the smallest type in a file, once its page is 17 cm wide."""
    data = pdf.read_bytes()
    wide = float(re.search(rb"/MediaBox \[ ?0 0 ([\d.]+)", data)[1])
    streams = re.findall(rb"stream\n(.*?)\nendstream", data, re.DOTALL)
    drawn = b"".join(zlib.decompress(s) for s in streams if s.startswith(b"x"))
    sizes = [float(size) for size in re.findall(rb"/F\S* ([\d.]+) Tf", drawn)]
    return min(sizes) * min(1, 17 / 2.54 * 72 / wide)


@pytest.mark.parametrize("pdf", sorted(FIGURES.glob("*.pdf")), ids=lambda p: p.stem)
def test_every_figure_is_legible_at_the_width_of_a_page(pdf):
    assert smallest_type(pdf) >= 6


@pytest.mark.slow
def test_many_panels_long_labels_and_many_columns_stay_legible(figures):
    cells = [(f"panel {p}", f"{r} {'long label' * 4}", r + p) for p in range(5) for r in range(7)]
    many = pd.DataFrame(cells, columns=["panel", "row", "value"]).assign(metric="x", unit="%")
    plots.save(plots.forest(many, label="row", panel="panel"), "forest", says=SAYS)
    pair = many.assign(side=many["value"] % 2).drop_duplicates(["panel", "row"])
    plots.save(plots.dumbbell(pair, label="row", pair="side", panel="panel"), "dumbbell", says=SAYS)
    short = many.assign(row=many["row"].str[:24])
    plots.save(plots.sweep(short, level="row", panel="panel", metrics=["x"]), "sweep", says=SAYS)
    plots.save(plots.heat(many, label="row", across=["panel"]), "heat", says=SAYS)
    wide = plots.heat(many, label="metric", across=["panel", "row"])
    assert sorted(float(text) for text in texts(wide)) == sorted(many["value"])
    plots.save(wide, "folded", says=SAYS)
    drawn = {pdf.stem: smallest_type(pdf) for pdf in figures.glob("*.pdf")}
    assert len(drawn) == 5
    assert min(drawn.values()) >= 6, drawn


def test_a_figure_with_type_too_small_for_a_page_is_refused(figures):
    fig, ax = mpl.pyplot.subplots(figsize=(17, 4))
    ax.set_title("wide")
    with pytest.raises(KitError, match="smallest type of this figure has 2.8 points"):
        plots.save(fig, "wide", says=SAYS)
    assert not list(figures.iterdir())


def test_a_figure_is_written_anew_when_a_number_changed_and_not_otherwise(figures, few):
    def saved(table):
        plots.save(plots.forest(table, label="model", panel="language"), "table-2", says=SAYS)
        return [(p.stat().st_ino, p.stat().st_mtime_ns) for p in sorted(figures.iterdir())]

    first = saved(few)
    assert {p.name for p in figures.iterdir()} == {"table-2.png", "table-2.pdf"}
    assert saved(few.assign(value=few["value"] + 1e-9)) == first
    assert not set(saved(few.assign(value=few["value"] + 0.1))) & set(first)


def test_what_lacks_something_never_replaces_a_whole_figure(figures, few, tmp_path, monkeypatch):
    monkeypatch.setattr(style, "PAPERMILL_RUNS", tmp_path / "runs")
    fig = plots.forest(few, label="model", panel="language")
    plots.save(fig, "table-2", says="n = 3.", lacks="semgrep")
    assert list(figures.glob("*")) == []
    assert (tmp_path / "runs" / "figures" / "table-2.png").exists()
    assert fig.get_supxlabel() == "n = 3. Without semgrep."


def test_a_name_that_is_no_file_name_is_refused(figures, few):
    fig = plots.forest(few, label="model", panel="language")
    for name in ("", "Table 2", "../x", "-a"):
        with pytest.raises(KitError, match="small letters"):
            plots.save(fig, name, says=SAYS)
    assert not figures.exists()


def test_a_forest_labels_every_value_in_the_printed_order(joint):
    fig = plots.forest(joint, label="model", panel="language")
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["Python", "C++", "JavaScript"]
    assert sorted(texts(fig)) == sorted(f"{v:.1f}" for v in joint["value"])
    ticks = [t.get_text() for t in fig.axes[0].get_yticklabels()]
    assert ticks == list(dict.fromkeys(joint["model"]))


def test_a_sweep_has_a_panel_for_each_family_and_a_label_for_each_line():
    table = published.table("dualgauge", 13)
    table["family"] = [f"family {i // 10}" for i in range(len(table))]
    fig = plots.sweep(table, level="role", panel="family")
    assert len(texts(fig)) == 4 * 3
    assert "7.2" in texts(fig)
    names = [t.get_text() for t in fig.legends[0].get_texts()]
    assert names == ["pass@1", "secure@1", "secure-pass@1"]


def test_a_saved_figure_is_closed_noted_with_its_run_and_says_what_it_rests_on(
    few, tmp_path, monkeypatch
):
    monkeypatch.setenv("KIT_RESULTS", str(tmp_path / "notes"))
    fig = plots.forest(few, label="model", panel="language")
    plots.save(fig, "table-2", says=SAYS, run=tmp_path / "run")
    folder = tmp_path / "run" / "figures"
    assert f'"folder": "{folder}"' in (tmp_path / "notes").read_text()
    assert not mpl.pyplot.get_fignums()
    assert fig.get_supxlabel() == SAYS
    assert (tmp_path / "run" / "figures" / "table-2.png").exists()
    with pytest.raises(TypeError, match="says"):
        plots.save(fig, "table-2")


def test_a_metric_has_one_colour_whatever_its_k_and_wherever_it_is_drawn(joint):
    assert plots.colour("pass@1") == plots.colour("pass@5") == plots.colour("PR")
    assert plots.colour("secure@1_pass") == plots.colour("secure@3") == plots.colour("SPR")
    forest = plots.forest(joint, label="model", panel="language")
    assert forest.axes[0].lines[0].get_color() == plots.colour("secure-pass@1")
    table = published.table("codeguard", 6)
    table = table[table["metric"].isin(["pass@1", "secure-pass@1"])]
    pair = plots.dumbbell(table, label="prompt", pair="metric", panel="model")
    drawn = {line.get_label(): line.get_color() for line in pair.axes[0].lines}
    assert drawn == {m: plots.colour(m) for m in ("pass@1", "secure-pass@1")}


def test_levels_without_an_order_are_dots():
    table = published.table("dualgauge", 13).assign(family="one")
    table = table.drop_duplicates(["role", "metric"])
    for ordered, style_ in ((True, "-"), (False, "None"), ({"other"}, "None")):
        fig = plots.sweep(table, level="role", panel="family", ordered=ordered)
        assert {line.get_linestyle() for line in fig.axes[0].lines} == {style_}


def test_no_label_of_a_series_is_on_another_or_below_the_axis():
    table = published.table("realsec", 5)
    table = table[(table["model"] != "Average") & (table["hops"] != "Overall")]
    fig = plots.sweep(table, level="hops", panel="model")
    fig.canvas.draw()
    for ax in fig.axes[:5]:
        boxes = sorted((t.get_window_extent() for t in ax.texts), key=lambda b: b.y0)
        assert all(a.y1 <= b.y0 + 3 for a, b in zip(boxes, boxes[1:], strict=False))
        assert boxes[0].y0 + 3 >= ax.get_window_extent().y0


def test_the_names_of_columns_do_not_overlap():
    fig = plots.heat(published.table("codeguard", 6), label="prompt", across=["model"])
    fig.canvas.draw()
    boxes = [t.get_window_extent() for t in fig.axes[0].get_xticklabels()]
    assert all(a.x1 <= b.x0 for a, b in zip(boxes, boxes[1:], strict=False))


def test_the_style_stays_inside_the_figures(joint):
    before = dict(mpl.rcParams)
    plots.forest(joint, label="model", panel="language")
    assert dict(mpl.rcParams) == before


def test_a_printed_table_has_its_digits_signs_dashes_and_best():
    frame = pd.DataFrame({"a": [1.25, None], "b": [0.5, -2.0]}, index=["x", "y"])
    html = plots.show(frame, digits={"b": 2}, signed=["b"], best={"b": "max"}).to_html()
    assert all(text in html for text in ("1.2", "–", "+0.50", "-2.00"))
    assert html.count("font-weight: bold") == 2  # the caption's style and one cell
    assert plots.show(frame).to_html() == plots.show(frame).to_html()


def test_rows_that_disagree_are_tinted():
    frame = pd.DataFrame({"ours": [1.0, 2.0], "verdict": ["match", "finding"]})
    assert plots.show(frame).to_html().count("background") == 1
