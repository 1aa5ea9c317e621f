"""The course: copies without solutions, and marks that cannot be had without the answers."""

import csv
import json
import os
import re
import statistics
from collections import Counter
from datetime import timedelta

import nbformat
import pandas as pd
import pytest

from kit.core.errors import KitError
from kit.core.paths import DATA, NOTEBOOKS
from kit.course import LABS, gradebook, marking, open_lab, slides, small_task
from kit.course.exercise import (
    Setting,
    are_alike,
    code_cells,
    count_points,
    draw_suffix,
    find_last_binding,
    text_of,
)
from kit.course.labs import lab_01, lab_05
from tests.support.commands import invoked, kit, told

SUBMISSIONS = DATA / "course" / "submissions"
HOME = NOTEBOOKS / "course"


def book(path):
    return json.loads(path.read_text())


def tagged(path, tag):
    return [c for c in book(path)["cells"] if tag in c["metadata"].get("tags", [])]


def solutions(lab):
    return [text_of(c) for c in tagged(HOME / f"{lab}.ipynb", "solution")]


def build(folder, *options):
    kit("course", "build", folder, *options)
    return folder


def test_every_lab_is_there_and_has_notes():
    assert {p.stem for p in HOME.glob("*.ipynb")} == set(LABS)
    assert {p.stem for p in (HOME / "notes").glob("*.md")} == set(LABS)


@pytest.mark.parametrize("lab", LABS)
def test_every_exercise_has_a_solution_a_check_and_practice_beside_it(lab):
    cells = list(code_cells(book(HOME / f"{lab}.ipynb")))
    solved = solutions(lab)
    ids = {e.id for e in open_lab(lab).exercises}
    for exercise in open_lab(lab).exercises:
        assert find_last_binding(solved, exercise.name)
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
            assert "TODO" in text_of(cell)


@pytest.mark.parametrize("lab", LABS)
def test_slides_begin_at_headings_leave_no_text_out_and_hold_no_solution(lab):
    path = HOME / f"{lab}.ipynb"
    shown = list(slides.make_cells(nbformat.read(path, as_version=4)))
    left_out = tagged(path, "solution")
    texts = [
        text_of(c)
        for c in book(path)["cells"]
        if c["cell_type"] == "markdown" and c not in left_out
    ]
    pieces = [c for c in shown if c.cell_type == "markdown"]
    assert "".join(c.source for c in pieces) == "".join(texts)
    kinds = Counter(c.metadata.slideshow.slide_type for c in pieces)
    lines = "\n".join(texts).split("\n")
    assert kinds["slide"] == sum(line.startswith(("# ", "## ")) for line in lines) > 3
    assert kinds["subslide"] == sum(bool(re.match(r"\*\*(Exer|Prac)", line)) for line in lines)
    assert not {text_of(c) for c in left_out} & {c.source for c in shown}


@pytest.mark.slow
def test_a_lab_becomes_slides_with_its_results(tmp_path):
    (path,), failures = slides.write_slides(tmp_path, ("lab_06",))
    assert failures == []
    page = path.read_text()
    assert page.count("<section") > 6
    assert "jp-OutputArea-output" in page
    assert re.findall(r"(?:src|href)=[\"'](?!#|data:)|@import|url\(http", page) == []


def test_a_stub_keeps_the_head_and_drops_the_helpers():
    cell = '# do it\nimport os\nhelp = 3\ndef f(a):\n    """Says."""\n    return help\nx = f(1)\n'
    assert marking.make_stub(cell, {"f", "x"}).split("\n") == [
        "# do it",
        "import os",
        "",
        "",
        "def f(a):",
        '    """Says."""',
        "    ...  # TODO: your answer",
        "x = ...  # TODO: your answer",
        "",
    ]


def test_variants_depend_on_the_seed_and_stand_in_the_copies(tmp_path):
    names = tmp_path / "names"
    names.write_text("ada\nben\neve\n")
    secret = "the first secret"
    (tmp_path / "secret").write_text(secret)
    out = build(tmp_path / "out", "--variants", names, "--secret", tmp_path / "secret")
    given = marking.read_variants(out / "lecturer" / "variants.csv")
    assert given == marking.draw_variants(["ada", "ben", "eve"], secret)
    assert given != marking.draw_variants(["ada", "ben", "eve"], "another secret")
    for name, variant in given.items():
        cells = "".join(code_cells(book(out / "students" / name / "lab_02.ipynb")))
        assert f"variant: int = {marking.seal_variant(variant, secret, 'lab_02')} " in cells
    with pytest.raises(KitError, match="not empty"):
        marking.build_copies(out)


