"""Drafts of instances: what tests reach, what may be weak in it, and who says so."""

import dataclasses
import json
import re
import shutil
from pathlib import Path

import pytest

from kit.cli.instances import find_recipe
from kit.core.errors import KitError
from kit.core.records import Finding
from kit.generation.models import open_role
from kit.generation.structured import Asker
from kit.sandbox import open_sandbox
from kit.systems.realsec import draft, reaching, tracing
from kit.systems.realsec import instance as instances
from kit.systems.realsec.instance import find_methods
from kit.systems.realsec.repository import Repository
from kit.systems.realsec.testing import LIMITS, Builder
from kit.systems.realsec.tracing import TracedTest, Traces
from tests.support.commands import invoked, told
from tests.support.wire import Reply, Server, question

SHELF = """package a;

import java.io.File;

public class Shelf {
    private static final File HOME = new File(".");
    private int count;

    public long size(String name) {
        return measure(name);
    }

    private long measure(String name) {
        File file = find(name, 0);
        if (file == null) {
            return 0;
        }
        count++;
        long size = file.length();
        return size;
    }

    File find(String name, int depth) {
        File file = new File(HOME, name);
        if (file.exists() || depth > 1) {
            byte[] room = new byte[depth];
            byte[] fixed = new byte[8 * 1024];
            return file;
        }
        log.warn(name.trim());
        return find(name + ".txt", depth + 1);
    }

    void neverReached() {
        new File("x").delete();
    }
}
"""
TEST = "package a; class ShelfTest { @Test void sizes() { new Shelf().size(null); } }"


@pytest.fixture
def repository(tmp_path):
    files = {"src/main/java/a/Shelf.java": SHELF, "src/test/java/a/ShelfTest.java": TEST}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    return Repository(tmp_path)


def traced(name, seconds=0.1, outcome="pass"):
    """A test that executes the first three methods of the shelf."""
    return TracedTest(name, outcome, "", seconds, {"a.Shelf": frozenset({10, 14, 24, 25})})


@pytest.fixture
def reached(repository):
    slow, failing = traced("a.ShelfTest#slow", 60), traced("a.ShelfTest#fails", outcome="fail")
    tests = [traced("a.ShelfTest#later", 1.5), slow, traced("a.ShelfTest#sizes"), failing]
    return reaching.find_reached(repository, Traces(tests, {}))


def test_reached_is_what_passing_and_fast_tests_execute_the_fastest_first(reached):
    assert [method.method.name for method in reached] == ["size", "measure", "find"]
    for method in reached:
        assert method.tests == ["a.ShelfTest#sizes", "a.ShelfTest#later"]


def test_the_chain_leads_from_what_a_test_names_to_the_method(repository, reached):
    index = reaching.CallerIndex(repository, reached)
    chains = [index.find_chain(method) for method in reached]
    names = [[method.method.name for method in chain] for chain in chains]
    assert names == [["size"], ["size", "measure"], ["size", "measure", "find"]]
    stranger = dataclasses.replace(reached[2], tests=("b.Other#test",))
    assert index.find_chain(stranger) == [stranger]  # no test of its own executes its callers


def test_sinks_are_found_on_their_lines(reached):
    sinks = reaching.find_sinks(reached[2])
    assert {sink.cwe: (call.text, call.line) for sink, call in sinks.items()} == {
        "CWE-22": ("new File(", 24),
        "CWE-367": ("file.exists(", 25),
        "CWE-789": ("new byte[depth]", 26),
        "CWE-117": ("log.warn(", 30),
        "CWE-674": ("itself(", 31),
    }
    assert reaching.find_sinks(reached[0]) == {}


def test_each_sink_is_a_pattern_with_a_weakness_and_a_question():
    sinks = reaching.read_sinks()
    assert len({sink.cwe for sink in sinks}) >= 25
    for sink in sinks:
        assert re.fullmatch(r"CWE-\d+", sink.cwe)
        assert not re.search(sink.calls, "this.value(")
        assert sink.says.endswith("?")


def test_the_flow_of_a_draft_has_its_calls_and_its_hops(repository, reached):
    proposed = draft.propose_by_calls(repository, reached)
    names = {candidate.method.name for candidate in proposed}
    assert names == {"find"}  # the first is shorter than eight lines, the second has no sink
    assert {candidate.hops for candidate in proposed} == {2}
    (path,) = [candidate for candidate in proposed if candidate.finding.cwe == "CWE-22"]
    assert [(place["function"], place["line"]) for place in path.flow] == [
        ("size", 10),
        ("measure", 14),
        ("find", 24),
    ]
    assert [method.name for method in path.callers] == ["size", "measure"]


def test_each_method_is_selected_once_and_rare_weaknesses_first():
    methods = [method for _, method in find_methods(SHELF)]

    def candidate(number, cwe, hops, tests):
        flow = tuple(f"F.java:{line} f{line}" for line in range(1, hops + 2))
        finding = Finding("sinks", "r", cwe, flow=flow)
        return draft.InstanceCandidate("F.java", "F", methods[number], finding, "t" * tests)

    first, second = candidate(0, "CWE-22", 3, 1), candidate(1, "CWE-22", 2, 9)
    same, third = candidate(0, "CWE-59", 3, 1), candidate(2, "CWE-78", 0, 1)
    many = candidate(3, "CWE-78", 0, 5)
    proposed = [third, second, first, same, many]
    selected = draft.select_candidates(proposed, 9)
    assert selected == [first, many, second, third]
    assert draft.select_candidates(proposed, 2) == [first, many]


