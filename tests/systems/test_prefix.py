"""SVEN's arm: a toy model with a trained prefix, measured as any other model."""

import pytest

from kit.core.store import Store
from kit.generation import local
from kit.run.job import Job
from kit.run.report import score_run
from kit.systems.codeguard import answers
from kit.systems.codeguard.suite import HOME, CompletionSuite

pytest.importorskip("torch", reason=local.INSTALL)
prefixes = pytest.importorskip("tests.support.prefixes", reason=local.INSTALL)
TASKS = ["cwe-078-1-py", "cwe-079-1-py"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The toy's folder, and that of its prefixes."""
    suite = CompletionSuite()
    suite.load()
    lessons = []
    for task in TASKS:
        entry = suite.items[task]
        indentation = answers.next_line_indentation(entry)
        for labelled in suite._read_labelled_completions(task, HOME):
            if labelled.functional == "pass":
                text = labelled.text.removeprefix(indentation)
                is_secure = labelled.secure == "pass"
                lessons.append(prefixes.Lesson(entry.prompt + indentation, text, is_secure))
    base = tmp_path_factory.mktemp("toy")
    folder = tmp_path_factory.mktemp("prefixes")
    model, words = prefixes.train_model(base, lessons)
    prefixes.train_prefixes(model, words, base, folder, lessons)
    return {"toy": base, "prefixes": folder}


@pytest.mark.slow
def test_a_trained_prefix_moves_what_the_model_writes_and_a_run_shows_it(folders, tmp_path):
    secure = {}
    for prefix, model in ((None, "toy"), ("sec", "prefixes"), ("vul", "prefixes")):
        suite = CompletionSuite()
        arm = {"decoding": "nucleus", "prefix": prefix, "security": "exploit", "seed": 0}
        arm["max_tokens"] = 130
        suite = suite.with_settings(suite.Settings(**arm))
        tasks = suite.load().select_tasks(TASKS)
        job = Job.of(suite, tasks, f"local:{folders[model]},batch=8", n=8, **arm)
        run = str(tmp_path / f"run-{prefix}")
        generated, executed, _ = job.go(run)
        assert not generated.infra
        assert not executed.infra
        with Store(run, write=False) as store:
            rows = score_run(store, suite, n_boot=20).set_index("metric")
        secure[prefix] = rows.loc["secure-pass@1", "estimate"]
    assert secure["vul"] < secure[None] < secure["sec"]
