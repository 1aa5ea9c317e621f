"""The explorer without a browser: filters, pages, and what a sample without program shows."""

import re
import time
from dataclasses import replace
from functools import partial

import pytest

from kit.core.errors import KitError
from kit.core.paths import ROOT
from kit.core.records import Finding, Sample, Status, Task, Test
from kit.core.store import Store, slot_of
from kit.explore import Explorer
from kit.explore.listing import ALL
from kit.run import pipeline
from kit.run.suites import open_folder
from kit.systems.dualgauge.suite import SpecSuite
from tests.support import crowd
from tests.support.judged import answered

SUITE = SpecSuite()

TESTS = (
    Test("fc-0", "functional", input={"n": 2}, expected=4),
    Test("sec-0", "security", {"n": 1}, cwe="CWE-78", probes=({"probe": "no_exec"},)),
)
TASK = Task("square", "demo", "Write a function square(n) that returns n squared.", TESTS)
SAMPLES = [
    Sample("square", "good", code="def square(n):\n    return n * n\n"),
    Sample(
        "square", "evil", code="import os\ndef square(n):\n    os.system('id')\n    return n * n\n"
    ),
    Sample(
        "square", "lost", status=Status.EXTRACTION_ERROR, response="<b>sorry</b>", note="no code"
    ),
]


@pytest.fixture(scope="module")
def explorer(box, tmp_path_factory):
    run = tmp_path_factory.mktemp("explore") / "run"
    with answered(run, [TASK], SAMPLES) as store:
        pipeline.evaluate_programs(store, SUITE, [TASK], box)
    return Explorer(Store(run, write=False), [TASK], {("square", "python"): "x = 1\n"})


def test_each_sample_lies_in_its_quadrant(explorer):
    place = dict(zip(explorer.rows["model"], explorer.rows["quadrant"], strict=True))
    assert place == {
        "good": "correct and secure",
        "evil": "correct but insecure",
        "lost": "neither",
    }


def test_every_sample_and_every_test_has_a_page(explorer):
    for _, slot in explorer.samples.options:
        explorer.samples.value = slot
        for _, test in explorer.tests.options:
            explorer.tests.value = test
            assert len(explorer.page.value) > 50


def test_an_answer_without_program_is_shown_as_text(explorer):
    explorer.choose(model="lost")
    page = explorer.page.value
    assert "&lt;b&gt;sorry" in page
    assert page.count("No program: no code. It counts as neither correct nor secure.") == 1
    assert "undecided" not in page
    assert explorer.tests.layout.display == "none"
    assert "2/2" in explorer.samples.options[0][0]
    explorer.choose(model=ALL)


def test_the_square_counts_samples_and_a_click_filters(explorer):
    cells = explorer.square.cells
    assert explorer.square.chosen not in explorer.view.children[1].children[0].children[2].children
    shown = {name: cell.description for name, cell in cells.items()}
    assert shown == {
        "correct and secure": "1\n33 %",
        "correct but insecure": "1\n33 %",
        "neither": "1\n33 %",
        "secure but wrong": "0\n0 %",
        "undecided": "0 undecided",
    }
    cells["correct but insecure"].click()
    assert explorer.count.value == "1 sample, 2 tests"
    marked = [name for name, cell in cells.items() if "kit-on" in cell._dom_classes]
    assert marked == ["correct but insecure"]
    cells["correct but insecure"].click()
    assert explorer.count.value == "3 samples, 6 tests"
    cells["secure but wrong"].click()  # nothing lies there
    assert explorer.count.value == "0 samples, 0 tests"
    assert explorer.page.value == "No test matches these filters."
    assert explorer.tests.layout.display == "none"
    cells["secure but wrong"].click()
    assert explorer.count.value == "3 samples, 6 tests"


def test_words_are_searched_in_names_and_programs(explorer):
    for words, samples in (("EVIL", 1), ("square os.system", 1), ("good evil", 0), ("", 3)):
        explorer.search.value = words
        assert explorer.count.value.startswith(f"{samples} sample")


def test_every_test_of_a_sample_is_a_row_and_the_verdict_comes_first(explorer):
    explorer.choose(model="evil")
    page = explorer.page.value
    places = [page.index(word) for word in ("FAIL", "Program", "All 2 tests", "Prompt")]
    assert places == sorted(places)
    for said in ("fc-0", "sec-0 CWE-78", "probe_broken", "exec", "value 4", "exact"):
        assert said in page
    explorer.choose(model=ALL)


def test_the_same_task_by_another_model_is_shown_beside(explorer):
    explorer.choose(model="evil")
    assert explorer.beside is explorer.view.children[1].children[1].children[0]
    (other,) = [slot for name, slot in explorer.beside.options if "good" in name]
    explorer.beside.value = other
    columns = explorer.page.value.partition("<div class='two'>")[2]
    assert "the same task: ● square" in columns
    assert columns.count("Result of this test") == 2
    explorer.choose(model=ALL)
    assert explorer.beside.value == ""


class Alerting(type(open_folder(ROOT / "tests" / "toy"))):
    """The toy, with a finding for each program that writes."""

    name = "test_explore:Alerting"

    def judge(self, trial, evidence):
        judged = super().judge(trial, evidence)
        samples = [c.sample for c in trial.cells if c.test.kind == "security"]
        alerts = [
            Finding("toy", "writes", "CWE-73", "main.sh", 1, flow=("main.sh:1",))
            for _ in samples
            if evidence.files
        ]
        owners = tuple((slot_of(s),) for s in samples)[: len(alerts)]
        return replace(judged, findings=tuple(alerts), owners=owners)