def test_words_of_security_are_named_and_exceptions_are_none():
    text = "Escapes what is untrusted. @throws GeneralSecurityException if it is forgotten"
    assert draft.find_leaks(text) == ["escapes", "untrusted"]


def test_the_model_sees_the_method_its_callers_and_the_fields_that_it_uses(repository, reached):
    path = draft.propose_by_calls(repository, reached)[0]
    asked = []

    def reply(request):
        asked.append(question(request))
        return Reply("/** Finds. */")

    with Server(reply) as server:
        author = Asker(open_role(f"openai:m@{server.openai}"))
        assert draft.write_docstring(repository, path, author) == "/** Finds. */"
    for text in (path.method.text, "File HOME = ", *(m.text for m in path.callers)):
        assert text in asked[0]
    assert "int count" not in asked[0]


def test_a_batch_that_does_not_end_costs_only_the_class_that_hangs(repository):
    folder = repository.folder / "src/test/java/a"
    for name in ("Hangs", "Last"):
        (folder / f"{name}Test.java").write_text(f"package a; class {name}Test {{ }}")
    started = []

    class Hanging:
        """A builder whose boxes end where a class hangs."""

        def trace(self, _, classes, **_options):
            started.append(classes)
            lines = []
            for name in classes:
                if "Hangs" in name:
                    return Ended("timeout", lines)
                lines.append(f"test\t{name}#t\tpass\t\t5\t")
            return Ended("completed", [*lines, "end\t\t\t\t"])

    class Ended:
        def __init__(self, status, lines):
            self.status, self.exit_code = status, None
            self.channel = "".join(f"{line}\n" for line in lines).encode()

    files = tracing._run_batches(Hanging(), repository)
    names = ["a.HangsTest", "a.LastTest", "a.ShelfTest"]
    assert started == [names, *([name] for name in names)]
    assert json.loads(files[tracing.UNFINISHED]) == {"a.HangsTest": "timeout"}
    tests = tracing.read_reports(files[tracing.REPORTS].decode())
    assert [test.name for test in tests] == ["a.LastTest#t", "a.ShelfTest#t"]


def test_a_recipe_is_a_folder_or_the_name_of_one(tmp_path):
    with pytest.raises(KitError, match="has no recipe.toml"):
        find_recipe(str(tmp_path))
    (tmp_path / "recipe.toml").write_text("")
    assert find_recipe(str(tmp_path)) == tmp_path
    assert "--recipe" in invoked("task", "draft", "realsec").stderr


OWN = {
    "src/a/Shelf.java": SHELF.replace("        log.warn(name.trim());\n", ""),
    "test/a/ShelfTest.java": """package a;
import junit.framework.TestCase;
public class ShelfTest extends TestCase {
    public void testNone() { assertEquals(0, new Shelf().size("none")); }
}
""",
    "test/a/ExitTest.java": """package a;
public class ExitTest extends junit.framework.TestCase {
    public void testEnds() { Runtime.getRuntime().halt(3); }
}
""",
    "recipe.toml": 'sources = ["src"]\ntests = ["test"]\nresources = []\n',
}


@pytest.mark.slow
def test_a_recipe_gives_drafts_that_pass_the_suites_own_check(tmp_path):
    home = tmp_path / "repositories" / "shelf"
    for name, text in OWN.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    with Server([Reply("Finds a file, and prevents attacks.")]) as server:
        words = ["--recipe", home, "--out", tmp_path / "instances", "--most", 1]
        words += ["--docstrings", f"openai:m@{server.openai}"]
        summary = told("task", "draft", "realsec", *words)["repositories"]["shelf"]
    assert summary["written"] == {"shelf-draft-01": ["attacks", "prevents"]}
    assert summary["unfinished"] == {"a.ExitTest": "exit code 3"}
    good, problems = instances.read_folder(tmp_path)
    assert problems == []
    data = good[0].data
    assert data["test_functions"] == ["a.ShelfTest#testNone"]
    assert (data["function_name"], data["hops"]) == ("find", 2)
    assert data["report"]["leaks"] == ["attacks", "prevents"]
    words = ["--data", tmp_path, "--run", tmp_path / "run", "--security", "exploit"]
    shown = told("validate", "realsec", *words)["shown"]
    assert [*shown.values()] == [1, 1, 1]  # the original passes, and the stub fails


@pytest.mark.slow
def test_junit_finds_the_tests_and_jacoco_what_they_execute(tmp_path):
    shop = tmp_path / "shop"
    shutil.copytree(Path(__file__).parents[1] / "files/shop", shop)
    with open_sandbox("bwrap", LIMITS) as box:
        builder = Builder(box)
        traces = tracing.trace_tests(builder, Repository(shop))
        builder.trace = None  # what is kept is not executed again
        assert tracing.trace_tests(builder, Repository(shop)) == traces
    assert {test.name.partition("#")[2] for test in traces.tests} == {
        "ordersOfOne",
        "counted",
        "renamed",
        "inOrder",
    }
    reached = reaching.find_reached(Repository(shop), traces)
    counted = [m.method.name for m in reached if "shop.OrdersTest#counted" in m.tests]
    assert counted == ["Orders", "count"]
