"""C text, functions, edits and their offsets; a small project of our own, written here."""

import hashlib
from pathlib import Path

import pytest

from kit.core import trees
from kit.core.errors import KitError
from kit.core.trees import Package
from kit.systems.ossbench import extract, mock_models, project, source
from kit.systems.ossbench.project import (
    CProject,
    ProjectProgram,
    TestRun,
    Unit,
    open_adapter,
    pinned_package,
)
from kit.systems.ossbench.suite import CProjectSettings, CProjectSuite

SQLITE, CJSON = (open_adapter(name)(Path()) for name in ("sqlite", "cjson"))
LIB = (Path(__file__).parents[1] / "files/library.c").read_text()


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KIT_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def small(tmp_path):
    (tmp_path / "lib.c").write_text(LIB + "/* caf\xe9 */ int last(void) { return 3 + 4 + 5; }\n")
    (tmp_path / "lib.h").write_text("static inline int twice(int x) { return x + x + 0; }\n")
    (tmp_path / "main.c").write_text('#include "lib.h"\nint main(void) { return twice(0); }\n')
    units = (Unit("lib.c", ("-DX=1",)), Unit("main.c"))
    program = ProjectProgram("main", ("lib.c", "main.c"))
    return CProject(
        "small",
        tmp_path,
        units,
        (program,),
        (TestRun("t", "main"),),
        edited=lambda p: p != "main.c",
        parse=lambda *_: {},
    )


@pytest.fixture
def table(small):
    return extract.find_functions(small, tokens=(0, 1000))


def test_every_definition_is_found_whatever_stands_around_it():
    found, balanced = source.find_definitions(LIB)
    assert balanced
    names = [next(n for n, _ in reversed(d.names) if n.islower()) for d in found]
    assert names == ["add", "choose", "nothing", "many", "both"]
    assert [d.end - d.start for d in found] == [len(LIB[d.start : d.end]) for d in found]
    assert all(LIB[d.open] == "{" and LIB[d.end - 1] == "}" for d in found)


@pytest.mark.parametrize("text", ["int f( {", "int f(void) { if (1) { }", "int f(void) { } }", '"'])
def test_unbalanced_text_is_told(text):
    found, balanced = source.find_definitions(text)
    assert not balanced or not found


def test_structures_and_initialisers_are_no_functions():
    text = "struct s { int a; }; int t[] = { 1, 2 }; enum e { A, B }; int f(int x);"
    assert source.find_definitions(text) == ([], True)


def test_libclang_finds_what_stands_in_the_tree_at_its_offsets(small, table):
    assert list(table["name"]) == ["add", "choose", "nothing", "many", "both", "last", "twice"]
    for row in table.itertuples():
        text = source.text_of(small.tree / row.path)
        assert text[row.start : row.end] == row.original_function
        assert text.splitlines()[row.line - 1][row.column - 1 :].startswith(
            row.original_function.splitlines()[0][:10]
        )
    add = table.iloc[0]
    assert add["comment"].startswith("/* Adds two")
    assert add["parameters"] == '["a", "b"]'
    assert list(table["variadic"]) == [False] * 3 + [True] + [False] * 3


def test_a_header_is_read_by_all_that_include_it(small, table):
    assert table.set_index("name").loc["twice", "units"] == '["lib.c", "main.c"]'
    assert [u.source for u in small.affected_units("lib.h", ("lib.c", "main.c"))] == [
        "lib.c",
        "main.c",
    ]
    assert [u.source for u in small.affected_units("lib.c", ("lib.c",))] == ["lib.c"]


def test_tokens_bound_the_table(small, table):
    some = extract.find_functions(small, tokens=(18, 30))
    assert 0 < len(some) < len(table)
    assert some["token_number"].between(18, 30).all()


def test_words_bound_the_table_and_move_no_functions_number(small, table):
    some = extract.find_functions(small, tokens=(8, 14), words=True)
    counts = [len(text.split()) for text in some["original_function"]]
    assert 0 < len(some) < len(table)
    assert min(counts) >= 8
    assert max(counts) < 14
    numbers = dict(zip(table["name"], table["function_index"], strict=True))
    assert numbers | dict(zip(some["name"], some["function_index"], strict=True)) == numbers


def test_a_source_that_does_not_parse_is_an_error(small):
    (small.tree / "main.c").write_text("int main(void) { return }")
    with pytest.raises(KitError, match=r"main\.c does not parse"):
        extract.find_functions(small)


def test_the_answer_must_define_the_one_function():
    good = "Here:\n#include <a.h>\nint add(int a, int b) { return a + b; }"
    assert source.function_in("int add(int a, int b) { return a; }", "add")[1] == ""
    kept = source.function_in(good.partition("\n")[2], "add")[0]
    assert kept.startswith("#include <a.h>\n\nint add")
    for answer, said in [
        ("int sub(int a) { return a; }", "defines sub, not add"),
        ("int add(int a) { return a; } int add(int a) { return 0; }", "defines add 2 times"),
        ("int add(int a) { return a;", "not balanced"),
        ("", "defines no function"),
        ("/*" + "x" * source.MOST_CHARS + "*/ int add(int a) {}", "at most 50,000 are read"),
    ]:
        text, why = source.function_in(answer, "add")
        assert text == ""
        assert said in why


