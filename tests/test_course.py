"""The course: copies without solutions, and marks that cannot be had without the answers."""

import json

import pytest
from click.testing import CliRunner

from kit.cli.main import main
from kit.course import LABS, answers, copies, marking, open_lab
from kit.course.exercise import Setting, alike, earned
from kit.course.labs import lab_05
from kit.errors import KitError
from kit.paths import DATA, NOTEBOOKS
from kit.sandbox import open_sandbox

SUBMISSIONS = DATA / "course" / "submissions"
HOME = NOTEBOOKS / "course"


def book(path):
    return json.loads(path.read_text())


def tagged(path, tag):
    return [c for c in book(path)["cells"] if tag in c["metadata"].get("tags", [])]


def build(folder, *options):
    done = CliRunner().invoke(main, ["course", "build", str(folder), "--json", *options])
    assert done.exit_code == 0, done.output
    return folder


def test_every_lab_is_there_and_has_notes():
    assert {p.stem for p in HOME.glob("*.ipynb")} == set(LABS)
    assert {p.stem for p in (HOME / "notes").glob("*.md")} == set(LABS)


@pytest.mark.parametrize("lab", LABS)
def test_every_exercise_has_a_solution_a_check_and_practice_beside_it(lab):
    cells = list(answers.code_cells(book(HOME / f"{lab}.ipynb")))
    solved = [answers.text_of(c) for c in tagged(HOME / f"{lab}.ipynb", "solution")]
    ids = {e.id for e in open_lab(lab).exercises}
    for exercise in open_lab(lab).exercises:
        assert answers.last_binding(solved, exercise.name)
        assert f'lab.check("{exercise.id}")' in "\n".join(cells)
        assert exercise.points == 0 or f"{exercise.id}p" in ids or exercise.name == "prediction"


def test_students_copies_hold_no_solution(tmp_path):
    build(tmp_path / "out")
    for lab in LABS:
        given = tmp_path / "out" / "students" / f"{lab}.ipynb"
        full = book(HOME / f"{lab}.ipynb")["cells"]
        for before, after in zip(full, book(given)["cells"], strict=True):
            solution = "solution" in before["metadata"].get("tags", [])
            assert (before["source"] == after["source"]) is not solution
        assert len(tagged(given, "answer")) == len(tagged(HOME / f"{lab}.ipynb", "solution"))
        assert not tagged(given, "solution")
        for cell in tagged(given, "answer"):
            assert "TODO" in answers.text_of(cell)


def test_a_stub_keeps_the_head_and_drops_the_helpers():
    cell = '# do it\nimport os\nhelp = 3\ndef f(a):\n    """Says."""\n    return help\nx = f(1)\n'
    assert copies.stub(cell, {"f", "x"}).split("\n") == [
        "# do it", "import os", "", "", "def f(a):", '    """Says."""',
        "    ...  # TODO: your answer", "x = ...  # TODO: your answer", "",
    ]  # fmt: skip


def test_variants_depend_on_the_seed_and_stand_in_the_copies(tmp_path):
    names = tmp_path / "names"
    names.write_text("ada\nben\neve\n")
    out = build(tmp_path / "out", "--variants", str(names), "--seed", "s")
    given = copies.read_variants(out / "lecturer" / "variants.csv")
    assert given == copies.variants(["ada", "ben", "eve"], "s")
    assert given != copies.variants(["ada", "ben", "eve"], "t")
    for name, variant in given.items():
        cells = "".join(answers.code_cells(book(out / "students" / name / "lab_02.ipynb")))
        assert f"variant: int = {variant} " in cells
    with pytest.raises(KitError, match="not empty"):
        copies.build(out)


def test_a_page_of_notes_has_what_a_lecturer_asks_for():
    for lab in LABS:
        page = copies.page(lab)
        for part in ("Objectives", "Timing", "Preparation", "Pitfalls", "Questions", "Marking"):
            assert f"## {part}" in page
        assert "CWE Top 25" in page
        assert all(e.name in page for e in open_lab(lab).exercises)


