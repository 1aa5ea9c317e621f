import matplotlib as mpl
import pandas as pd
import pytest

from kit import plots
from kit.errors import KitError
from kit.papers import published
from kit.plots import style

SAYS = "n = 307 tasks at most; no intervals are printed."


@pytest.fixture
def figures(tmp_path, monkeypatch):
    monkeypatch.setenv(style.VARIABLE, str(tmp_path / "figures"))
    return tmp_path / "figures"


@pytest.fixture
def joint():
    table = published.table("dualgauge", 2)
    table = table[table["metric"] == "secure-pass@1"]
    return table.assign(ci_low=table["value"] - 1, ci_high=table["value"] + 1)


def texts(fig):
    return [t.get_text() for ax in fig.axes for t in ax.texts]


def test_a_figure_is_saved_twice_with_the_same_bytes(figures, joint):
    seen = []
    for _ in range(2):
        plots.save(plots.forest(joint, label="model", panel="language"), "table-2", says=SAYS)
        seen.append({p.name: p.read_bytes() for p in figures.iterdir()})
    assert seen[0].keys() == {"table-2.png", "table-2.pdf"}
    assert seen[0] == seen[1]


def test_saving_leaves_a_note_and_no_open_figure(figures, joint, tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_RESULTS", str(tmp_path / "notes"))
    plots.save(plots.forest(joint, label="model", panel="language"), "table-2", says=SAYS)
    assert '"figure"' in (tmp_path / "notes").read_text()
    assert not mpl.pyplot.get_fignums()
    assert figures.exists()


@pytest.mark.parametrize("name", ["", "Table 2", "../x", "-a"])
def test_a_name_that_is_no_file_name_is_refused(figures, joint, name):
    fig = plots.forest(joint, label="model", panel="language")
    with pytest.raises(KitError, match="small letters"):
        plots.save(fig, name, says=SAYS)
    assert not figures.exists()
    mpl.pyplot.close(fig)


def test_a_forest_labels_every_value_in_the_printed_order(joint):
    fig = plots.forest(joint, label="model", panel="language")
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["Python", "C++", "JavaScript"]
    assert sorted(texts(fig)) == sorted(f"{v:.1f}" for v in joint["value"])
    ticks = [t.get_text() for t in fig.axes[0].get_yticklabels()]
    assert ticks == list(dict.fromkeys(joint["model"]))
    mpl.pyplot.close(fig)


def test_a_sweep_has_a_panel_for_each_family_and_a_label_for_each_line():
    table = published.table("dualgauge", 13)
    table["family"] = [f"family {i // 10}" for i in range(len(table))]
    fig = plots.sweep(table, level="role", panel="family")
    assert len(texts(fig)) == 4 * 3
    assert "secure-pass@1 7.2" in texts(fig)
    mpl.pyplot.close(fig)


def test_a_dumbbell_joins_the_two_levels_and_names_them():
    table = published.table("codeguard", 6)
    table = table[table["metric"].isin(["SVEN-SR", "secure-pass@1"])]
    fig = plots.dumbbell(table, label="prompt", pair="model", panel="metric")
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["CodeGen", "SVEN"]
    mpl.pyplot.close(fig)


def test_a_figure_says_what_it_rests_on_and_a_runs_figures_go_with_the_run(joint, tmp_path):
    fig = plots.forest(joint, label="model", panel="language")
    plots.save(fig, "table-2", says=SAYS, run=tmp_path / "run")
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
    mpl.pyplot.close("all")


def test_levels_without_an_order_are_dots():
    table = published.table("dualgauge", 13).assign(family="one")
    for ordered, style_ in ((True, "-"), (False, "None"), ({"other"}, "None")):
        fig = plots.sweep(table, level="role", panel="family", ordered=ordered)
        assert {line.get_linestyle() for line in fig.axes[0].lines} == {style_}
        mpl.pyplot.close(fig)


def test_no_label_of_a_series_is_on_another_or_below_the_axis():
    table = published.table("realsec", 5)
    table = table[(table["model"] != "Average") & (table["hops"] != "Overall")]
    fig = plots.sweep(table, level="hops", panel="model", columns=3)
    fig.canvas.draw()
    for ax in fig.axes[:5]:
        boxes = sorted((t.get_window_extent() for t in ax.texts), key=lambda b: b.y0)
        assert all(a.y1 <= b.y0 + 3 for a, b in zip(boxes, boxes[1:], strict=False))
        assert boxes[0].y0 + 3 >= ax.get_window_extent().y0
    mpl.pyplot.close(fig)


def test_the_names_of_columns_do_not_overlap():
    flat = published.wide(published.table("codeguard", 6), across=["model"])
    fig = plots.heat(flat)
    fig.canvas.draw()
    boxes = [t.get_window_extent() for t in fig.axes[0].get_xticklabels()]
    assert all(a.x1 <= b.x0 for a, b in zip(boxes, boxes[1:], strict=False))
    mpl.pyplot.close(fig)


def test_a_heat_map_prints_every_number_once():
    table = published.table("dualgauge", 15)
    wide = table.pivot(index="cwe", columns="language", values="value")
    groups = published.table("dualgauge", 16).groupby("group", sort=False)["cwe"].agg(list)
    fig = plots.heat(wide, groups=groups.to_dict())
    assert sorted(texts(fig)) == sorted(f"{v:.1f}" for v in table["value"])
    mpl.pyplot.close(fig)


def test_the_style_stays_inside_the_figures(joint):
    before = dict(mpl.rcParams)
    mpl.pyplot.close(plots.forest(joint, label="model", panel="language"))
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