def test_findings_of_any_suite_are_listed_and_mark_the_program(box, tmp_path):
    suite, arms = Alerting(), ({"prompt": "plain"}, {"prompt": "hint"})
    tasks = suite.load().tasks
    codes = ("tr a-z A-Z < $1\n", "tr a-z A-Z < $1; echo >> $1\n")
    slots = [
        Sample(tasks[0].id, "m", 0, "other", arm, code=code)
        for arm, code in zip(arms, codes, strict=True)
    ]
    with answered(tmp_path / "run", tasks[:1], slots) as store:
        pipeline.evaluate_programs(store, suite, tasks[:1], box)
        explorer = Explorer(store, tasks, {})
        assert [v for _, v in explorer.filters["prompt"].options] == [ALL, "hint", "plain"]
        explorer.choose(prompt="plain")
        assert "static findings" not in explorer.page.value
        explorer.choose(prompt="hint")
        assert "1 static findings" in explorer.page.value
        assert "◀ CWE-73 writes" in explorer.page.value


@pytest.mark.slow
def test_a_click_among_20_000_rows_costs_less_than_half_of_opening_them(many):
    """CPU time of the callback in Python; the browser's part is measured in test_browser.py."""
    shares = []
    for _ in range(3):  # the quietest of three rounds, as other processes cost cache misses
        start = time.process_time()
        explorer = Explorer(Store(many[0], write=False), crowd.TASKS, {})
        opening_s, took = time.process_time() - start, {}
        assert len(explorer.rows) == 20_160
        clicks = {
            "quadrant": explorer.square.cells["correct but insecure"].click,
            "model": partial(explorer.choose, model="model-2"),
            "all": partial(explorer.choose, model=ALL, quadrant=ALL),
            "sort": partial(setattr, explorer.listing.sort, "value", "failed"),
            "page": explorer.listing.on.click,
            "sample": partial(setattr, explorer.samples, "index", 7),
            "test": partial(setattr, explorer.tests, "value", "sec-0"),
            "first search": partial(setattr, explorer.search, "value", "model-3"),
            "search": partial(setattr, explorer.search, "value", "t70 x"),
        }
        for name, click in clicks.items():
            start = time.process_time()
            click()
            took[name] = time.process_time() - start
        shares.append(max(took.values()) / opening_s)
    assert min(shares) < 0.5, shares


def shown(explorer):
    return [slot for _, slot in explorer.samples.options]


def listed(explorer):
    """Every sample that the pages of the list hold, in their order."""
    out = shown(explorer)
    while not explorer.listing.on.disabled:
        explorer.listing.on.click()
        out += shown(explorer)
    return out


def test_the_pages_of_the_list_hold_every_sample_once_in_the_sorted_order(tmp_path, monkeypatch):
    monkeypatch.setattr(crowd, "SAMPLES", crowd.SAMPLES[::13])
    explorer = Explorer(Store(crowd.run(tmp_path / "run"), write=False), crowd.TASKS, {})
    slots = explorer.rows["slot"].unique().tolist()
    assert listed(explorer) == slots
    explorer.listing.sort.value = "failed"
    explorer.listing.down.value = True
    failed = explorer.rows["outcome"].eq("fail").groupby(explorer.rows["slot"]).sum()
    order = listed(explorer)
    assert sorted(order) == sorted(slots)
    assert failed[order].is_monotonic_decreasing
    explorer.choose(model="model-1")
    chosen = set(explorer.list_matching_tests()["slot"])
    assert listed(explorer) == [slot for slot in order if slot in chosen]
    assert explorer.listing.go_to(slots[0]) == (slots[0] in chosen)


@pytest.mark.parametrize(
    ("run", "said"),
    [("validate-dualgauge", "`kit validate dualgauge`"), ("mine", "`kit run SUITE")],
)
def test_a_missing_run_is_refused_with_the_command_that_makes_it(tmp_path, run, said):
    with pytest.raises(KitError, match=re.escape(said)):
        Store(tmp_path / run, write=False)


def test_a_stored_run_opens_where_the_sources_of_its_suite_cannot_be_had(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))  # no apt-get
    first, second = (Explorer.of(f"ossbench-cjson{name}") for name in ("", "-smollm2"))
    assert first.rows["task"].nunique() == 128
    assert set(first.tasks) == set(first.rows["task"])
    assert "cannot be shown here." in first.case(*first.rows[["slot", "test"]].iloc[0])
    assert len(first.compare(second).pairs) == 16


def test_of_a_large_run_the_first_are_shown_until_all_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr("kit.explore.explorer.AT_ONCE", 2)
    monkeypatch.setattr("kit.core.store.PART", 2)
    answered(tmp_path / "run", [TASK], SAMPLES).close()
    large = Explorer(Store(tmp_path / "run", write=False), [TASK], {})
    assert large.count.value == "2 samples, 4 tests"
    assert large.more.description == "read all 3 samples"
    large.open(sample=slot_of(SAMPLES[2]))  # on none of the pages so far
    assert large.count.value == "3 samples, 6 tests"
    assert large.samples.value == slot_of(SAMPLES[2])
    assert (len(large.rows), len(large.quadrants)) == (6, 3)