@pytest.mark.parametrize(
    ("helpers", "kept"),
    [
        ("int h(int a) { return a; }", "static int h(int a) { return a; }"),
        ("extern int h(int a) { return a; }", "static int h(int a) { return a; }"),
        ("static inline int h(int a) { return a; }", "static inline int h(int a) { return a; }"),
        ("int idle(int a) { return a; }\nint add2(void) { return 0; }", ""),
        ("int twice(int a) { return h(a); }", ""),
    ],
)
def test_a_helper_that_the_function_needs_is_kept_before_it_and_static(helpers, kept):
    wanted = "int add(int a) { return h(a) + twice(a); }"
    for answer in (f"{helpers}\n{wanted}", f"int h(int);\n{wanted}\n{helpers}"):
        text, why = source.function_in(answer, "add", {"twice", "main"})
        assert why == ""
        assert text == (f"{kept}\n\n{wanted}" if kept else wanted)


def test_a_helper_of_a_helper_is_kept_too():
    answer = "int b(void){return 1;} int a(void){return b();} int add(void){return a();}"
    assert source.function_in(answer, "add")[0].count("static") == 2


def test_a_longer_limit_moves_no_functions_number(small):
    long = "int long_one(int a) { return a" + " + a" * 130 + "; }\n"
    longer = long.replace("long_one", "longer_one").replace(" + a;", " + a + a;")
    path = small.tree / "lib.c"
    path.write_text(path.read_text().replace("/* Adds", longer + long + "/* Adds"))
    short, all_ = (extract.find_functions(small, tokens=(0, most)) for most in (256, 1000))
    assert list(all_["name"]) == [*short["name"], "long_one", "longer_one"]
    assert list(all_["function_index"]) == list(range(len(all_)))


def test_equal_texts_are_replaced_at_their_offsets_only():
    text = "int a(void){return 1;}\n/* int a(void){return 1;} */\n"
    one = source.Edit(0, "a", "x.c", 0, 22, "int a(void){return 1;}", "int a(void){return 2;}")
    assert source.apply_edits(text, [one]) == text.replace("1", "2", 1)
    with pytest.raises(KitError, match="does not hold a"):
        source.apply_edits("\n" + text, [one])


def test_edits_of_one_file_do_not_move_each_other():
    a = source.Edit(0, "a", "x", 0, 1, "A", "long text")
    b = source.Edit(1, "b", "x", 2, 3, "B", "b")
    assert (
        source.apply_edits("A B C", [a, b])
        == source.apply_edits("A B C", [b, a])
        == "long text b C"
    )


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("a\nb", "a\nb", 0),
        ("a\nb", "a\nc", 1),
        ("a", "a\nb\nc", 2),
        ("a\nb\nc", "", 3),
        ("a  \nb", "a\nb", 0),
    ],
)
def test_delta_counts_differing_lines(old, new, lines):
    assert source.changed_lines(old, new) == lines


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [("a\nb", "a\nb", 0), ("a\nb", "a\nc", 2), ("a", "\na\nb\nc\n", 2), ("a\nb\nc", "", 3)],
)
def test_the_released_delta_counts_a_replaced_line_twice(old, new, lines):
    assert source.differing_lines(old, new) == lines


def test_the_example_of_figure_2_has_three_lines_here_and_six_there():
    old, new = (
        "static T *f(I *iter){\n H *hooked = (H*)iter;\n fetch(iter);\n return &hooked->data;\n}",
        "static inline T *f(I *iter) {\n if (!iter) return NULL;\n fetch(iter);\n"
        " return &((H *)iter)->data;\n}",
    )
    assert source.changed_lines(old, new) == 3
    assert source.differing_lines(old, new) == 6


@pytest.mark.parametrize("arm", source.ARMS)
def test_every_prompt_asks_for_this_function(table, arm):
    messages = source.build_messages(table.iloc[0], arm=arm)
    assert [m["role"] for m in messages] == ["system", "user"]
    assert "add(int a, int b)" in messages[1]["content"]
    assert ("int sum" in messages[1]["content"]) == (arm != "synthesis")
    assert "{" + "function}" not in messages[1]["content"]


def test_the_saboteur_keeps_its_rates_and_says_what_it_seeds():
    texts = [f"int f{n}(int a) {{ return a + {n}; }}" for n in range(4000)]
    kinds = [mock_models.choose_fault(t) for t in texts]
    for kind, share in mock_models.RATES.items():
        assert abs(kinds.count(kind) / 40 - share) < 2.5
    for text, kind in zip(texts[:200], kinds, strict=False):
        edited = mock_models.Editor("saboteur").edit(text)
        assert (edited == text) == (kind == "none")
        assert source.function_in(edited, text[4 : text.index("(")])[1] == ""