def test_a_page_of_notes_has_what_a_lecturer_asks_for_and_names_what_no_seal_changes():
    for lab in LABS:
        page = marking.make_notes(lab)
        for part in ("Objectives", "Timing", "Preparation", "Pitfalls", "Questions", "Marking"):
            assert f"## {part}" in page
        assert "CWE Top 25" in page
        assert "Every installed kit holds these solutions" in page
        for exercise in open_lab(lab).exercises:
            assert exercise.name in page
            (row,) = [r for r in page.splitlines() if r.startswith(f"| {exercise.id} |")]
            assert row.endswith(f"| {exercise.seal.text if exercise.seal else 'nothing'} |")
    whole = [e for lab in LABS for e in open_lab(lab).exercises if e.points and not e.seal]
    assert {e.name for e in whole} == {"prediction", "own_task"}


def test_a_sealed_copy_says_what_it_changes_and_keeps_the_secret(tmp_path):
    keep = tmp_path / "secret"
    out = build(tmp_path / "out", "--secret", keep)
    secret = marking.read_secret(keep)
    for lab in LABS:
        variant = marking.seal_variant(0, secret, lab)
        text = (out / "students" / f"{lab}.ipynb").read_text()
        cells = "".join(code_cells(json.loads(text)))
        assert f"variant: int = {variant} " in cells
        assert secret not in text
        texts = [text_of(c) for c in json.loads(text)["cells"] if c["cell_type"] == "markdown"]
        for exercise in open_lab(lab).exercises:
            assert exercise.describe_change(variant) in cells
            assert bool(exercise.describe_change(variant)) == bool(exercise.seal)
            (stated,) = [t for t in texts if f"Exercise {exercise.id} (" in t] or [""]
            assert exercise.describe_change(variant) in stated
    again = build(tmp_path / "again", "--secret", keep)
    for path in (out / "students").glob("*.ipynb"):
        assert (again / "students" / path.name).read_text() == path.read_text()
    keep.write_text("short")
    with pytest.raises(KitError, match="holds no secret"):
        marking.read_secret(keep)


def test_values_are_alike_only_in_kind():
    assert are_alike([1, {"a": 0.1 + 0.2}], [1.0, {"a": 0.3}])
    for pair in ((1, True), (None, 0), ([1], [1, 1]), ("1", 1), ({"a": 1}, {}), ([], "")):
        assert not are_alike(*pair)


def test_c_that_could_switch_the_sanitizer_off_is_not_compiled():
    for line in (
        'asm("nop");',
        "__attribute__((x))",
        "#define a b",
        "#include <stdio.h>",
        "exit(0)",
        "int \\\nmain",
        '#include "driver.c"',
        "_Pragma(1)",
    ):
        assert lab_05.allowed(lab_05.DECODE_MENDED + line)
    assert lab_05.allowed(lab_05.DECODE_MENDED) == ""


def test_a_folder_that_holds_no_copies_is_refused(tmp_path):
    with pytest.raises(KitError, match="No student's folder"):
        marking.mark_class(tmp_path, seed="s")
    (tmp_path / "ada").symlink_to(SUBMISSIONS / "ada")
    with pytest.raises(KitError, match="is no student's folder"):
        marking.mark_class(tmp_path, seed="s")


