"""The numbers of every shipped run stay what they were, to the last digit, whatever is moved."""

import json

import golden
import pytest

from kit.core import store
from kit.systems.ossbench import scores
from tests.support.commands import kit


@pytest.mark.slow
def test_labelled_programs_get_the_verdicts_that_they_got(validated):  # noqa: ARG001 - makes the run
    seen = golden.of_frame(store.frame("validate-dualgauge"))
    assert {k: seen.get(k) for k in golden.known("validation")} == golden.known("validation")


@pytest.mark.slow
def test_the_replayed_model_gets_the_verdicts_that_it_got(tmp_path):
    words = ["run", "dualgauge", "--model", "replay:smollm2-135m", "--unvalidated", "--json"]
    kit(*words, "--run", tmp_path / "replay")
    assert golden.of_frame(store.frame(tmp_path / "replay")) == golden.known("replay")


@pytest.mark.parametrize("run", sorted(golden.known("ossbench")))
def test_recorded_runs_of_c_projects_keep_their_scores(run):
    seen = json.loads(json.dumps(scores.evaluate_tables(scores.load_tables(run)), default=float))
    assert seen == golden.known("ossbench")[run]
