"""Which program an answer gives, over the shapes that models really write."""

import itertools
import json
from pathlib import Path

import pytest
import yaml

from kit.core import languages
from kit.core.errors import KitError
from kit.core.records import Sample, Status, Task
from kit.generation.base import Response
from kit.harness import extract
from kit.harness.languages.parts import read_parts
from kit.run import validate
from kit.run.suites import open_suite
from kit.systems.realsec import instance as instances
from tests.support.pace import measure_pace

F = "def f(x):\n    return x + 1"
G = "def g(x):\n    return f(x) * 2"
CPP = '#include <iostream>\nint main() {\n    std::cout << "hi";\n    return 0;\n}'
JS = "function f(x) {\n  return x + 1;\n}\nmodule.exports = { f };"
JAVA = "public class Main {\n    public static void main(String[] a) {}\n}"


def fence(code: str, tag: str = "", mark: str = "```") -> str:
    return f"{mark}{tag}\n{code}\n{mark}"


BUILD = [fence(CPP, "cpp"), fence("g++ a.cpp", "sh"), fence("hi")]
USAGE = "\nUsage:\n" + fence("console.log(f(1));", "js")
ESCAPED = "const s = `\n\\`\\`\\`\n`;\n" + JS
RAW = 'const char* s = R"(\n{\n```\n})";\n' + CPP
# name -> (answer, the program it gives)
FILES = Path(__file__).parents[1] / "files"
PYTHON = json.loads((FILES / "extract.json").read_text())
ANSWERS = yaml.safe_load((FILES / "answers.yaml").read_text())
ADD = "Write a function named add that takes two whole numbers, a and b, and returns their sum."
F_TASK = "Write a function named f."
SHAPES = {  # name: (answer, language, the program it gives)
    **{shape: (answer, "python", program) for shape, (answer, program) in PYTHON.items()},
    "tag c++": (fence(CPP, "c++"), "cpp", CPP),
    "tag cpp": (fence(CPP, "cpp"), "cpp", CPP),
    "tag C++17": (fence(CPP, "C++17"), "cpp", CPP),
    "tag c for c++": (fence(CPP, "c"), "cpp", CPP),
    "c++ without a tag": (fence(CPP), "c++", CPP),
    "c++ without a fence": (CPP, "cpp", CPP),
    "c++ and how to build it": ("\n".join(BUILD), "cpp", CPP),
    "tag js": (fence(JS, "js"), "javascript", JS),
    "tag node": (fence(JS, "node"), "javascript", JS),
    "javascript among python": (fence(F, "python") + "\n" + fence(JS, "javascript"), "js", JS),
    "javascript without a fence": (JS, "javascript", JS),
    "javascript usage after": (fence(JS, "js") + USAGE, "javascript", JS),
    "javascript with an escaped fence": (fence(ESCAPED, "js"), "javascript", ESCAPED),
    "c++ raw string with a fence": (fence(RAW, "cpp"), "cpp", RAW),
    "java": (fence(JAVA, "java"), "java", JAVA),
}
NOTHING = {
    "empty": "",
    "blanks": " \n\t\n",
    "prose": "I would use a parameterised query for this.",
    "one word": "Sure",
    "a sentence that parses": "hello",
    "only thoughts": "<think>\nI could write\n```python\nx = 1\n```",
    "only an install line": fence("pip install flask", "bash"),
    "only another language": fence(JS, "javascript"),
    "c sharp is neither c nor c++": fence("class A {}", "c#"),
    "an empty block": fence("", "python"),
    "only a session": fence(">>> 1 + 1\n2", "python"),
    "only json": fence('{"x": 1}', "json"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_gives_its_program(shape):
    answer, language, program = SHAPES[shape]
    got = extract.find_program(answer, language, F_TASK)
    assert (got.status, got.code) == (Status.COMPLETED, program.strip("\n") + "\n")


@pytest.mark.parametrize("shape", NOTHING)
def test_what_holds_no_python_is_an_extraction_error_with_a_sentence(shape):
    got = extract.find_program(NOTHING[shape], "python")
    assert (got.status, got.code) == (Status.EXTRACTION_ERROR, "")
    assert got.note.endswith(".")


@pytest.mark.parametrize("tag", ["c#", "bash", "json", "python", "markdown"])
def test_no_foreign_block_becomes_a_c_program(tag):
    assert extract.find_program(fence("int main() { return 0; }", tag), "cpp").code == ""


def test_no_tag_ever_ends_up_in_the_code():
    for tag in languages.ALIASES:
        for language in ("python", "cpp", "javascript"):
            assert not extract.find_program(fence("x = 1;", tag), language).code.startswith(
                tag + "\n"
            )


def test_extracting_twice_changes_nothing():
    for answer, _ in PYTHON.values():
        once = extract.find_program(answer, "python").code
        assert extract.find_program(fence(once, "python"), "python").code == once or "```" in once


def test_a_cut_answer_and_what_was_left_out_are_noted():
    assert "not closed" in extract.find_program("```python\nx = 1", "python").note
    sample = Sample("1", "m", response="```python\nx = 1", truncated=True)
    assert "length limit" in extract.fill_sample(sample).note
    answer, _ = PYTHON["usage example after"]
    assert "1 more block(s) of python were left out" in extract.find_program(answer, "python").note


def test_an_unknown_language_is_the_users_mistake():
    with pytest.raises(KitError, match=r"Unknown language 'cobol'\. Use one of: c, cpp"):
        extract.find_program("x", "cobol")


LONGEST_PACE = 2000  # the slowest takes 250; what is not linear takes tens of thousands


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        "```python\nx = (\n```\n" * 400,
        "<think>" * 5000,
        "``` x" + " " * 20000,
        "```c++\n" + "a*" * 10000,
        "```\n" + "\n" * 20000,
        "> " * 20000 + "```",
    ],
    ids=["fences", "thoughts", "blanks", "stars", "lines", "quotes"],
)
def test_no_answer_takes_long_to_read(answer):
    languages_read = ("python", "cpp", "javascript")
    pace = measure_pace(lambda: [extract.find_program(answer, each) for each in languages_read])
    assert pace < LONGEST_PACE