def test_a_broken_or_a_missing_notebook_earns_nothing_and_says_why(tmp_path):
    for name, text in (("ann", "{"), ("bob", "[]"), ("cal", '{"cells": [1, {"source": 3}]}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "lab_06.ipynb").write_text(text)
    (tmp_path / "dan").mkdir()
    rows = marking.mark_class(tmp_path, seed="s", only=["lab_06"]).exercises
    assert set(rows["points"]) == {0}
    first = rows.drop_duplicates("student").set_index("student")["off"]
    assert first["ann"] == first["bob"] == "the file is no notebook"
    assert first["cal"] == "no cell that can be read defines possible"
    assert first["dan"] == "not handed in"


@pytest.fixture
def handed_in(tmp_path):
    """Two students, one lab: ann's notebook cannot be read, and dan handed in nothing."""
    folder = tmp_path / "handed_in"
    for name in ("ann", "dan"):
        (folder / name).mkdir(parents=True)
    (folder / "ann" / "lab_06.ipynb").write_text("{")
    return folder


def test_only_labs_that_were_set_count(handed_in):
    marks = marking.mark_class(handed_in, seed="s")
    assert set(marks.exercises["lab"]) == {"lab_06"}
    assert list(marks.by_student()["maximum"]) == [18, 18]
    named = marking.mark_class(handed_in, seed="s", only=["lab_01", "lab_06"])
    assert list(named.by_student()["maximum"]) == [33, 33]
    (handed_in / "ann" / "lab_06.ipynb").unlink()
    with pytest.raises(KitError, match="No lab was handed in"):
        marking.mark_class(handed_in, seed="s")


def check(folder, target, *options):
    return invoked("course", "check", folder, "--seed", "s", "--csv", target, "--json", *options)


def test_marks_by_hand_win_and_are_kept(handed_in, tmp_path):
    target = tmp_path / "book.csv"
    assert check(handed_in, target).exit_code == 0
    table = pd.read_csv(target, dtype=str, keep_default_na=False)
    ids = ["6.1", "6.2", "6.3", "6.4", "6.5"]
    columns = [f"lab_06 {id}{end}" for id in ids for end in ("", " by hand")]
    assert list(table.columns) == ["student", *columns, "total", "maximum", "percent", "late"]
    table.loc[0, ["lab_06 6.1 by hand", "lab_06 6.5 by hand"]] = ["1,5", "4"]
    table.to_csv(target, index=False)
    for _ in range(2):
        done = check(handed_in, target)
        assert [row["total"] for row in json.loads(done.stdout)["students"]] == [5.5, 0]
        again = pd.read_csv(target)
        assert list(again["lab_06 6.1"]) == [0, 0]
        assert list(again["lab_06 6.5 by hand"].fillna(-1)) == [4, -1]
        assert list(again["total"]) == [5.5, 0]


def test_the_total_is_weighted_and_a_late_copy_is_named(tmp_path):
    assert set(gradebook.read_weights(gradebook.WEIGHTS, LABS)) == set(LABS)
    table = tmp_path / "weights.csv"
    table.write_text("lab,weight,due\nlab_01,3,2027-03-05\nlab_06,1,2027-03-05 18:00\n")
    weights = gradebook.read_weights(table, ["lab_01", "lab_06"])
    assert weights["lab_01"].due - weights["lab_06"].due == timedelta(hours=6)
    rows = [("ann", "lab_01", "1.1", 5, None, 10), ("ann", "lab_06", "6.1", 1, 8, 8)]
    columns = ["student", "lab", "exercise", "points", "by_hand", "of"]
    exercises = pd.DataFrame(rows, columns=columns)
    marks = gradebook.Marks(exercises, pd.DataFrame({"student": [], "words": []}), weights)
    assert list(marks.by_student()["percent"]) == [100 * (3 * 5 / 10 + 8 / 8) / 4]
    path = tmp_path / "class" / "ann" / "lab_06.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    for second, late in ((0, ""), (1, "lab_06")):
        os.utime(path, (0, weights["lab_06"].due.timestamp() + second))
        found = marking.mark_class(tmp_path / "class", seed="s", weights=table)
        assert list(found.by_student()["late"]) == [late]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lab_06,x,", "line 2"),
        ("lab_06,1,soon", "line 2"),
        ("lab_06,0,", "weigh nothing"),
        ("lab_01,1,", "what lab_06 weighs"),
        ("lab_06,1,\nlab_01,-1,", "negative"),
    ],
)
def test_a_table_of_weights_that_cannot_be_used_is_refused(tmp_path, text, sentence):
    (tmp_path / "w.csv").write_text(f"lab,weight,due\n{text}\n")
    with pytest.raises(KitError, match=sentence):
        gradebook.read_weights(tmp_path / "w.csv", ["lab_06"])


MOODLE = """\ufeff"First name",Surname,"Email address","Assignment: lab_06 (Real)","Course total"
Ann,Able,ann+1@example.org,-,-
Dan,"Doe, jr",dan@example.org,-,3.00
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,lab_06 (4711),Current Score
    Points Possible,,,,,100,(read only)
"Able, Ann",1,s1,ann+1@example.org,A,,
"Doe, Dan",2,s2,dan@example.org,A,,33
"""


