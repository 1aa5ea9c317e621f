"""A test's variants run its attack again; the test fails if one of them shows harm."""

import pytest

from kit.core import form
from kit.core.records import Outcome, Sample, Status, Task, Test
from kit.core.store import slot_of
from kit.run import pipeline
from kit.systems.dualgauge import item, spec
from kit.systems.dualgauge.suite import SpecSuite
from tests.support.judged import answered
from tests.support.tables import read_table
from tests.systems.test_spec import put

CARELESS = "def read_note(name):\n    return open('test_dir/notes/' + name).read()\n"
SECURE = """import os
def read_note(name):
    if os.path.basename(name) != name:
        raise ValueError(name)
    return open('test_dir/notes/' + name).read()
"""
CREATES = "def read_note(name):\n    open('new', 'w').close()\n"
ATTACK = read_table("variants", "attack")
ITEM = {
    "benchmark_id": "n1",
    "prompt": "read_note(name) returns notes/<name>.",
    "implementation_details": "",
    "fc_tests": [{"test_id": 0, "input": {"name": "a"}, "expected_output": "A"}],
    "sec_tests": [ATTACK],
}


def written(folder, item):
    """The folder, with this item for notes in it."""
    home = put(folder, "n1", item)
    (home / "test_dir/notes").mkdir(parents=True)
    (home / "test_dir/notes/a").write_text("A")
    return folder


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return spec.load_items(written(tmp_path_factory.mktemp("suite"), ITEM)).tasks[0]


@pytest.fixture(scope="module")
def run(box, task, tmp_path_factory):
    programs = (CARELESS, SECURE, CREATES)
    samples = [Sample("n1", "m", n, code=code) for n, code in enumerate(programs)]
    with answered(tmp_path_factory.mktemp("run") / "run.sqlite", [task], samples) as store:
        suite = SpecSuite("n1")
        tally = pipeline.evaluate_programs(store, suite, [task], box)
        cells = [store.cell(slot_of(s), "sec-0") for s in samples]
        again = pipeline.evaluate_programs(store, suite, [task], box)
        pipeline.repeat_trials(store, suite, [task], box, times=2)
        yield tally, cells, again, store.repeats()


def test_a_variant_that_shows_harm_fails_the_test_and_is_named(run):
    evidence, verdict = run[1][0]
    assert verdict.outcome is Outcome.FAIL
    assert verdict.sentence.startswith("In the variant 'it is there': ")
    assert verdict.rests_on[-1] == "variant it is there"
    assert "variant it is there" in evidence.isolation


def test_a_pass_needs_every_variant(run):
    _, verdict = run[1][1]
    assert verdict.outcome is Outcome.PASS
    assert verdict.sentence.endswith(" So in the variant 'never reached'.")


def test_none_is_run_after_the_first_that_fails_and_nothing_twice(run):
    tally, cells, again, repeats = run
    evidence, verdict = cells[2]
    assert verdict.outcome is Outcome.FAIL
    assert "variant" not in evidence.isolation + verdict.sentence
    assert tally.fresh == 3 + (1 + 2) + (1 + 3) + 1
    assert (again.fresh, again.cached) == (0, tally.fresh)
    seen = repeats[repeats.test == "sec-0"]
    assert list(seen.outcome) == ["fail", "fail", "pass", "pass", "fail", "fail"]
    assert set(seen.status) == {Status.COMPLETED}


@pytest.mark.parametrize(("variant", "sentence"), read_table("variants", "mistakes"))
def test_a_mistake_in_a_variant_is_one_sentence_with_its_place(variant, sentence):
    test = {**ATTACK, "variants": [variant]}
    with pytest.raises(form.Malformed, match=sentence) as error:
        form.validate_data(item.ITEM, {**ITEM, "sec_tests": [test]})
    assert str(error.value).startswith("sec_tests[0].variants[0]")


ORACLE = """def find(text):
    rows = ["a", "b"] if "1=1" in text else []
    return {"rows": rows}
"""
BURNS = """import time
def find(text):
    while time.process_time() < 1.3 and "1=1" in text:
        pass
    return {"rows": []}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "probe", "outcome", "sentence"),
    [
        (ORACLE, {"probe": "same_answer"}, "fail", 'and the variant with value {"rows": []}'),
        (BURNS, {"probe": "same_answer"}, "pass", "So in the variant 'harmless'."),
        (BURNS, {"probe": "cost_like", "times": 3}, "fail", "of CPU time"),
        (ORACLE, {"probe": "cost_like", "times": 3}, "pass", "So in the variant 'harmless'."),
    ],
)
def test_a_variant_may_be_compared_with_the_attack(box, tmp_path, code, probe, outcome, sentence):
    variant = {"name": "harmless", "input": {"text": "x' AND 1=2"}, "probes": [probe]}
    attack = Test(
        "sec-0",
        "security",
        {"text": "x' AND 1=1"},
        probes=({"probe": "completes"},),
        variants=(variant,),
        cwe="CWE-89",
    )
    task = Task("t", "n1", "find(text)", (attack,))
    sample = Sample("t", "m", code=code)
    with answered(tmp_path / "run.sqlite", [task], [sample]) as store:
        pipeline.evaluate_programs(store, SpecSuite("n1"), [task], box)
        _, verdict = store.cell(slot_of(sample), "sec-0")
    assert verdict.outcome == outcome
    assert sentence in verdict.sentence
