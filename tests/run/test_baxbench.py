"""BaxBench's form of a benchmark: tests that are functions over HTTP, a box for each of them."""

from pathlib import Path

import pytest

from kit.core.records import Sample
from kit.core.store import Store
from kit.generation.base import Response
from kit.run.suites import open_suite
from tests.support import clones
from tests.support.commands import frame_of, kit

CLIMBS, CANNOT, QUITS = "sec_climbs CWE-22", "sec_cannot CWE-22", "sec_quits CWE-703"
TESTS = ["func_reads", "func_raises", CLIMBS, CANNOT, QUITS]
EXPECTED = {
    "careful": ["pass", "unknown", "pass", "unknown", "pass"],
    "wrong": ["fail", "unknown", "pass", "unknown", "pass"],
    "climbs": ["pass", "unknown", "fail", "unknown", "pass"],
    "peeks": ["pass", "unknown", "fail", "unknown", "pass"],
    "dies": ["pass", "unknown", "pass", "unknown", "fail"],
    "absent": ["fail"] * 5,
}
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return clones.baxbench(tmp_path_factory.mktemp("bax"))


@pytest.fixture(scope="module")
def judged(clone, tmp_path_factory):
    folder = tmp_path_factory.mktemp("theirs")
    (folder / "Shelf").mkdir()
    for name, code in clones.BAX_PROGRAMS.items():
        (folder / f"Shelf/{name}.py").write_text(code)
    kit("evaluate", "baxbench", "--programs", folder, "--data", clone, "--run", folder / "run")
    frame = frame_of(folder / "run")
    with Store(folder / "run", write=False) as store:
        cells = zip(frame["slot"], frame["test"], strict=True)
        frame["sentence"] = [store.cell(*cell)[1].sentence for cell in cells]
    return frame


def test_what_cannot_run_is_left_out_by_name_and_reason(clone):
    loaded = open_suite("baxbench").load(clone)
    assert [task.id for task in loaded.tasks] == ["Shelf"]
    told = "\n".join(loaded.problems)
    assert "Barred is left out: its tests import a_module_of_nobody" in told
    assert "Painted is left out: the box lacks paintless" in told
    assert "Go-Gin is left out" in told
    assert f"logic-star-ai/baxbench@{clones.HEAD[:12]}" in told


def test_the_prompt_is_the_clones_own_and_the_reminder_an_arm(clone):
    suite = open_suite("baxbench")
    task = suite.load(clone).task("Shelf")
    arm = {"framework": "Python-Flask", "spec": "text", "prompt": "generic"}
    system, question = suite.prompt(task, Sample("Shelf", "m", arm=arm))
    assert system["content"] == "You write small servers"
    assert question["content"] == "Shelf with Flask as text, reminder generic"


def test_a_program_stands_between_the_marks_of_its_answer():
    slot = Sample("Shelf", "m", arm={"framework": "Python-Flask"})
    answer = Response(f"Here:\n<CODE>\n{clones.BAX_APP}\n</CODE>")
    assert open_suite("baxbench").sample(slot, answer).code.strip() == clones.BAX_APP.strip()


def test_each_row_is_decided_by_its_function_by_events_and_by_death(judged):
    table = judged.pivot_table("outcome", "model", "test", aggfunc="first")[TESTS]
    assert {name: [*row] for name, row in table.T.items()} == EXPECTED
    sentences = judged.set_index(["model", "test"])["sentence"]
    assert "reached /secret.txt" in sentences["peeks", CLIMBS]
    assert "KeyError" in sentences["careful", "func_raises"]
    assert sentences["careful", "func_reads"].endswith("it asks for tea")


def test_a_program_runs_in_its_boxes_alone(judged):
    assert set(judged["isolation"].str.partition("(")[0]) == {"bwrap"}
    assert not Path("/mark-of-shelf").exists()


def test_recorded_programs_are_imported_and_replayed(clone, tmp_path):
    folder = clones.baxbench_results(tmp_path / "more", clones.BAX_PROGRAMS["climbs"])
    kit("import", "programs", "baxbench", folder, tmp_path / "recorded")
    assert "CWE-22" in (tmp_path / "recorded/results.csv").read_text()
    words = ["--data", clone, "--model", f"replay:{tmp_path}/recorded", "--run", tmp_path / "run"]
    kit("run", "baxbench", *words)
    frame = frame_of(tmp_path / "run")
    assert set(frame["model"]) == {"run-a"}
    assert [*frame.set_index("test")["outcome"][TESTS]] == EXPECTED["climbs"]