MANY = 100_000
HOSTILE = {
    "tildes": "~" * MANY + "`",
    "fences in a line": "~~~ " * MANY + "`",
    "ticks": "`" * MANY + " x `",
    "blocks": "```python\ndef f(): return 1\n```\n" * (MANY // 10),
    "openings": "```python\n" * MANY,
    "other blocks": "```t\na\n```\n" * MANY,
    "too long": "x = 1\n" * MANY * 10,
}


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("language", ["python", "javascript", "cpp"])
def test_no_answer_takes_long(text, language):
    assert measure_pace(lambda: extract.find_program(text, language)) < LONGEST_PACE


def test_an_answer_that_is_too_long_says_so():
    found = extract.find_program("x" * (extract.LONGEST + 1), "python")
    assert found.status is Status.EXTRACTION_ERROR
    assert "1,048,577 characters" in found.note


def programs_of(row, tmp_path):
    """Every way in which the kit comes from the answer of a row to a program."""
    language, answer, asks = row.get("language", "python"), row["answer"], row.get("asks", ADD)
    if row["kind"] != "h":
        return [extract.find_program(answer, language, asks).code]
    task = Task("t", "s", asks, ())
    line = {"task_id": "t", "solution": answer, "language": language}
    (tmp_path / "samples.jsonl").write_text(json.dumps(line))
    place = tmp_path / "programs/t" / f"a{languages.LANGUAGES[language].extensions[0]}"
    place.parent.mkdir(parents=True)
    place.write_text(answer)
    sources = (tmp_path / "samples.jsonl", tmp_path / "programs")
    return [sample.code for s in sources for sample, _ in validate.read_programs(s, [task])]


def rows_with(*fields):
    rows = [
        row
        for row in ANSWERS
        if all((field in row) == (field in fields) for field in ("task", "instance"))
    ]
    kinds = itertools.groupby(rows, key=lambda row: row["kind"])
    return [
        pytest.param(row, id=f"{kind}{n}") for kind, group in kinds for n, row in enumerate(group)
    ]


def check(row, program, language):
    assert read_parts(program, language) is not None
    assert [part for part in row.get("holds", ()) if part not in program] == []
    assert [part for part in row.get("lacks", ()) if part in program] == []


@pytest.mark.parametrize("row", rows_with())
def test_the_program_of_an_answer_is_what_its_language_says(row, tmp_path):
    for program in programs_of(row, tmp_path):
        check(row, program, row.get("language", "python"))


@pytest.fixture(scope="module")
def suites():
    opened = {name: open_suite(name) for name in ("codeguard", "realsec")}
    for suite in opened.values():
        suite.load()
    return opened


@pytest.mark.parametrize("row", rows_with("task"))
def test_a_completion_is_found_by_the_function_that_its_prompt_opened(row, suites):
    item = suites["codeguard"].items[row["task"]]
    sample = suites["codeguard"].sample(Sample(item.id, "m"), Response(row["answer"]))
    check(row, sample.code, item.language)
    if item.language == "python":
        compile(sample.code, "a.py", "exec")
    names = [name for part in read_parts(sample.code, item.language).parts for name in part.defines]
    assert {name: names.count(name) for name in row.get("defines", {})} == row.get("defines", {})


@pytest.mark.parametrize("row", rows_with("instance"))
def test_a_method_fits_its_file_however_it_is_written(row, suites):
    instance = suites["realsec"].instance(row["instance"])
    sample = suites["realsec"].sample(
        Sample(instance.id, "m", language="java"), Response(row["answer"])
    )
    check(row, sample.code, "java")
    assert instances.replace_method(instance.source, *instance.place, sample.code).error == ""