@pytest.mark.parametrize(
    ("export", "marks"), [(MOODLE, ["8", "0"]), (CANVAS, ["100", "44.4444", "0"])]
)
def test_a_gradebook_of_moodle_or_canvas_names_the_class_and_takes_its_marks(
    tmp_path, export, marks
):
    book, hand = tmp_path / "export.csv", tmp_path / "hand.csv"
    book.write_text(export)
    out = build(tmp_path / "out", "--variants", book)
    ann, dan = gradebook.read_roster(book)
    assert {p.name for p in (out / "students").iterdir() if p.is_dir()} == {ann, dan}
    for name in (ann, dan):
        for lab in set(LABS) - {"lab_06"}:
            (out / "students" / name / f"{lab}.ipynb").unlink()
    hand.write_text(f"student,maximum,lab_06 6.4 by hand,lab_06 6.5 by hand\n{ann},18,3,5\n")
    done = check(out / "students", hand, "--into", book, "--only", "lab_06,lab_01")
    assert done.exit_code == 0, done.output
    before, after = (
        list(csv.DictReader(t.lstrip("\ufeff").splitlines())) for t in (export, book.read_text())
    )
    column = next(name for name in before[0] if "lab_06" in name)
    assert [row.pop(column) for row in after] == marks
    assert [row.pop("lab_01") for row in after] == ["15", "0", "0"][-len(marks) :]
    assert after == [{k: v for k, v in row.items() if k != column} for row in before]
    book.write_text(export.replace("dan@", "don@"))
    assert "is not in the column" in check(out / "students", hand, "--into", book).stderr


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("lab_06 6.5 by hand", "9"), "Give 0 to 5"),
        (("lab_06 6.5 by hand", "good"), "is no number"),
        (("student", "eve"), "it would get lost"),
        (("maximum", None), "is no gradebook"),
    ],
)
def test_a_gradebook_that_cannot_be_kept_is_refused_and_left_as_it_is(
    handed_in, tmp_path, change, sentence
):
    target = tmp_path / "book.csv"
    check(handed_in, target)
    table = pd.read_csv(target, dtype=str).assign(**{"lab_06 6.1 by hand": "1"})
    column, value = change
    table = table.drop(columns=column) if value is None else table.assign(**{column: value})
    table.to_csv(target, index=False)
    before = target.read_text()
    done = check(handed_in, target)
    assert done.exit_code == 2, done.output
    assert sentence in done.stderr
    assert target.read_text() == before


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_an_answer_copied_from_the_kit_is_wrong_in_a_sealed_copy(box, lab):
    solved = solutions(lab)
    for exercise in (e for e in open_lab(lab).exercises if e.points and e.seal):
        code = find_last_binding(solved, exercise.name)
        for secret in ("the first secret", "another secret"):
            setting = Setting(box, marking.seal_variant(0, secret, lab), seed="drawn")
            found = exercise.check_answer(code, setting)
            assert count_points(found, exercise.points) < exercise.points, (exercise.id, secret)


@pytest.mark.slow
def test_the_first_labs_cells_name_the_programs_and_show_the_attack_on_a_sealed_copy(capsys):
    variant = marking.seal_variant(0, "the first secret", "lab_01")
    program, path = lab_01.target(variant)
    names = {"variant": variant, "attack": f"....//{path.rpartition('/')[2]}"}
    cells = list(code_cells(book(HOME / "lab_01.ipynb")))
    for word in ("open_lab", "render.make_panel", "lab_01.target", "lab_01.with_secret"):
        (cell,) = [cell for cell in cells if word in cell]
        exec(re.sub(r"^HTML\(", "page = HTML(", cell, flags=re.MULTILINE), names)
    assert f"<h4>{program}.py</h4>" in names["page"].data
    assert "returned: Nobody may read this line." in capsys.readouterr().out
    opened = names["run_tests"].list_events(names["seen"])
    assert any(opened["target"].eq(f"/box/{path}") & opened["result"].ge(0))


