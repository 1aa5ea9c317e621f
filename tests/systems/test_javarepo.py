"""A method goes into its file by syntax tree, and the tests' reports cannot be forged."""

import dataclasses
import json
import subprocess
from pathlib import Path

import pytest

from kit.core.errors import KitError
from kit.harness import decoys
from kit.sandbox import open_sandbox
from kit.systems.realsec import testing, tracing
from kit.systems.realsec.instance import locate_method, replace_method
from kit.systems.realsec.repository import Repository
from kit.systems.realsec.testing import Builder

SOURCE = (Path(__file__).parents[1] / "files/Outer.java").read_text()
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
    old = locate_method(SOURCE, *where)
    done = replace_method(SOURCE, *where, answer)
    assert done.error == ""
    data = SOURCE.encode()
    assert done.source.encode() == data[: old.start] + answer.encode() + data[old.end :]
    assert done.method == locate_method(done.source, *where)
    assert replace_method(done.source, *where, old.text).source == SOURCE


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("int f(int x) { return x", "does not parse"),
        ("int f(int x) { return x; } }", "does not parse"),
        ("int f(int x) { return x; } } class More {", "closes the class"),
        ("int f(int x) { return x; } int f(int y) { return 1; }", "f(int) and f(int), not one"),
        ("int h(int x) { return x; }", "h(int), not one f(int)"),
        ("int f(Integer x) { return x; }", "f(Integer), not one f(int)"),
        ("Here is the method.", "does not parse"),
        ("", "no method, not one f(int)"),
    ],
)
def test_what_is_not_the_method_is_an_error_of_the_answer(answer, said):
    done = replace_method(SOURCE, "a.b.Outer", "int f(int)", answer)
    assert said in done.error
    assert done.source == ""


def test_imports_before_the_method_go_to_the_imports_and_lines_stay():
    answer = "import java.util.Set;\nimport java.util.List;\n\nint f(int x) { return 1; }"
    done = replace_method(SOURCE, "a.b.Outer", "int f(int)", answer)
    assert "import java.util.List; import java.util.Set;\n" in done.source
    assert done.method.first_line == locate_method(SOURCE, "a.b.Outer", "int f(int)").first_line


def test_helpers_go_in_beside_the_method_and_what_the_class_has_stays():
    answer = (
        "int f(int x) { return MORE + twice(x); }\nprivate static final int MORE = 1;\n"
        "int twice(int x) { return new Two().of(x); }\nrecord Two() { int of(int x) {\n"
        "return 2 * x; } }\nint f(long x) { return 7; }\nstatic class Inner { }"
    )
    done = replace_method(SOURCE, "a.b.Outer", "int f(int)", answer)
    assert locate_method(done.source, "a.b.Outer", "int twice(int)")
    assert locate_method(done.source, "a.b.Outer$Two", "int of(int)").last_line == done.last_line
    assert done.method == locate_method(done.source, "a.b.Outer", "int f(int)")
    assert "return 7" not in done.source
    assert done.source.count("class Inner") == 1


def test_what_callers_see_is_compared():
    def same(answer):
        return replace_method(SOURCE, "a.b.Outer", "int f(int)", answer).same_interface

    assert same("@SafeVarargs synchronized int f(final int y) { return y; }")
    assert not same("private int f(int x) { return x; }")
    assert not same("long f(int x) { return x; }")
    assert not same("int f(int x) throws Exception { return x; }")


def test_a_method_that_is_not_there_is_a_sentence():
    with pytest.raises(KitError, match=r"has 0 methods 'int f\(double\)'"):
        locate_method(SOURCE, "a.b.Outer", "int f(double)")
    with pytest.raises(KitError, match="no signature"):
        locate_method(SOURCE, "a.b.Outer", "f of x")


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
    return Repository(tmp_path)


POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><groupId>shop</groupId>
<artifactId>all</artifactId><version>1</version><modules><module>core</module><module>web</module>
</modules><properties><greet>1.2</greet><project.build.sourceEncoding>ISO-8859-1
</project.build.sourceEncoding></properties><dependencyManagement><dependencies><dependency>
<groupId>org.acme</groupId><artifactId>greet</artifactId><version>${greet}</version></dependency>
</dependencies></dependencyManagement></project>"""
MODULE = """<project><parent><groupId>shop</groupId><artifactId>all</artifactId><version>1</version>
</parent><artifactId>%s</artifactId><dependencies><dependency><groupId>%s</groupId>
<artifactId>%s</artifactId></dependency></dependencies></project>"""
MAVEN = {
    "p/pom.xml": POM,
    "p/core/pom.xml": MODULE % ("core", "org.acme", "greet"),
    "p/web/pom.xml": MODULE % ("web", "${project.groupId}", "core"),
    "p/core/src/main/java/shop/Core.java": "package shop; public class Core { public String hello("
    'String name) { return org.acme.Greet.hi(name) + "ü"; } }',
    "p/web/src/main/java/shop/Web.java": "package shop; public class Web { record Page<T>(T of) { }"
    ' Page<String> page() { return new Page<>(new Core().hello("bob")); } }',
    "p/web/src/test/java/shop/WebTest.java": "package shop; import org.junit.jupiter.api.*;"
    ' class WebTest { @Test void page() { Assertions.assertEquals("hi bob\\u00fc",'
    " new Web().page().of()); } }",
    "Greet.java": "package org.acme; public class Greet {"
    ' public static String hi(String name) { return "hi " + name; } }',
}


@pytest.mark.slow
def test_a_maven_project_with_one_dependency_is_built_offline(tmp_path):
    for name, text in MAVEN.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "latin-1")
    jars, project, file = tmp_path / "m2", tmp_path / "p", "web/src/main/java/shop/Web.java"
    jar = jars / "org/acme/greet/1.2/greet-1.2.jar"
    jar.parent.mkdir(parents=True)
    with open_sandbox("bwrap") as box:
        builder = Builder(box)
        with pytest.raises(KitError, match=r"p needs org\.acme:greet:1\.2, which is neither in"):
            builder.classes(Repository(project, jars))
        subprocess.run(["javac", "-d", tmp_path / "out", tmp_path / "Greet.java"], check=True)
        subprocess.run(["jar", "cf", jar, "-C", tmp_path / "out", "."], check=True)
        repository = Repository(project, jars)
        for same in (True, False):
            source = repository.read_file(file)
            built = builder.compile(repository, file, source, same_interface=same)
            assert built.ok, built.log
            done = builder.test(repository, built, ["shop.WebTest#page"])
            assert done.outcomes == {"shop.WebTest#page": "pass"}


IMPORTS = "package a; import static org.junit.Assert.*; import org.junit.*;"
RECIPE = {
    "recipe.toml": """
