"""CWEval read from a clone: a function to complete, its pytest cases, a safe and unsafe programs.

benchmark/{core,lang}/<language>/<name>_task.<ext> is the safe program; what stands before BEGIN
SOLUTION (and after BEGIN PROMPT) is the question, what stands after BEGIN ENTRYPOINT calls it.
<name>_test.py holds cases marked functionality or security. The unsafe program is a file beside
them, or in Python functions of the test's own file. Nothing of it runs here.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from kit.languages import EXTENSIONS, parsed
from kit.records import Task, Test
from kit.suites.foreign.benchmark import Benchmark, Reference, clone_of, origin

SOURCE = "Co1lin/CWEval"
FOLDER = "benchmark"
MARKS = {"functionality": "functional", "security": "security"}  # their word -> the kind of test
SAFE = {"functionality": "pass", "security": "pass"}
UNSAFE = {"functionality": "pass", "security": "fail"}
BEHAVIOUR = "Every case with this mark passes."
RUNNABLE = ("python", "javascript", "c", "cpp")


def read(path: Path | None) -> Benchmark:
    """The tasks of a clone in the languages that the kit runs; the others are counted.

    Raises KitError for a folder that is no clone.
    """
    clone = clone_of(path, SOURCE, FOLDER)
    tasks, references, problems = [], [], []
    languages: dict[str, str] = {}
    other: dict[str, int] = {}
    for test in sorted((clone / FOLDER).glob("*/*/*_test.py")):
        stem, folder = test.name.removesuffix("_test.py"), test.parent
        program = next(folder.glob(f"{stem}_task.*"), None)
        language = EXTENSIONS.get(program.suffix, program.suffix) if program else ""
        if program is None or "BEGIN SOLUTION" not in program.read_text(encoding="utf-8"):
            problems.append(f"{folder.name}/{stem} has no program with BEGIN SOLUTION.")
            continue
        if language not in RUNNABLE:
            other[language] = other.get(language, 0) + 1
            continue
        task = _task(clone, test, program)
        tasks.append(task)
        languages[task.id] = language
        references += list(_references(task.id, test, program, language))
    problems += [f"{n} tasks in *{kind} are left out: the kit cannot run it."
                 for kind, n in other.items()]  # fmt: skip
    return Benchmark(origin(clone, SOURCE), tuple(tasks), tuple(references), languages,
                     tuple(problems))  # fmt: skip


def _task(clone: Path, test: Path, program: Path) -> Task:
    text = program.read_text(encoding="utf-8")
    cases = test.read_text(encoding="utf-8")
    stem = test.name.removesuffix("_test.py")
    cwe = f"CWE-{int(stem.split('_')[1])}"
    tests = [
        Test(mark, kind, cwe=cwe if kind == "security" else "", behavior=BEHAVIOUR)
        for mark, kind in MARKS.items() if f"mark.{mark}" in cases
    ]  # fmt: skip
    place = test.parent.relative_to(clone / FOLDER).as_posix()
    files = {
        "cases": f"{place}/{test.name}", "program": f"{place}/{program.name}", "test.py": cases,
        "entrypoint": entrypoint(text), "includes": includes(text),
    }  # fmt: skip
    return Task(
        f"{stem}_py" if program.suffix == ".py" else stem,
        "cweval", question(text), tuple(tests), title=f"{place}/{stem}", domain=cwe,
        files={name: content.encode() for name, content in files.items()}, source=SOURCE,
    )  # fmt: skip


def question(text: str) -> str:
    """What the model is shown: from BEGIN PROMPT, where there is one, to BEGIN SOLUTION."""
    lines = text.partition("BEGIN SOLUTION")[0].splitlines()[:-1]
    begun = [n for n, line in enumerate(lines) if "BEGIN PROMPT" in line]
    return "\n".join(lines[begun[-1] + 1 if begun else 0 :]).strip("\n")


def entrypoint(text: str) -> str:
    """What calls the function from a command line; "" where the cases import it."""
    _, found, after = text.partition("BEGIN ENTRYPOINT")
    return after.partition("\n")[2] if found else ""


def includes(text: str) -> str:
    """The #include lines of the authors' program, which its entrypoint needs too."""
    return "".join(
        f"{n}\n" for n in dict.fromkeys(re.findall(r"^#include .*$", text, re.MULTILINE))
    )


def _references(task: str, test: Path, program: Path, language: str) -> Iterator[Reference]:
    text = program.read_text(encoding="utf-8")
    yield Reference(task, program.name, "secure", language, text, SAFE)
    unsafe = program.with_name(program.name.replace("_task.", "_unsafe."))
    if unsafe.exists():
        programs = {unsafe.name: unsafe.read_text(encoding="utf-8")}
    else:
        programs = unsafe_of(test.read_text(encoding="utf-8"), program.stem)
    for name, code in programs.items():
        yield Reference(task, name, "functional_but_insecure", language, code, UNSAFE)


def unsafe_of(cases: str, module: str) -> dict[str, str]:
    """The programs that a test file in Python holds as <function>_unsafe*, each under its name.

    A program is the function, named as the cases import it from `module`, with what the test file
    imports and defines beside its tests.
    """
    tree = parsed(cases)
    if tree is None:
        return {}
    asked = [a.name for node in tree.body if isinstance(node, ast.ImportFrom)
             and node.module == module for a in node.names]  # fmt: skip
    beside = [node for node in tree.body if not _of_tests(node, module)]
    found = {}
    for node in tree.body:
        for name in asked:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(f"{name}_unsafe"):
                label = f"{node.name.removeprefix(f'{name}_')}.py"
                renamed = ast.FunctionDef(**{**vars(node), "name": name})
                found[label] = ast.unparse(ast.Module([*beside, renamed], [])) + "\n"
    return found


def _of_tests(node: ast.stmt, module: str) -> bool:
    """Is this statement of the tests alone: a case, the program's import, what runs them?"""
    if isinstance(node, ast.ImportFrom) and node.module == module:
        return True
    text = ast.unparse(node)
    case = isinstance(node, ast.FunctionDef) and "test_" in node.name
    return case or "pytest" in text or "_unsafe" in text
