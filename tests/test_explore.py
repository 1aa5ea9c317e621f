"""The explorer without a browser: filters, pages, and what a sample without program shows."""

import pytest

from kit.records import Sample, Status, Task, Test
from kit.run import pipeline
from kit.sandbox import open_sandbox
from kit.store import Store
from kit.study import explore
from kit.suites.spec.suite import SpecSuite

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
def explorer(tmp_path_factory):
    run = tmp_path_factory.mktemp("explore") / "run"
    with Store(run) as store, open_sandbox("bwrap") as box:
        store.plan([TASK], SAMPLES)
        for sample in SAMPLES:
            store.put_sample(sample)
        pipeline.evaluate(store, SUITE, [TASK], box)
    return explore.Explorer(Store(run, write=False), [TASK], {("square", "python"): "x = 1\n"})


def test_it_opens_with_a_page(explorer):
    assert "specification" in explorer.page.value
    assert explorer.count.value == "3 samples, 6 tests"


def test_each_sample_lies_in_its_quadrant(explorer):
    place = dict(zip(explorer.rows["model"], explorer.rows["quadrant"], strict=True))
    assert place == {"good": "correct and secure", "evil": "correct, insecure", "lost": "neither"}


def test_a_filter_shows_the_failure_and_its_reason(explorer):
    explorer.filters["quadrant"].value = "correct, insecure"
    assert explorer.count.value == "1 samples, 2 tests"
    assert "FAIL" in explorer.page.value
    assert "exec" in explorer.page.value
    explorer.filters["quadrant"].value = explore.ALL


def test_every_sample_and_every_test_has_a_page(explorer):
    for _, slot in explorer.samples.options:
        explorer.samples.value = slot
        for _, test in explorer.tests.options:
            explorer.tests.value = test
            assert len(explorer.page.value) > 50


def test_an_answer_without_program_is_shown_as_text(explorer):
    explorer.filters["model"].value = "lost"
    assert "&lt;b&gt;sorry" in explorer.page.value
    explorer.filters["model"].value = explore.ALL


def test_filters_that_nothing_passes_say_so(explorer):
    explorer.filters["model"].value = "good"
    explorer.outcome.value = "fail"
    assert explorer.page.value == "Nothing passes these filters."
    explorer.outcome.value = explorer.filters["model"].value = explore.ALL