name = "small"
sources = ["source"]
tests = ["check/java"]
resources = ["check/data"]
encoding = "ISO-8859-1"
javac = ["--release", "11"]
java = ["--add-opens", "java.base/java.lang=ALL-UNNAMED", "-Dword=given"]
""",
    "source/a/A.java": "package a; public class A { public int one() { return 1; }"
    ' public String u() { return "ü"; } }',
    "check/data/word.txt": "in the resources",
    "check/java/a/OldTest.java": "package a; import junit.framework.TestCase; public class OldTest"
    " extends TestCase { public void testOne() { assertEquals(1, new A().one()); } }",
    "check/java/a/LaterOldTest.java": "package a; public class LaterOldTest extends OldTest {"
    " public void testTwo() { assertEquals(2, 2 * new A().one()); } }",
    "check/java/a/FourTest.java": IMPORTS + " public class FourTest {"
    " @Test public void one() { assertEquals(1, new A().one()); }"
    " @Test(expected = ArithmeticException.class) public void none() { int x = 1 / 0; } }",
    "check/java/a/FiveTest.java": "package a; import static org.junit.jupiter.api.Assertions.*;"
    " import org.junit.jupiter.api.*; import java.nio.file.*;"
    " import org.junit.jupiter.params.ParameterizedTest;"
    " import org.junit.jupiter.params.provider.ValueSource; class FiveTest {"
    ' @Test void umlaut() { assertEquals("\u00fc", new A().u()); }'
    " @ParameterizedTest @ValueSource(ints = {1, 2}) void each(int n) {"
    " assertEquals(n, n * new A().one()); }"
    " @Nested class Inner { @Test void inner() { assertEquals(1, new A().one()); } }"
    " @Test void files() throws Exception {"
    ' assertEquals("in the resources", Files.readString(Path.of("check/data/word.txt")));'
    ' assertEquals("in the resources", Files.readString(Path.of("target/test-classes/word.txt")));'
    ' assertNotNull(getClass().getResource("/word.txt"));'
    ' Files.writeString(Path.of("target/new.txt"), "x");'
    ' var opened = String.class.getDeclaredField("value"); opened.setAccessible(true);'
    ' assertEquals("given", System.getProperty("word")); } }',
}
STYLES = [
    "a.OldTest#testOne",
    "a.LaterOldTest#testOne",
    "a.LaterOldTest#testTwo",
    "a.FourTest#one",
    "a.FourTest#none",
    "a.FiveTest#umlaut",
    "a.FiveTest#each",
    "a.FiveTest$Inner#inner",
    "a.FiveTest#files",
]


@pytest.mark.slow
def test_tests_of_junit_3_4_and_5_run_in_the_tree_as_a_recipe_says(builder, tmp_path):
    for name, text in RECIPE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "latin-1")
    repository = Repository(tmp_path)
    file = "source/a/A.java"
    built = builder.compile(repository, file, repository.read_file(file))
    assert built.ok, built.log
    seen = builder.test(repository, built, STYLES, cover="a.A")
    assert seen.outcomes == dict.fromkeys(STYLES, "pass"), seen.messages
    assert seen.lines
    for test in STYLES[:5]:  # a copy of each of these kinds of class must be able to fail
        decoyed = builder.test(repository, built, [test])
        assert {told["passed"] for told in decoyed.decoys} == {False}
    broken = repository.read_file(file).replace("return 1;", "return 3;")
    failed = builder.test(repository, builder.compile(repository, file, broken), STYLES)
    passed = {test for test, outcome in failed.outcomes.items() if outcome == "pass"}
    assert passed == {"a.FourTest#none", "a.FiveTest#umlaut", "a.FiveTest#files"}
    traced = builder.trace(repository, ["a.FourTest", "a.LaterOldTest"], prefix="a")
    tests = tracing.read_reports(traced.channel.decode())
    assert {t.name: bool(t.executed.get("a.A")) for t in tests} == {
        "a.FourTest#one": True,
        "a.FourTest#none": False,
        "a.LaterOldTest#testOne": True,
        "a.LaterOldTest#testTwo": True,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sources = 'src'", "sources is no list"),
        ("source = ['src']", "unknown key 'source'. Known keys: name"),
        ("archive = 'pool/x.orig.tar.xz'", "an archive without its sha256"),
        ("name = ", "is not TOML"),
    ],
)
def test_a_recipe_that_cannot_be_read_says_what_to_mend(tmp_path, text, said):
    (tmp_path / "recipe.toml").write_text(text)
    with pytest.raises(KitError, match=said):
        Repository(tmp_path).read_sources()


TESTS = ["a.ATest#first", "a.ATest#second"]
FILE = "src/main/java/a/A.java"


def run(builder, repository, body, **options):
    done = replace_method(repository.read_file(FILE), "a.A", "int one()", body)
    built = builder.compile(repository, FILE, done.source, same_interface=done.same_interface)
    assert built.ok, built.log
    return builder.test(repository, built, TESTS, **options)


@pytest.mark.slow
def test_tests_are_reported_one_by_one_with_the_lines_that_ran(builder, repository):
    seen = run(builder, repository, "public int one() {\n        return 1;\n    }", cover="a.A")
    assert set(seen.outcomes.values()) == {"pass"}
    assert [told["passed"] for told in seen.decoys] == [False] * decoys.DECOYS
    assert 4 in seen.lines
    assert 7 not in seen.lines
    seen = run(builder, repository, "public int one() { return 3; }")
    assert set(seen.outcomes.values()) == {"fail"}
    assert "expected: <1> but was: <3>" in seen.messages["a.ATest#first"]


NAMES = 'java.nio.file.Files.readString(java.nio.file.Path.of("/proc/self/cmdline"))'
TELL = f"""for (String test : {NAMES}.split("\\0"))
        if (test.contains("#"))
            out.write((WORD + "test\\t" + test + "\\tpass\\t\\t\\n").getBytes());"""
REPORTS = f"""
    try (var out = new java.io.FileOutputStream(java.io.FileDescriptor.out)) {{
        {TELL.replace("WORD", '""')}
    }} catch (java.io.IOException e) {{ }}"""
MEMORY = r"""
    try (var memory = new java.io.RandomAccessFile("/proc/self/mem", "r");
            var maps = new java.io.BufferedReader(new java.io.FileReader("/proc/self/maps"));
            var out = new java.io.FileOutputStream(java.io.FileDescriptor.out)) {
        for (String line : maps.lines().toList()) {
            String[] ends = line.split("[- ]");
            long first = Long.parseUnsignedLong(ends[0], 16);
            long size = Long.parseUnsignedLong(ends[1], 16) - first;
            if (!ends[2].startsWith("rw") || size > 600L << 20) continue;
            byte[] bytes = new byte[(int) Math.min(size, 64 << 20)];
            memory.seek(first);
            try { memory.readFully(bytes); } catch (java.io.IOException e) { continue; }
            var text = new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
            var word = java.util.regex.Pattern.compile("(?<![0-9a-f])[0-9a-f]{32}\n");
            for (var found = word.matcher(text); found.find();) { FOUND }
        }
    } catch (java.io.IOException e) { }
    System.exit(0);""".replace("FOUND", TELL.replace("WORD", 'found.group().trim() + "\\t"'))


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
        MEMORY,
    ],
)
def test_no_result_is_forged(builder, repository, forgery):
    seen = run(builder, repository, f"public int one() {{ {forgery} return 2; }}")
    assert "pass" not in seen.outcomes.values()
    assert not any(told["passed"] for told in seen.decoys)


@pytest.mark.slow
@pytest.mark.parametrize(
    "way",
    [
        "REPORTS System.exit(0);",
        "REPORTS if (true) throw new Error();",
        "new Thread(() -> { REPORTS Runtime.getRuntime().halt(0); }).start(); while (a()) { }",
        "Runtime.getRuntime().addShutdownHook(new Thread(() -> { REPORTS })); System.exit(0);",
        "if (a()) for (Thread t : Thread.getAllStackTraces().keySet()) { REPORTS t.interrupt(); }",
    ],
)
def test_who_passes_what_must_fail_has_forged(builder, repository, way):
    body = way.replace("a()", "System.nanoTime() != 0").replace("REPORTS", REPORTS)
    seen = run(builder, repository, f"public int one() {{ {body} return 2; }}")
    assert {*seen.outcomes.values()} == {"pass"}
    reports = [{"outcomes": seen.outcomes, "messages": {}}, *seen.decoys]
    channel = "\n".join(map(json.dumps, reports)).encode()
    evidence = dataclasses.replace(seen.evidence, channel=channel)
    verdict = testing.judge_evidence("exploit", TESTS, evidence)
    assert (verdict.outcome, verdict.reason) == ("fail", "forged")


@pytest.mark.slow
def test_a_changed_interface_is_compiled_with_its_callers(builder, repository):
    source = repository.read_file(FILE)
    done = replace_method(
        source, "a.A", "int one()", "public int one() throws Exception { return 1; }"
    )
    built = builder.compile(repository, FILE, done.source, same_interface=done.same_interface)
    assert not built.ok
    assert "B.java" in built.log
    built = builder.compile(repository, FILE, source.replace("return 1;", "return x;"))
    assert not built.ok
    assert "cannot find symbol" in built.log
