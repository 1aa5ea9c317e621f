"""A method goes into its file by syntax tree, and the tests' reports cannot be forged."""

from pathlib import Path

import pytest

from kit.errors import KitError
from kit.sandbox import open_sandbox
from kit.systems.realsec.instance import locate, replace
from kit.systems.realsec.testing import Builder

SOURCE = (Path(__file__).parent / "files/Outer.java").read_text()
NEW = {
    ("a.b.Outer", "int f(int)"): "@Override\nint f(int y) { return y + 1; }",
    ("a.b.Outer", "int f(long)"): "int f(final long x) { return (int) x; }",
    (
        "a.b.Outer",
        "<K> List<K> f(Map<String, ? super K>, K...)",
    ): "public <K> List<K> f(Map<String,? super K> m, K... k) throws Exception"
    " { return List.of(k).stream().map(x -> { return x; }).toList(); }",
    ("a.b.Outer", "Outer(int)"): "Outer(int x) { super(); }",
    ("a.b.Outer$Inner", "int f(int)"): "int f(int x) { class L { int f(int x) { return 1; } }"
    " return new L().f(x); }",
    ("a.b.Outer$Inner", "void run()"): 'void run() { String s = """\n  } { "\n  """; }',
    ("a.b.Outer$Kind", "String größe(char[])"): 'String größe(char zeichen[]) { return "€𝄞"; }',
}


@pytest.mark.parametrize(("where", "answer"), NEW.items(), ids=lambda v: str(v)[:40])
def test_only_the_method_changes(where, answer):
    old = locate(SOURCE, *where)
    done = replace(SOURCE, *where, answer)
    assert done.error == ""
    data = SOURCE.encode()
    assert done.source.encode() == data[: old.start] + answer.encode() + data[old.end :]
    assert done.method == locate(done.source, *where)
    assert replace(done.source, *where, old.text).source == SOURCE


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("int f(int x) { return x", "does not parse"),
        ("int f(int x) { return x; } }", "does not parse"),
        ("int f(int x) { return x; } } class More {", "closes the class"),
        ("int f(int x) { return x; } int g() { return 1; }", "not one method but 2"),
        ("int h(int x) { return x; }", "h(int), not f(int)"),
        ("int f(Integer x) { return x; }", "f(Integer), not f(int)"),
        ("Here is the method.", "does not parse"),
        ("", "not one method but 0"),
    ],
)
def test_what_is_not_the_method_is_an_error_of_the_answer(answer, said):
    done = replace(SOURCE, "a.b.Outer", "int f(int)", answer)
    assert said in done.error
    assert done.source == ""


def test_imports_before_the_method_go_to_the_imports_and_lines_stay():
    answer = "import java.util.Set;\nimport java.util.List;\n\nint f(int x) { return 1; }"
    done = replace(SOURCE, "a.b.Outer", "int f(int)", answer)
    assert "import java.util.List; import java.util.Set;\n" in done.source
    assert done.method.first_line == locate(SOURCE, "a.b.Outer", "int f(int)").first_line


def test_what_callers_see_is_compared():
    def same(answer):
        return replace(SOURCE, "a.b.Outer", "int f(int)", answer).same_interface

    assert same("@SafeVarargs synchronized int f(final int y) { return y; }")
    assert not same("private int f(int x) { return x; }")
    assert not same("long f(int x) { return x; }")
    assert not same("int f(int x) throws Exception { return x; }")


def test_a_method_that_is_not_there_is_a_sentence():
    with pytest.raises(KitError, match=r"has 0 methods 'int f\(double\)'"):
        locate(SOURCE, "a.b.Outer", "int f(double)")
    with pytest.raises(KitError, match="no signature"):
        locate(SOURCE, "a.b.Outer", "f of x")


@pytest.fixture(scope="module")
def builder():
    with open_sandbox("bwrap") as box:
        yield Builder(box)


@pytest.fixture
def repository(tmp_path):
    files = {
        "src/main/java/a/A.java": "package a;\npublic class A {\n    public int one() {\n"
        "        return 1;\n    }\n    int two() {\n        return 2;\n    }\n}\n",
        "src/main/java/a/B.java": "package a; class B { int b() { return new A().one(); } }",
        "src/test/java/a/ATest.java": "package a; import static org.junit.jupiter.api.Assertions.*;"
        " import org.junit.jupiter.api.Test; class ATest {"
        " @Test void first() { assertEquals(1, new A().one()); }"
        " @Test void second() { assertEquals(1, new B().b()); } }",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    tmp_path.chmod(0o755)
    return tmp_path


TESTS = ["a.ATest#first", "a.ATest#second"]
FILE = "src/main/java/a/A.java"


def run(builder, repository, body, **options):
    done = replace((repository / FILE).read_text(), "a.A", "int one()", body)
    built = builder.compile(repository, FILE, done.source, same_interface=done.same_interface)
    assert built.ok, built.log
    return builder.test(repository, built, TESTS, **options)


@pytest.mark.slow
def test_tests_are_reported_one_by_one_with_the_lines_that_ran(builder, repository):
    seen = run(builder, repository, "public int one() {\n        return 1;\n    }", cover="a.A")
    assert set(seen.outcomes.values()) == {"pass"}
    assert 4 in seen.lines
    assert 7 not in seen.lines
    seen = run(builder, repository, "public int one() { return 3; }")
    assert set(seen.outcomes.values()) == {"fail"}
    assert "expected: <1> but was: <3>" in seen.messages["a.ATest#first"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "forgery",
    [
        "System.exit(0);",
        "Runtime.getRuntime().halt(0);",
        'System.out.println("\\ttest\\ta.ATest#first\\tpass\\t\\t"); System.exit(0);',
        "try (var out = new java.io.FileOutputStream(java.io.FileDescriptor.out)) {"
        ' out.write("x\\ttest\\ta.ATest#first\\tpass\\t\\t\\n".getBytes()); }'
        " catch (java.io.IOException e) { }",
    ],
)
def test_no_result_is_forged(builder, repository, forgery):
    seen = run(builder, repository, f"public int one() {{ {forgery} return 2; }}")
    assert "pass" not in seen.outcomes.values()


@pytest.mark.slow
def test_a_changed_interface_is_compiled_with_its_callers(builder, repository):
    source = (repository / FILE).read_text()
    done = replace(source, "a.A", "int one()", "public int one() throws Exception { return 1; }")
    built = builder.compile(repository, FILE, done.source, same_interface=done.same_interface)
    assert not built.ok
    assert "B.java" in built.log
    built = builder.compile(repository, FILE, source.replace("return 1;", "return x;"))
    assert not built.ok
    assert "cannot find symbol" in built.log
