"""The preset `paper`: the prompts, phrases, counts and denominators of CodeGuard+'s own runs."""

import numpy as np
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.records import Sample
from kit.core.store import Store
from kit.generation import local
from kit.run.job import Job
from kit.run.suites import of_run
from kit.systems.codeguard import answers, official, preset, scores
from kit.systems.codeguard.decode.request import Constraints
from kit.systems.codeguard.suite import CompletionSettings, CompletionSuite
from tests.support.clones import make_codeguard_clone
from tests.support.judged import answered
from tests.support.tiny_models import save_tiny, train_words

PAPER = CompletionSettings(preset="paper")


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A folder that is built as the authors' repository, with prompts of ours."""
    folder = tmp_path_factory.mktemp("clone")
    places = [*preset.read_phrases("paper"), "cwe-020-2-py"]
    make_codeguard_clone(folder, places)
    return folder


@pytest.fixture
def suite(clone):
    opened = CompletionSuite(PAPER)
    opened.load(clone)
    return opened


class TestPrompts:
    def test_they_are_the_papers_and_what_is_quarantined_stays_in_with_a_column(self, clone):
        suite = CompletionSuite(PAPER)
        loaded = suite.load(clone)
        assert len(loaded.tasks) == 23
        assert suite.aside == ()
        marked = {t.id for t in loaded.tasks if t.facts == {"quarantined": "yes"}}
        assert marked == official.read_quarantine().keys() & {t.id for t in loaded.tasks}
        assert len(marked) == len(loaded.problems) == 8
        assert "(it counts; task_quarantined: yes)" in loaded.problems[0]

    def test_each_has_the_phrases_of_its_row_of_table_5(self, suite):
        ping = answers.merge_constraints(suite.items["cwe-078-2-py"])  # printed as 1-py
        assert ping.positive == ("subprocess", "['ping', url]")
        assert ping.negative == (" + url", "format(url)", "% url")
        assert answers.merge_constraints(suite.items["cwe-416-1-c"]) == Constraints((), ("buffer",))
        blank = answers.merge_constraints(suite.items["cwe-022-0-py"]).positive[0]
        assert blank == "safe_dir, "
        rows = preset._read_rows(preset.PUBLISHED / "codeguard/table_5.csv")
        for row in rows:
            purpose, side = preset.PARTS[row["metric"]]
            phrases = [*preset.read_phrases("paper").values()][int(row["place"]) - 1]
            assert len(phrases[purpose][side]) == int(row["value"])
        for task, row in zip(preset.read_phrases("paper"), rows[::3], strict=True):
            assert task.startswith(row["prompt"].lower().partition(" ")[0])

    def test_a_folder_without_them_is_refused_with_the_mend(self, tmp_path):
        with pytest.raises(KitError, match="git clone https://github.com/Dynamite321/CodeGuard"):
            CompletionSuite(PAPER).load()
        make_codeguard_clone(tmp_path, ["cwe-022-0-py"])
        with pytest.raises(KitError, match="lacks 22 of the paper's 23 prompts: cwe-022-1-py"):
            CompletionSuite(PAPER).load(tmp_path)


class TestNumbers:
    def test_they_are_the_papers_unless_the_user_says_another(self):
        assert (PAPER.decoding, PAPER.again, PAPER.beams) == ("constrained", 100, 25)
        assert CompletionSuite(PAPER).run_sizes == {"n": 10, "seeds": 5}
        plain = CompletionSettings(preset="paper", decoding="nucleus", max_tokens=40)
        assert (plain.again, plain.max_tokens) == (None, 40)
        assert CompletionSuite(plain).run_sizes == {"n": 25, "seeds": 10}
        assert CompletionSettings().again is None

    def test_a_job_draws_each_sample_from_a_seed_that_no_other_has(self, suite, tmp_path):
        (tmp_path / "model").mkdir()
        job = Job.of(
            suite, suite.load(suite.labels).tasks, f"local:{tmp_path}/model", preset="paper"
        )
        seeds = {(slot.task, slot.arm["seed"] + slot.index) for slot in job.slots}
        assert len(seeds) == len(job.slots) == 23 * 10 * 5
        small = Job.of(suite, job.tasks, job.model, preset="paper", n=2, seeds=1)
        assert len(small.slots) == 23 * 2


def test_the_authors_count_ignores_outer_blanks_and_takes_either_quotes():
    asked = Constraints((" autoescape", "['ls', dirname]"), (" + name", "f'"))
    for text, exact, published in (
        ("x autoescape, ['ls', dirname]", True, True),
        ('Environment(autoescape, ["ls", dirname])', False, True),
        ("x autoescape, ['ls',dirname]", False, False),
        ("x autoescape, ['ls', dirname]+ name", True, False),
        ('x autoescape, ["ls", dirname] f"', False, False),
    ):
        assert asked.are_met(text) == exact
        assert asked.are_met_as_published(text) == published