@pytest.mark.slow
def test_a_cell_that_displays_is_marked_a_wrong_name_is_told_and_a_mark_says_what_was_expected(
    tmp_path,
):
    cells = [
        'attack = "....//private.txt"\nattack?\ndisplay(attack)',
        "def touched_outside(events, folder):\n    return ['never']",
    ]
    copy = {"cells": [{"cell_type": "code", "source": source} for source in cells]}
    for name in ("ann/lab_01.ipynb", "dan/lab_01 (1).ipynb"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(json.dumps(copy))
    done = invoked("course", "check", tmp_path, "--seed", "s", "--json")
    assert "dan/lab_01 (1).ipynb is not marked, because of its name. Rename it" in done.stderr
    rows = json.loads(done.stdout)["exercises"]
    anns = {row["exercise"]: row for row in rows if row["student"] == "ann"}
    assert anns["1.1"]["points"] == 2
    assert anns["1.2"]["off"].startswith("gave ['never']; expected [")


@pytest.mark.slow
@pytest.mark.parametrize("id", ["1.1", "1.3", "2.1", "2.2", "2.3", "4.3", "5.1", "5.3", "6.4"])
def test_an_answer_to_what_a_sealed_copy_asks_is_right(box, id):
    lab = f"lab_0{id[0]}"
    exercise = open_lab(lab).find_exercise(id)
    variant = marking.seal_variant(0, "the first secret", lab)
    (folder, neighbour, private), own = small_task.choose_names(variant), draw_suffix(variant)
    terms = exercise.seal.draw_choices(variant)
    changes = {
        "1.1": [("private.txt", lab_01.target(variant)[1].split("/")[-1])],
        "1.3": [("test_dir/notes", f"test_dir/{folder}")],
        "2.1": [
            ('"notes"', repr(folder)),
            ('"notes-old"', repr(neighbour)),
            ('"private.txt"', repr(private)),
        ],
        "2.2": [("morning.", f"morning{own}."), ("Naples.", f"Naples{own}.")],
        "2.3": [("correct and secure", terms.get("both"))],
        "4.3": [
            (
                "1.959963984540054",
                str(statistics.NormalDist().inv_cdf(0.5 + terms.get("level", 0) / 200)),
            )
        ],
        "5.1": [("%", terms.get("sign"))],
        "5.3": [("'%'", f"'{terms.get('sign')}'")],
        "6.4": [
            ("secure - 1", f"secure - 1 - 2 * {terms.get('off')}"),
            ("min(passed, secure)", f"min(1.0, min(passed, secure) + {terms.get('off')})"),
        ],
    }[id]
    solved = solutions(lab)
    code = find_last_binding(solved, exercise.name)
    for old, new in changes:
        code = code.replace(old, new)
    found = exercise.check_answer(code, Setting(box, variant, seed="drawn"))
    assert [f.text for f in found if not f.ok] == []


@pytest.mark.slow
@pytest.mark.parametrize("lab", LABS)
def test_the_solutions_hold_and_nothing_written_earns_nothing(box, lab):
    solved = solutions(lab)
    given = marking.remove_solutions(book(HOME / f"{lab}.ipynb"), lab)
    empty = list(code_cells(given))
    for exercise in open_lab(lab).exercises:
        code = find_last_binding(solved, exercise.name)
        setting = Setting(box, seed="secret")
        found = exercise.check_answer(code, setting)
        assert [f.text for f in found if not f.ok] == []
        assert count_points(found, exercise.points) == exercise.points
        nothing = exercise.check_answer(find_last_binding(empty, exercise.name), setting)
        assert [f.text for f in nothing] == [f"{exercise.name} is not written yet"]


@pytest.mark.slow
def test_c_that_brings_its_own_memory_does_not_escape_the_sanitizer(box):
    arena = """
    static char all[100000];
    static unsigned long used_up;
    void *malloc(unsigned long n) { used_up += 64 + n; return all + used_up - n; }
    """
    strays = lab_05.DECODE_MENDED.replace("int used = 0;", "int used = 0; out[size + 2] = 0;")
    assert strays != lab_05.DECODE_MENDED
    exercise = open_lab("lab_05").find_exercise("5.3")
    found = exercise.check_answer(f"decode = {arena + strays!r}", Setting(box, seed="secret"))
    assert all("heap-buffer-overflow" in f.text for f in found)


@pytest.mark.slow
def test_a_good_copy_earns_all_and_a_wrong_and_a_cheating_one_nothing(tmp_path):
    target = tmp_path / "marks.csv"
    options = ("--only", "lab_01,lab_04", "--seed", "secret", "--csv", target)
    marked = told("course", "check", SUBMISSIONS, *options)
    students = {row["student"]: row for row in marked["students"]}
    assert {n: r["total"] for n, r in students.items()} == {"ada": 20, "ben": 0, "eve": 0}
    assert {n: r["explanations"] for n, r in students.items()} == {"ada": 2, "ben": 1, "eve": 0}
    assert all(row["off"] for row in marked["exercises"] if row["student"] != "ada")
    book = pd.read_csv(target).set_index("student")
    assert list(book.loc["ada", ["lab_01 1.3", "lab_04 4.4", "total", "maximum"]]) == [5, 1, 20, 30]