def test_identity_changes_nothing_and_hands_only_what_they_name(tmp_path):
    text, better = "static int f(int a) { return a; }", "static int f(int a) { return +a; }"
    (tmp_path / "f.c").write_text(better)
    assert mock_models.Editor("identity").edit(text) == text
    assert mock_models.Editor(f"hands:{tmp_path}").edit(text) == better
    assert mock_models.Editor(f"hands:{tmp_path}").edit("int g(void) { }") == "int g(void) { }"


def test_a_file_with_another_hash_is_refused():
    package = Package("x", "1", {"x.dsc": hashlib.sha256(b"good").hexdigest()})
    folder = trees.cache_root() / "sources" / "x-1"
    folder.mkdir(parents=True)
    (folder / "x.dsc").write_bytes(b"good")
    assert trees.fetch_package(package) == folder
    (folder / "x.dsc").write_bytes(b"evil")
    with pytest.raises(KitError, match="not the pinned"):
        trees.fetch_package(package)


def test_another_revision_of_the_same_upstream_source_is_that_source():
    pinned = {"x_1.orig.tar": hashlib.sha256(b"good").hexdigest(), "x_1-1.dsc": "0"}
    folder = trees.cache_root() / "sources" / "x-1-1ubuntu2"
    folder.mkdir(parents=True)
    (folder / "x_1.orig.tar").write_bytes(b"good")
    (folder / "x_1-1ubuntu2.dsc").write_bytes(b"theirs")
    assert trees.fetch_package(Package("x", "1-1", pinned)) == folder
    assert trees.fetch_package(Package("x", "1-1ubuntu2")) == folder


def test_a_machine_without_debians_tools_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KitError, match="apt-get install apt dpkg-dev"):
        trees.unpack_package(pinned_package("cjson"))


@pytest.mark.slow
def test_a_version_that_no_archive_has_is_told_with_those_that_it_has():
    with pytest.raises(KitError, match=r"no cjson 0-0; they have .*--source-version"):
        trees.fetch_package(Package("cjson", "0-0"))


def test_another_source_version_is_an_arm_and_a_stored_run_keeps_its_own():
    settings = CProjectSettings(source_version="1.7.18-3")
    assert settings.arm == {"prompt": "improve", "project": "cjson", "source_version": "1.7.18-3"}
    assert (
        CProjectSettings(source_version=pinned_package("cjson").version).arm
        == CProjectSettings().arm
    )
    meta = {"version": "1.7.18-3", "settings": {"project": "cjson"}}
    assert CProjectSuite().read_settings(meta)["source_version"] == "1.7.18-3"


def test_a_checkout_is_copied_and_named_by_its_contents(tmp_path):
    tree = tmp_path / "mine"
    tree.mkdir()
    (tree / "a.c").write_text("int a;")
    first = project.checkout_copy(tree)
    assert first == project.checkout_copy(tree)
    assert (first / "a.c").read_text() == "int a;"
    (tree / "a.c").write_text("int b;")
    assert project.checkout_copy(tree) != first


@pytest.mark.parametrize("kind", mock_models.RATES)
def test_a_seeded_fault_is_read_back_from_the_edit(kind):
    for text in ("int f(int a) {\n    return a;\n}", "void g(void) { if (x) { return; } }"):
        assert mock_models.fault_in(mock_models.sabotage(text, kind)) == kind


def test_a_script_of_sqlite_counts_with_its_own_count_only():
    lines, count = "a-1... Ok\na-2...\n! a-2 expected: [1]\n", "1 errors out of {} tests on x\n"
    assert SQLITE.read_results("a", lines + count.format(3)) == {"a/a-1": True, "a/a-2": False}
    for text in (lines, lines + count.format(1), lines + 2 * count.format(3)):
        assert SQLITE.read_results("a", text) == {"a/a-1": False, "a/a-2": False}


def test_unitys_lines_must_add_up_to_its_count():
    lines = "tests/a.c:1:one:PASS\ntests/a.c:2:two:FAIL: because\ntests/a.c:3:three:IGNORE\n"
    count = "\n-----------------------\n{} Tests {} Failures 1 Ignored \nFAIL\n"
    good = {"a/one": True, "a/two": False}
    assert CJSON.read_results("a", lines + count.format(3, 1)) == good
    bad = dict.fromkeys(good, False)
    assert (
        CJSON.read_results("a", lines)
        == CJSON.read_results("a", lines + 2 * count.format(3, 1))
        == bad
    )
    assert CJSON.read_results("a", lines + count.format(2, 1)) == bad
    assert CJSON.read_results("a", lines + count.format(3, 0)) == bad
    twice = lines + "tests/a.c:2:two:PASS\n"
    assert CJSON.read_results("a", twice + count.format(4, 1)) == good