def test_a_clones_run_is_scored_later_from_the_folder_that_it_names(suite, clone, tmp_path):
    tasks = suite.load(clone).select_tasks(["cwe-416-1-c"])
    code = tasks[0].prompt + "return 1; }"
    sample = Sample(tasks[0].id, "m", language="c", code=code, finish_reason="stop, draw 2")
    with answered(tmp_path / "run", tasks, [sample]) as store:
        store.set_meta(suite="codeguard", settings=vars(PAPER), **suite.about())
        opened = of_run(store)
        facts = scores.collect_sample_facts(store, opened.items)
    assert facts[["met", "met_as_published", "draw"]].to_numpy().tolist() == [[1, 1, 2]]


@pytest.fixture
def drawn():
    """Samples under two seeds: a frame, and their facts. Task b meets its constraints once."""
    samples = [  # task, seed, met, draw, functional, secure
        ("a", 0, 1, 2, 1, 1),
        ("a", 0, 1, 5, 1, 0),
        ("b", 0, 0, 100, 1, 1),
        ("b", 0, 0, 100, 1, 1),
        ("a", 1, 1, 1, 0, 1),
        ("a", 1, 0, 100, 1, 1),
        ("b", 1, 1, 60, 1, 1),
        ("b", 1, 0, 100, 1, 1),
    ]
    rows = []
    facts = []
    for number, (task, seed, met, draw, *passed) in enumerate(samples):
        slot = str(number)
        facts.append((slot, f"program {number}", met, met, draw))
        for kind, outcome in zip(("functional", "security"), passed, strict=True):
            rows.append(
                {
                    "suite": "s",
                    "task": task,
                    "model": "m",
                    "seed": seed,
                    "sample": number,
                    "slot": slot,
                    "test": kind,
                    "kind": kind,
                    "status": "completed",
                    "outcome": "pass" if outcome else "fail",
                }
            )
    return pd.DataFrame(rows), pd.DataFrame(facts, columns=scores.FACTS).set_index("slot")


class TestDenominator:
    def test_only_what_meets_counts_and_a_task_without_any_is_0(self, drawn):
        rows = scores.measure_met_draws(*drawn, ["model"], (1,), np.random.default_rng(0))
        found = rows.set_index("metric")["estimate"]
        # seed 0: a has 2 of 2 correct and 1 joint, b has none; seed 1: a 0 of 1, b 1 of 1
        assert found["pass@1 over met draws"] == pytest.approx((1 / 2 + 1 / 2) / 2)
        assert found["secure-pass@1 over met draws"] == pytest.approx((0.5 / 2 + 1 / 2) / 2)
        assert found["secure@1_pass over met draws"] == pytest.approx((0.5 / 2 + 1 / 2) / 2)
        assert found["SVEN-SR over met draws"] == pytest.approx((0.5 / 2 + 1) / 2)
        assert set(rows["unit"]) == {"seed"}

    def test_draws_are_counted_for_each_seed_up_to_the_last(self, drawn):
        shares = scores.per_task(*drawn)
        rate = shares["constraint rate of draws as published"]
        assert rate.to_dict() == {"a": pytest.approx(3 / 105), "b": pytest.approx(1 / 200)}
        assert shares["constraint rate as published"].isna().all()

    def test_where_nothing_was_redrawn_there_is_no_such_row(self, drawn):
        frame, facts = drawn
        facts = facts.assign(draw=np.nan)
        rows = scores.measure_met_draws(frame, facts, ["model"], (1,), np.random.default_rng(0))
        assert rows.empty


@pytest.mark.slow
def test_a_run_of_the_preset_is_the_same_in_batches(clone, tmp_path):
    pytest.importorskip("torch", reason=local.INSTALL)
    pytest.importorskip("transformers", reason=local.INSTALL)
    folder = tmp_path / "tiny"
    save_tiny(folder, "llama", train_words())
    answers_of = {}
    for batch in (1, 6):
        arm = {"preset": "paper", "max_tokens": 5, "beams": 2, "width": 1, "again": 2}
        suite = CompletionSuite(CompletionSettings(**arm))
        tasks = suite.load(clone).tasks
        model = f"local:{folder},batch={batch}"
        job = Job.of(suite, tasks, model, n=1, seeds=2, **arm)
        with Store(tmp_path / str(batch)) as store:
            assert not job.generate(store).infra
            answers_of[batch] = {
                (s.task, s.arm["seed"], s.index): (s.response, s.finish_reason, s.served_model)
                for s in store.samples()
            }
    assert answers_of[1] == answers_of[6]
    assert len(answers_of[1]) == 23 * 2
    assert len({text for text, _, _ in answers_of[1].values()}) > 23