def test_values_are_alike_only_in_kind():
    assert alike([1, {"a": 0.1 + 0.2}], [1.0, {"a": 0.3}])
    for pair in ((1, True), (None, 0), ([1], [1, 1]), ("1", 1), ({"a": 1}, {}), ([], "")):
        assert not alike(*pair)


def test_c_that_could_switch_the_sanitizer_off_is_not_compiled():
    for line in ('asm("nop");', "__attribute__((x))", "#define a b", "#include <stdio.h>",
                 "exit(0)", "int \\\nmain", '#include "driver.c"', "_Pragma(1)"):  # fmt: skip
        assert lab_05.allowed(lab_05.DECODE_MENDED + line)
    assert lab_05.allowed(lab_05.DECODE_MENDED) == ""


def test_a_folder_that_holds_no_copies_is_refused(tmp_path):
    with pytest.raises(KitError, match="No student's folder"):
        marking.mark(tmp_path, seed="s")
    (tmp_path / "ada").symlink_to(SUBMISSIONS / "ada")
    with pytest.raises(KitError, match="is no student's folder"):
        marking.mark(tmp_path, seed="s")


def test_a_broken_or_a_missing_notebook_earns_nothing_and_says_why(tmp_path):
    for name, text in (("ann", "{"), ("bob", "[]"), ("cal", '{"cells": [1, {"source": 3}]}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lab_06.ipynb").write_text(text)
    (tmp_path / "dan").mkdir()
    rows = marking.mark(tmp_path, seed="s", only=["lab_06"]).exercises
    assert set(rows["points"]) == {0}
    first = rows.drop_duplicates("student").set_index("student")["off"]
    assert first["ann"] == first["bob"] == "the file is no notebook"
    assert first["cal"] == "no cell that can be read defines possible"
    assert first["dan"] == "not handed in"


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_the_solutions_hold_and_nothing_written_earns_nothing(lab):
    solved = [answers.text_of(c) for c in tagged(HOME / f"{lab}.ipynb", "solution")]
    given = copies.without_solutions(book(HOME / f"{lab}.ipynb"), lab)
    empty = list(answers.code_cells(given))
    with open_sandbox("bwrap") as box:
        for exercise in open_lab(lab).exercises:
            code = answers.last_binding(solved, exercise.name)
            setting = Setting(box, seed="secret")
            found = exercise.found(code, setting)
            assert [f.text for f in found if not f.ok] == []
            assert earned(found, exercise.points) == exercise.points
            nothing = exercise.found(answers.last_binding(empty, exercise.name), setting)
            assert [f.text for f in nothing] == [f"{exercise.name} is not written yet"]


@pytest.mark.slow
def test_c_that_brings_its_own_memory_does_not_escape_the_sanitizer():
    arena = """
    static char all[100000];
    static unsigned long used_up;
    void *malloc(unsigned long n) { used_up += 64 + n; return all + used_up - n; }
    """
    strays = lab_05.DECODE_MENDED.replace("int used = 0;", "int used = 0; out[size + 2] = 0;")
    assert strays != lab_05.DECODE_MENDED
    exercise = open_lab("lab_05").exercise("5.3")
    with open_sandbox("bwrap") as box:
        found = exercise.found(f"decode = {arena + strays!r}", Setting(box, seed="secret"))
    assert all("heap-buffer-overflow" in f.text for f in found)


@pytest.mark.slow
def test_a_good_copy_earns_all_and_a_wrong_and_a_cheating_one_nothing(tmp_path):
    target = tmp_path / "marks.csv"
    words = ["course", "check", str(SUBMISSIONS), "--only", "lab_01,lab_04", "--json"]
    done = CliRunner().invoke(main, [*words, "--seed", "secret", "--csv", str(target)])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    students = {row["student"]: row for row in told["students"]}
    assert {n: r["total"] for n, r in students.items()} == {"ada": 20, "ben": 0, "eve": 0}
    assert {n: r["explanations"] for n, r in students.items()} == {"ada": 2, "ben": 1, "eve": 0}
    assert all(row["off"] for row in told["exercises"] if row["student"] != "ada")
    assert target.read_text().splitlines()[1] == "ada,10.0,10.0,20.0,20,2"
