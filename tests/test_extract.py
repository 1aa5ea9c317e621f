"""Which program an answer gives, over the shapes that models really write."""

import time

import pytest

from kit import languages
from kit.errors import KitError
from kit.generation import extract
from kit.records import Sample, Status

F = "def f(x):\n    return x + 1"
G = "def g(x):\n    return f(x) * 2"
CPP = '#include <iostream>\nint main() {\n    std::cout << "hi";\n    return 0;\n}'
JS = "function f(x) {\n  return x + 1;\n}\nmodule.exports = { f };"
JAVA = "public class Main {\n    public static void main(String[] a) {}\n}"


def fence(code: str, tag: str = "", mark: str = "```") -> str:
    return f"{mark}{tag}\n{code}\n{mark}"


PYTHON = {  # name: (answer, the program it gives)
    "tag python": (fence(F, "python"), F),
    "tag py": (fence(F, "py"), F),
    "tag Python3": (fence(F, "Python3"), F),
    "tag python3.11": (fence(F, "python3.11"), F),
    "tag with a title": (fence(F, 'python title="main.py"'), F),
    "tag with a file name": (fence(F, "python:main.py"), F),
    "tag is a file name": (fence(F, "main.py"), F),
    "tag in braces": (fence(F, "{.python .numberLines}"), F),
    "space before the tag": (fence(F, " python"), F),
    "no tag": (fence(F), F),
    "tag says text": (fence(F, "text"), F),
    "prose around": (f"Here you go:\n\n{fence(F, 'python')}\n\nIt adds one.", F),
    "prose on the fence's line": (f"Here is the code: {fence(F, 'python')}", F),
    "tildes": (fence(F, "python", "~~~"), F),
    "four backticks": (fence(F, "python", "````"), F),
    "windows line ends": (fence(F, "python").replace("\n", "\r\n"), F),
    "byte-order mark": ("\ufeff" + fence(F, "python"), F),
    "blanks after the fences": (f"```python  \n{F}\n```  \n", F),
    "indented in a list": (
        "1. First:\n\n   ```python\n   def f(x):\n       return x + 1\n   ```",
        F,
    ),
    "in a quotation": ("> ```python\n> def f(x):\n>     return x + 1\n> ```", F),
    "list item opens the fence": ("- ```python\n  def f(x):\n      return x + 1\n  ```", F),
    "markdown around it": (fence("# Title\n" + fence(F, "python"), "markdown", "````"), F),
    "markdown of the same length": ("```markdown\n" + fence(F, "python") + "\n```", F),
    "install line first": (fence("pip install flask", "bash") + "\n" + fence(F, "python"), F),
    "untagged install line": (fence("$ pip install flask") + "\n" + fence(F), F),
    "json and output after": (
        fence(F, "python") + "\n" + fence('{"a": 1}', "json") + "\n" + fence("2", "output"),
        F,
    ),
    "html template beside": (fence("<p>hi</p>", "html") + "\n" + fence(F, "python"), F),
    "other language beside": (fence(JS, "javascript") + "\n" + fence(F, "python"), F),
    "interpreter session beside": (fence(F, "python") + "\n" + fence(">>> f(1)\n2", "python"), F),
    "definitions then their use": (
        fence(F, "python") + "\nThen:\n" + fence(G, "py"),
        f"{F}\n\n{G}",
    ),
    "imports first": (
        fence("import os", "python") + "\nNow\n" + fence("def h():\n    return os.sep", "python"),
        "import os\n\ndef h():\n    return os.sep",
    ),
    "main part that reads its input": (
        fence(F, "python") + "\nThe main part:\n" + fence("print(f(int(input())))", "python"),
        f"{F}\n\nprint(f(int(input())))",
    ),
    "usage example after": (
        fence(F, "python") + "\nExample usage:\n" + fence("print(f(1))", "python"),
        F,
    ),
    "tests after": (
        fence(F, "python") + "\nAnd\n" + fence("def test_f():\n    assert f(1) == 2", "python"),
        F,
    ),
    "same block twice": (fence(F, "python") + "\nAgain:\n" + fence(F, "python"), F),
    "corrected version after": (
        fence("def f(x):\n    return x", "python")
        + "\nThat was off by one:\n"
        + fence(F, "python"),
        F,
    ),
    "alternative after": (
        fence(F, "python") + "\nAlternatively:\n" + fence("def f(x): return 1 + x", "python"),
        F,
    ),
    "insecure version first": (
        "An insecure version, before:\n"
        + fence("def f(x):\n    return eval(x)\n\ndef old(): pass", "python")
        + "\nThe answer:\n"
        + fence(F, "python"),
        F,
    ),
    "unrelated second program": (
        fence(F, "python") + "\nAlso\n" + fence("def unrelated():\n    return 0", "python"),
        F,
    ),
    "thoughts": (f"<think>\nMaybe ```python\nx = 1\n``` ?\n</think>\n{fence(F, 'python')}", F),
    "thought on one line": (f"<think>easy</think>{fence(F, 'python')}", F),
    "thoughts that the prompt opened": (
        f"Let me see.\n{fence('x = 0', 'python')}\n</think>\n{fence(F, 'python')}",
        F,
    ),
    "thoughts that leave a fence open": (
        f"<thinking>\n```python\nx = 0\n</thinking>\n{fence(F, 'python')}",
        F,
    ),
    "thought tag inside the code": (
        fence('T = """\n<think>\n"""\n' + F, "python"),
        'T = """\n<think>\n"""\n' + F,
    ),
    "fence never closed": (f"```python\n{F}", F),
    "fence closed on a code line": (f"```python\n{F}```", F),
    "one-line fence": ("```python print(1) ```", "print(1)"),
    "fence inside a string": (
        fence(f'P = """\n{fence("{}", "json")}\n"""\n{F}', "python"),
        f'P = """\n{fence("{}", "json")}\n"""\n{F}',
    ),
    "bare fence inside a string, and a block after": (
        fence(f'P = """\n```\n"""\n{F}', "python") + "\nInstall:\n" + fence("pip install x", "sh"),
        f'P = """\n```\n"""\n{F}',
    ),
    "longer fence around fences": (
        fence(f'P = """\n{fence("x")}\n"""', "python", "````"),
        f'P = """\n{fence("x")}\n"""',
    ),
    "no fence": (F, F),
    "no fence, a script": ("print(input())", "print(input())"),
    "no fence, prose around": (f"Sure, here it is:\n\n{F}\n\nThis function adds one.", F),
    "broken program": (fence("def f(:\n    return", "python"), "def f(:\n    return"),
    "broken program without a tag": (fence("def f(x:\n    return"), "def f(x:\n    return"),
    "invalid escape that Python warns of": (fence('p = "\\d"', "python"), 'p = "\\d"'),
    "empty block first": (fence("", "python") + "\n" + fence(F, "python"), F),
    "separator lines of unicode": (fence('S = "\u2028"', "python"), 'S = "\u2028"'),
}
OTHERS = {  # name: (answer, language, the program it gives)
    "tag c++": (fence(CPP, "c++"), "cpp", CPP),
    "tag cpp": (fence(CPP, "cpp"), "cpp", CPP),
    "tag C++17": (fence(CPP, "C++17"), "cpp", CPP),
    "tag c for c++": (fence(CPP, "c"), "cpp", CPP),
    "c++ without a tag": (fence(CPP), "c++", CPP),
    "c++ without a fence": (CPP, "cpp", CPP),
    "c++ and how to build it": (
        fence(CPP, "cpp") + "\n" + fence("g++ a.cpp", "sh") + "\n" + fence("hi"),
        "cpp",
        CPP,
    ),
    "tag js": (fence(JS, "js"), "javascript", JS),
    "tag node": (fence(JS, "node"), "javascript", JS),
    "javascript among python": (fence(F, "python") + "\n" + fence(JS, "javascript"), "js", JS),
    "javascript without a fence": (JS, "javascript", JS),
    "javascript usage after": (
        fence(JS, "js") + "\nUsage:\n" + fence("console.log(f(1));", "js"),
        "javascript",
        JS,
    ),
    "javascript with an escaped fence": (
        fence("const s = `\n\\`\\`\\`\n`;\n" + JS, "js"),
        "javascript",
        "const s = `\n\\`\\`\\`\n`;\n" + JS,
    ),
    "c++ raw string with a fence": (
        fence('const char* s = R"(\n{\n```\n})";\n' + CPP, "cpp"),
        "cpp",
        'const char* s = R"(\n{\n```\n})";\n' + CPP,
    ),
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


@pytest.mark.parametrize("shape", PYTHON)
def test_python_shapes(shape):
    answer, program = PYTHON[shape]
    got = extract.code(answer, "python")
    assert (got.status, got.code) == (Status.COMPLETED, program.strip("\n") + "\n")


@pytest.mark.parametrize("shape", OTHERS)
def test_shapes_of_other_languages(shape):
    answer, language, program = OTHERS[shape]
    got = extract.code(answer, language)
    assert (got.status, got.code) == (Status.COMPLETED, program + "\n")


@pytest.mark.parametrize("shape", NOTHING)
def test_what_holds_no_python_is_an_extraction_error_with_a_sentence(shape):
    got = extract.code(NOTHING[shape], "python")
    assert (got.status, got.code) == (Status.EXTRACTION_ERROR, "")
    assert got.note.endswith(".")


@pytest.mark.parametrize("tag", ["c#", "bash", "json", "python", "markdown"])
def test_no_foreign_block_becomes_a_c_program(tag):
    assert extract.code(fence("int main() { return 0; }", tag), "cpp").code == ""


def test_no_tag_ever_ends_up_in_the_code():
    for tag in languages.ALIASES:
        for language in ("python", "cpp", "javascript"):
            assert not extract.code(fence("x = 1;", tag), language).code.startswith(tag + "\n")


def test_extracting_twice_changes_nothing():
    for answer, _ in PYTHON.values():
        once = extract.code(answer, "python").code
        assert extract.code(fence(once, "python"), "python").code == once or "```" in once


def test_a_cut_answer_is_noted():
    assert "not closed" in extract.code("```python\nx = 1", "python").note
    sample = Sample("1", "m", response="```python\nx = 1", truncated=True)
    assert "length limit" in extract.fill(sample).note


def test_what_was_left_out_is_noted():
    answer, _ = PYTHON["usage example after"]
    assert "1 more block(s) of python were left out" in extract.code(answer, "python").note


def test_an_unknown_language_is_the_users_mistake():
    with pytest.raises(KitError, match=r"Unknown language 'cobol'\. Use one of: c, cpp"):
        extract.code("x", "cobol")


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
    start = time.process_time()
    for language in ("python", "cpp", "javascript"):
        extract.code(answer, language)
    assert time.process_time() - start < 2
